/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ssh:[OPTION…] HOST: through ssh(1), in one connection. A constant script over there says which
 * machine it is and which kit it keeps; the kit is pushed when that is not the one here, and kept
 * (docs/protocol.md, "Keeping it"). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/via/parts.h"
#include "wire/frame.h"

/* ----------------------------------------------------------------------------------------------
 * From ssh's last words to what a person does next. */

/* The first that fits: the more telling ones stand first. */
static const struct {
    const char *words;
    const char *advice;
} known[] = {
    {"IDENTIFICATION HAS CHANGED",
     "find out why the host has another key than before; if that is right, forget the old one with "
     "ssh-keygen -R and connect once by hand"},
    {"Host key verification failed",
     "connect once by hand with ssh and check the host's key; it is remembered then"},
    {"Too many authentication failures",
     "name the one key with -i and add -o IdentitiesOnly=yes, in 'ssh:...' or in ~/.ssh/config"},
    {"Permission denied",
     "a password cannot be asked for here: set up a key (ssh-copy-id) or an agent (ssh-add) with "
     "which 'ssh -o BatchMode=yes' gets in, and check the user's name"},
    {"Could not resolve hostname", "check the host's name, or give it a place in ~/.ssh/config"},
    {"Connection refused", "check that sshd runs there, and on that port (-p)"},
    {"No route to host", "check that the machine is up and can be reached from here"},
    {"Network is unreachable", "check that the machine is up and can be reached from here"},
    {"timed out", "check that the machine is up and can be reached from here, and the port (-p)"},
    {"UNPROTECTED PRIVATE KEY", "take the others' rights from the key file: chmod 600"},
    {"onfiguration option", "correct the option, in 'ssh:...' or in ~/.ssh/config"},
    {"destination [command", "what stands behind 'ssh:' must be options of ssh(1) and a host"},
};

/* What to do next about a connection that failed, by ssh's own last words; never NULL. */
static const char *ssh_advice(const char *last_words)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strstr(last_words, known[i].words))
            return known[i].advice;
    return "try the same by hand, 'ssh -T ... true': it must end without a question";
}

/* ----------------------------------------------------------------------------------------------
 * Which kit a machine needs, by its own words. They become part of a path here, so nothing but an
 * ISA's name passes. */

/* Names that uname(2) gives and the build does not. */
static const char *const other_names[][2] = {
    {"amd64", "x86_64"}, {"arm64", "aarch64"}, {"ppc64le", "ppc64"}};

static const char *const narrow[] = {"i386", "i486", "i586",  "i686", "arm",    "armv",
                                     "mips", "ppc",  "sparc", "s390", "riscv32"};

/* "armv" stands for armv6l, armv7l, armv8l (a 32-bit process on a 64-bit machine) and the like. */
static bool is_narrow(const char *isa)
{
    for (size_t i = 0; i < sizeof(narrow) / sizeof(*narrow); i++)
        if (strcmp(isa, narrow[i]) == 0 ||
            (strcmp(narrow[i], "armv") == 0 && strncmp(isa, "armv", 4) == 0))
            return true;
    return false;
}

int ssh_machine(const char *said, char isa[32], const char *host, struct failure *failure)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char system[32] = "";
    char shown[80];
    int end = 0;
    if (sscanf(said, "%31s %31s%n", system, isa, &end) != 2 || said[end] ||
        isa[strspn(isa, allowed)] != '\0') {
        printable_copy(shown, sizeof(shown), said, strlen(said));
        return fail_with(failure, -EPROTO, "%.100s does not say which machine it is, but '%s'",
                         host, shown);
    }
    if (strcmp(system, "Linux") != 0) {
        printable_copy(shown, sizeof(shown), system, strlen(system));
        return fail_with(failure, -EOPNOTSUPP, "%.100s runs %s: assay measures Linux machines only",
                         host, shown);
    }
    if (is_narrow(isa))
        return fail_with(failure, -EOPNOTSUPP,
                         "%.100s is a 32-bit machine (%s): assay's probe is made for 64-bit ones",
                         host, isa);
    for (size_t i = 0; i < sizeof(other_names) / sizeof(*other_names); i++)
        if (strcmp(isa, other_names[i][0]) == 0)
            snprintf(isa, 32, "%s", other_names[i][1]);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * The words behind `ssh:`. They are ssh(1)'s own options and the host; what would change what the
 * connection is for is refused by name, since it would only show as a probe that never speaks. */

#define WITH_ARGUMENT "BbcDEeFIiJLlmOoPpQRSWw" /* of ssh(1); all others stand alone */

static const struct {
    const char *letters;
    const char *why;
} unfit[] = {
    {"t", "a terminal in between would alter what the probe sends"},
    {"fn", "the probe needs its standard input"},
    {"NsW", "no program would be run there"},
    {"GOQV", "no connection would be made"},
};

static const char *why_unfit(char letter)
{
    for (size_t i = 0; i < sizeof(unfit) / sizeof(*unfit); i++)
        if (strchr(unfit[i].letters, letter))
            return unfit[i].why;
    return NULL;
}

/* Looks through the letters of one word of options. 1 when the next word is its argument. */
static int check_option(const char *word, struct failure *failure)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const char *why = why_unfit(*letter);
        if (why)
            return fail_with(failure, -EINVAL, "'ssh:' cannot go with -%c: %s", *letter, why);
        if (strchr(WITH_ARGUMENT, *letter))
            return letter[1] == '\0';
    }
    return 0;
}

static int refuse_missing(struct failure *failure)
{
    return fail_with(failure, -EINVAL,
                     "'ssh:' needs a host, behind options of ssh(1) if any, as in "
                     "ssh:user@host or 'ssh:-p 2222 host'");
}

/* The place of the host among the words. */
static int find_host(char *const *words, int count, struct failure *failure)
{
    int at = 0;
    while (at < count && words[at][0] == '-') {
        if (strcmp(words[at], "--") == 0 || strcmp(words[at], "-") == 0)
            return refuse_missing(failure);
        int more = check_option(words[at], failure);
        if (more < 0)
            return more;
        at += 1 + more;
    }
    if (at >= count || !*words[at])
        return refuse_missing(failure);
    if (at + 1 < count)
        return fail_with(
            failure, -EINVAL,
            "behind the host '%.100s' stands '%.100s': options of ssh(1) go before the "
            "host, and the program that runs there is assay's own",
            words[at], words[at + 1]);
    return at;
}

int ssh_words(const char *argument, char ***words, const char **host, struct failure *failure)
{
    int count = words_split(argument, words, failure);
    if (count < 0)
        return count;
    int at = find_host(*words, count, failure);
    if (at < 0) {
        words_free(*words);
        *words = NULL;
        return at;
    }
    /* ssh://user@host:port arrives without its scheme, which is ours. */
    char **word = &(*words)[at], *address;
    if (strncmp(*word, "//", 2) == 0) {
        if (asprintf(&address, "ssh:%s", *word) < 0)
            memory_end();
        free(*word);
        *word = address;
    }
    *host = *word;
    return count;
}

/* --- the transport --- */

#define ENDING_MS  2000 /* for an ssh whose output has ended */
#define MOST_LINES 1024 /* of a listing */
#define LINE_BYTES 512

struct visit {
    struct via_link *link;
    const char *host;
    struct via_patience patience;
    bool greeted; /* the script over there has spoken */
};

/* ssh OPTION… and what this connection is for, against what a configuration may say; then the host,
 * where no option can stand any more. */
static int start(struct visit *visit, char *const *words, int count, struct failure *failure)
{
    static const char *const fixed[] = {
        "-T", "-a", "-x", "-oBatchMode=yes", "-oRemoteCommand=none", "-oClearAllForwardings=yes",
        "--"};
    const size_t fixed_count = sizeof(fixed) / sizeof(*fixed);
    const char *program = getenv("ASSAY_SSH");
    const char **argv = memory_new((size_t)count + fixed_count + 3, sizeof(*argv));
    size_t at = 0;
    argv[at++] = program && *program ? program : "ssh";
    for (int i = 0; i < count - 1; i++)
        argv[at++] = words[i];
    for (size_t i = 0; i < fixed_count; i++)
        argv[at++] = fixed[i];
    argv[at++] = visit->host;
    argv[at] = keeping_command;
    return child_start(visit->link, argv, failure);
}

/* Silence and endings in words; the link is still open. */
static int explain_news(const struct visit *visit, enum child_news news, const char *awaited,
                        struct failure *failure)
{
    if (news == CHILD_STOPPED)
        return fail_with(failure, -EINTR, "interrupted");
    if (news == CHILD_SILENT)
        return fail_with(failure, -ETIMEDOUT, "%s did not come within %d s", awaited,
                         visit->patience.timeout_ms / 1000);
    return fail_with(failure, -EPIPE, "the connection ended before %s came", awaited);
}

static int send_text(struct visit *visit, const char *text, struct failure *failure)
{
    int status = child_send(visit->link, text, strlen(text), &visit->patience);
    if (status == -EINTR)
        return fail_with(failure, status, "interrupted");
    return status < 0 ? fail_with(failure, status, "nothing can be sent there: %s",
                                  status == -EPIPE ? "the connection has ended" : strerror(-status))
                      : 0;
}

/* A line of the script; *rest is what stands behind the mark. */
static int take_line(struct visit *visit, const char *mark, char line[LINE_BYTES],
                     const char **rest, struct failure *failure)
{
    enum child_news news = child_take_line(visit->link, mark, line, LINE_BYTES, &visit->patience);
    if (news != CHILD_SPOKE)
        return explain_news(visit, news, "an answer", failure);
    visit->greeted = true;
    *rest = line + strlen(mark);
    return 0;
}

static bool is_known_isa(const char *isa)
{
    const size_t length = strlen(isa);
    for (const char *name = ASSAY_ISAS; *name; name += strspn(name, " ")) {
        const size_t here = strcspn(name, " ");
        if (here == length && memcmp(name, isa, length) == 0)
            return true;
        name += here;
    }
    return false;
}

/* One line of the listing, "CRC SIZE ./NAME": marks the file that it proves to be the same. */
static void tick_off(const struct kit_files *files, const char *said, bool *same)
{
    unsigned long sum;
    unsigned long long size;
    char name[256];
    int end = 0;
    if (sscanf(said, "%lu %llu ./%255s%n", &sum, &size, name, &end) != 3 || said[end])
        return;
    for (size_t i = 0; i < files->count; i++) {
        const struct kit_file *file = &files->list[i];
        if (!same[i] && file->length == size && strcmp(file->name, name) == 0)
            same[i] = cksum(file->bytes, file->length) == sum;
    }
}

static bool is_all(const bool *same, size_t count)
{
    size_t first = 0;
    while (first < count && same[first])
        first++;
    return first == count;
}

/* "use" when the kit that is kept there is this one to the byte, "replace" when one of this name is
 * another, "push" when there is none. */
static int decide(struct visit *visit, const struct kit_files *files, const char **word,
                  struct failure *failure)
{
    char line[LINE_BYTES];
    const char *said = "";
    bool *same = memory_new(files->count, sizeof(*same));
    snprintf(line, sizeof(line), "%s %zu %zu\n", files->build, files->list[0].length, files->bytes);
    int status = send_text(visit, line, failure);
    for (int i = 0; status == 0 && i < MOST_LINES; i++) {
        status = take_line(visit, "@assay-", line, &said, failure);
        if (status == 0 && strncmp(said, "file ", 5) == 0) {
            tick_off(files, said + 5, same);
        } else if (status == 0) {
            const bool there = strcmp(said, "kept yes") == 0;
            *word = !there ? "push" : is_all(same, files->count) ? "use" : "replace";
            return 0;
        }
    }
    return status < 0 ? status
                      : fail_with(failure, -EPROTO, "the list of the kit kept there does not end");
}

/* 1 when the kept kit is about to serve, 0 when it cannot be run. */
static int use(struct visit *visit, struct failure *failure)
{
    char line[LINE_BYTES];
    const char *said = "";
    int status = send_text(visit, "use\n", failure);
    if (status == 0)
        status = take_line(visit, "@assay-", line, &said, failure);
    return status < 0 ? status : strcmp(said, "usable") == 0;
}

static int push(struct visit *visit, const struct kit_files *files, const char *word,
                struct failure *failure)
{
    int status = send_text(visit, word, failure);
    if (status == 0)
        status = send_text(visit, "\n", failure);
    if (status == 0)
        status = push_kit(visit->link, files, &visit->patience, failure);
    if (status < 0)
        return status;
    visit->patience = push_patience(&visit->patience);
    enum child_news news = child_await(visit->link, WIRE_SENTINEL " 0 hello ", &visit->patience);
    return news == CHILD_SPOKE ? 0
                               : explain_news(visit, news, "a hello of the pushed probe", failure);
}

static int converse(struct visit *visit, struct failure *failure)
{
    struct kit kit = {0};
    AUTO_KIT_FILES struct kit_files files = {0};
    const char *word = "push";
    char line[LINE_BYTES];
    const char *said = "";
    char isa[32] = "";
    int status = send_text(visit, keeping_script, failure);
    if (status == 0)
        status = take_line(visit, "@assay-there ", line, &said, failure);
    if (status == 0)
        status = ssh_machine(said, isa, visit->host, failure);
    if (status == 0)
        status = kit_find(&kit, isa, failure);
    if (status == -ENOENT && visit->greeted && !is_known_isa(isa))
        return fail_with(failure, status,
                         "%.100s is a %s machine, and assay has no kit for that; it can have one "
                         "for: %s (docs/isas.md says what another ISA needs)",
                         visit->host, isa, ASSAY_ISAS);
    if (status == 0)
        status = kit_files_open(&files, &kit, failure);
    if (status == 0)
        status = decide(visit, &files, &word, failure);
    if (status == 0 && strcmp(word, "use") == 0) {
        status = use(visit, failure);
        if (status != 0)
            return status < 0 ? status : 0;
        word = "replace";
    }
    return status < 0 ? status : push(visit, &files, word, failure);
}

/* What the other side said last: on its standard error, else on its output, where an account that
 * is closed tells so. */
static void last_words(const struct via_link *link, const char *output, char *words, size_t size)
{
    via_last_words(link, words, size);
    if (!*words) {
        printable_copy(words, size, output, strlen(output));
        words[strcspn(words, "\n")] = '\0';
    }
    size_t length = strlen(words);
    while (length && strchr(" .", words[length - 1])) /* a sentence follows */
        words[--length] = '\0';
}

/* Closes the link and says why there is no probe: the cause, ssh's own words, what to do next. */
static int give_up(struct visit *visit, const struct failure *cause, struct failure *failure)
{
    const bool gone = cause->code == -EPIPE; /* then it ends by itself, and how it does matters */
    if (gone)
        (void)child_await(visit->link, "to the end",
                          &(struct via_patience){.timeout_ms = ENDING_MS});
    AUTO_FREE char *output = text_take(&visit->link->early);
    int ended = via_close(visit->link, gone ? ENDING_MS : 0);
    if (cause->code == -EINTR)
        return fail_with(failure, cause->code, "interrupted while connecting to %.100s",
                         visit->host);
    if (visit->greeted && !gone && cause->code != -ETIMEDOUT)
        return fail_with(failure, cause->code, "%s", cause->text);
    char words[300];
    char how[64];
    AUTO_TEXT struct text account = {0};
    last_words(visit->link, output ? output + strspn(output, "\r\n") : "", words, sizeof(words));
    via_status_text(ended, how, sizeof(how));
    if (visit->greeted || !gone)
        text_printf(&account, "%s", cause->text);
    if (gone)
        text_printf(&account, "%sssh ended with %s", account.length ? "; " : "", how);
    if (*words)
        text_printf(&account, "%s: %s", gone ? " and said" : "; ssh said", words);
    if (visit->greeted)
        return fail_with(failure, cause->code, "no probe could be started on %.100s: %s",
                         visit->host, text_string(&account));
    return fail_with(failure, cause->code, "no connection to %.100s: %s. Next: %s", visit->host,
                     text_string(&account), ssh_advice(words));
}

static int ssh_open(const char *argument, const struct via_patience *patience,
                    struct via_link *link, struct failure *failure)
{
    struct visit visit = {.link = link, .patience = *patience};
    AUTO_WORDS char **words = NULL;
    int count = ssh_words(argument, &words, &visit.host, failure);
    if (count < 0)
        return count;
    int status = start(&visit, words, count, failure);
    if (status == -ENOENT)
        return fail_with(failure, status,
                         "there is no ssh here to reach %.100s with: install OpenSSH's client",
                         visit.host);
    if (status < 0)
        return status;
    struct failure cause = {0};
    status = converse(&visit, &cause);
    return status < 0 ? give_up(&visit, &cause, failure) : 0;
}

const struct via via_ssh = {
    .scheme = "ssh",
    .summary = "ssh:[OPTION...] [USER@]HOST through ssh(1), which gets these words",
    .open = ssh_open,
};
