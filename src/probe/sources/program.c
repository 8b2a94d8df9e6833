/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks for programs as a shell does. */
#include "probe/sources/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "lib/ticks.h"

#define SAID_MAX (1u << 20)
#define SAY_MS   10000

char *program_find(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *start = path ? path : "/usr/bin:/bin"; *start;) {
        size_t length = strcspn(start, ":");
        AUTO_TEXT struct text candidate = {0};
        text_append(&candidate, start, length);
        text_printf(&candidate, "/%s", name);
        if (length && !candidate.failed && access(text_string(&candidate), X_OK) == 0)
            return text_take(&candidate);
        start += length + (start[length] == ':');
    }
    return NULL;
}

int program_machine(const char *path)
{
    Elf64_Ehdr header;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &header, sizeof(header)) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return -1;
    return header.e_machine;
}

/* The transport qemu: says which emulator it took, so that the same runs everything below. */
static const char *given_emulator(void)
{
    const char *given = getenv("ASSAY_EMULATOR");
    return given && *given ? given : NULL;
}

bool program_emulated(void)
{
    return given_emulator() != NULL;
}

char *program_emulator(void)
{
    const char *given = given_emulator();
    return given ? strdup(given) : program_find("qemu-" PROBE_ISA);
}

/* On x86 QEMU's default CPU has no AVX; elsewhere the default has everything. */
size_t program_emulator_words(const char *emulator, const char *words[EMULATOR_WORDS])
{
    size_t count = 0;
    words[count++] = emulator;
    if (strcmp(PROBE_ISA, "x86_64") == 0) {
        words[count++] = "-cpu";
        words[count++] = "max";
    }
    words[count] = NULL;
    return count;
}

size_t program_prefix(const char *words[EMULATOR_WORDS])
{
    const char *given = given_emulator();
    words[0] = NULL;
    return given ? program_emulator_words(given, words) : 0;
}

void program_keep_mounts(void)
{
    if (unshare(CLONE_NEWNS) == 0)
        (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

bool programs_die(char *reason, size_t size)
{
    if (!ticks_forbidden())
        return false;
    snprintf(reason, size,
             "the programs of this machine are linked dynamically and die as they "
             "start: " TICKS_FORBIDDEN);
    return true;
}

/* In the child; never returns. The driver's signals are blocked: not the program's affair. */
static void __attribute__((noreturn)) become(const char *const *words, int output)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    program_keep_mounts();
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0)
        execv(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
}

/* Its output up to a megabyte, for a while. */
static void hear(int fd, struct text *said)
{
    char buffer[4096];
    int64_t deadline = monotonic_ms() + SAY_MS, left;
    struct pollfd end = {.fd = fd, .events = POLLIN};
    while (said->length < SAID_MAX && (left = deadline - monotonic_ms()) > 0) {
        if (poll(&end, 1, (int)left) <= 0)
            continue;
        ssize_t got = read(fd, buffer, sizeof(buffer));
        if (got <= 0)
            return;
        text_append(said, buffer, (size_t)got);
    }
}

bool program_answers(const char *const *words, const char *word)
{
    int ends[2], status;
    AUTO_TEXT struct text said = {0};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        become(words, ends[1]);
    close(ends[1]);
    if (pid > 0)
        hear(ends[0], &said);
    close(ends[0]);
    if (pid > 0)
        kill(pid, SIGKILL); /* whoever has more to say, or nothing and does not end */
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && strstr(text_string(&said), word) != NULL;
}

bool program_says(const char *program, const char *argument, const char *word)
{
    const char *const words[] = {program, argument, NULL};
    return program_answers(words, word);
}

/* perf(1): reads what `perf stat` writes, finds the program, tries it, reads its files. */

/* ----------------------------------------------------------------------------------------------
 * What `perf stat` writes: VALUE;UNIT;EVENT;RUNNING;PERCENT and whatever follows, between comments
 * and empty lines. */

#define HUNDRED_PERCENT UINT64_C(10000) /* in hundredths of one */
#define NS_PER_MSEC     UINT64_C(1000000)

struct field {
    const char *at;
    size_t length;
};

enum { VALUE, UNIT, EVENT, RUNNING, PERCENT, FIELDS };

static bool is(struct field field, const char *word)
{
    return field.length == strlen(word) && memcmp(field.at, word, field.length) == 0;
}

static bool take_digits(struct field *field, uint64_t *number)
{
    const char *start = field->at;
    for (; field->length && *field->at >= '0' && *field->at <= '9'; field->at++, field->length--) {
        unsigned digit = (unsigned)(*field->at - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return field->at > start;
}

/* A decimal number in units of 10^-places; further places are not written by perf. */
static bool read_number(struct field field, unsigned places, uint64_t *number)
{
    *number = 0;
    if (!take_digits(&field, number))
        return false;
    if (field.length && *field.at == '.') {
        field.at++, field.length--;
        if (!field.length || field.length > places)
            return false;
        places -= (unsigned)field.length;
        if (!take_digits(&field, number))
            return false;
    }
    for (; places; places--)
        if (__builtin_mul_overflow(*number, UINT64_C(10), number))
            return false;
    return field.length == 0;
}

/* --- lines --- */

static bool split(const char *line, size_t length, struct field fields[FIELDS])
{
    for (int index = 0; index < FIELDS; index++) {
        const char *end = memchr(line, PERF_STAT_SEPARATOR, length);
        if (!end && index < FIELDS - 1)
            return false;
        size_t taken = end ? (size_t)(end - line) : length;
        fields[index] = (struct field){line, taken};
        line += taken + (end ? 1 : 0);
        length -= taken + (end ? 1 : 0);
    }
    return true;
}

static int refuse(struct failure *failure, int code, const char *what, struct field found)
{
    char words[80];
    printable_copy(words, sizeof(words), found.at, found.length);
    for (char *at = words; *at; at++)
        if (*at == '\n')
            *at = ' ';
    return fail_with(failure, code, "%s: '%s'", what, words);
}

/* The one line of a count among comments and empty ones. */
static int find_line(const char *text, size_t length, struct field *line, struct failure *failure)
{
    *line = (struct field){0};
    while (length) {
        const char *end = memchr(text, '\n', length);
        size_t taken = end ? (size_t)(end - text) : length;
        if (taken && *text != '#') {
            if (line->at)
                return refuse(failure, -EBADMSG,
                              "perf stat wrote more than the one count it was asked for",
                              (struct field){text, taken});
            *line = (struct field){text, taken};
        }
        text += taken + (end ? 1 : 0);
        length -= taken + (end ? 1 : 0);
    }
    return line->at ? 0 : fail_with(failure, -EBADMSG, "perf stat wrote no count");
}

/* --- the count --- */

/* perf writes clocks in milliseconds with two decimals, so that they come in steps of 10 us. */
static int read_value(const struct field fields[FIELDS], uint64_t *value, struct failure *failure)
{
    bool milliseconds = is(fields[UNIT], "msec");
    if (is(fields[VALUE], "<not supported>"))
        return fail_with(failure, -ENOENT,
                         "perf stat says that this event is not supported here: `assay events` "
                         "lists what is");
    if (is(fields[VALUE], "<not counted>"))
        return fail_with(failure, -EBUSY, "perf stat says that this event got no counter");
    if (!milliseconds && fields[UNIT].length && !is(fields[UNIT], "ns"))
        return refuse(failure, -ENOTSUP, "perf stat counts this event in a unit of its own",
                      fields[UNIT]);
    if (!read_number(fields[VALUE], milliseconds ? 6 : 0, value))
        return refuse(failure, -EBADMSG, "perf stat wrote a count that is none", fields[VALUE]);
    return 0;
}

/* Without the right to count the kernel perf counts user mode alone, and says so by the name. */
static int check_event(struct field found, const char *event, struct failure *failure)
{
    size_t length = strlen(event);
    if (is(found, event))
        return 0;
    if (found.length == length + 2 && memcmp(found.at, event, length) == 0 &&
        memcmp(found.at + length, ":u", 2) == 0)
        return fail_with(failure, -EACCES,
                         "perf stat may not count the kernel here and counted %.200s:u instead. "
                         "Name that event, or lower kernel.perf_event_paranoid",
                         event);
    return refuse(failure, -EBADMSG, "perf stat counted something else than it was asked for",
                  found);
}

int perf_stat_read(const char *text, size_t length, const char *event,
                   struct perf_stat_count *count, struct failure *failure)
{
    struct field line, fields[FIELDS];
    *count = (struct perf_stat_count){0};
    int result = find_line(text, length, &line, failure);
    if (result < 0 || !line.at)
        return result;
    if (!split(line.at, line.length, fields))
        return refuse(failure, -EBADMSG, "perf stat wrote a line that cannot be read", line);
    result = check_event(fields[EVENT], event, failure);
    if (result == 0)
        result = read_value(fields, &count->value, failure);
    if (result < 0)
        return result;
    uint64_t percent;
    if (!read_number(fields[RUNNING], 0, &count->running))
        return refuse(failure, -EBADMSG, "perf stat wrote a time that is none", fields[RUNNING]);
    if (!read_number(fields[PERCENT], 2, &percent) || percent > HUNDRED_PERCENT)
        return refuse(failure, -EBADMSG, "perf stat wrote a share that is none", fields[PERCENT]);
    if (!count->running || !percent)
        return fail_with(failure, -EBUSY, "perf stat says that this event got no counter");
    unsigned __int128 enabled = (unsigned __int128)count->running * HUNDRED_PERCENT / percent;
    if (enabled > UINT64_MAX)
        return refuse(failure, -EBADMSG, "perf stat wrote a time that is none", fields[RUNNING]);
    count->enabled = (uint64_t)enabled;
    return 0;
}

/* --- The program and its files --- */

#define OUTPUT_MAX 65536 /* bytes; perf writes about a hundred */

const char perf_separated[] = {'-', 'x', PERF_STAT_SEPARATOR, '\0'};

int perf_usable(char *reason, size_t size)
{
    if (program_emulated()) {
        snprintf(reason, size, "programs are run by an emulator here, which perf would count");
        return -ENOTSUP;
    }
    AUTO_FREE char *program = program_find("perf");
    if (!program) {
        snprintf(reason, size,
                 "perf is not installed: it is in the package linux-perf (Debian), perf (Fedora, "
                 "Arch) or linux-tools (Ubuntu)");
        return -ENOENT;
    }
    if (program_says(program, "--version", "perf version"))
        return 0;
    if (programs_die(reason, size))
        return -EPERM;
    snprintf(reason, size,
             "%s does not tell its version: is it for another kernel? Install the perf of this one",
             program);
    return -ENOEXEC;
}

int perf_takes_event(const char *event, struct failure *failure)
{
    if (strchr(event, PERF_STAT_SEPARATOR) || event[0] == '-')
        return fail_with(failure, -EINVAL, "perf cannot be given the event %s by its name", event);
    return 0;
}

char *perf_read_file(const char *path, size_t *length)
{
    struct stat facts;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &facts) < 0)
        return NULL;
    if (!S_ISREG(facts.st_mode) || facts.st_size > OUTPUT_MAX) {
        errno = EBADMSG;
        return NULL;
    }
    char *bytes = malloc((size_t)facts.st_size + 1);
    ssize_t got = bytes ? read(fd, bytes, (size_t)facts.st_size) : -1;
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    *length = (size_t)got;
    return bytes;
}

void perf_read_words(const char *path, char words[PERF_WORDS])
{
    size_t length = 0;
    AUTO_FREE char *bytes = perf_read_file(path, &length);
    words[0] = '\0';
    if (!bytes)
        return;
    size_t count = printable_copy(words, PERF_WORDS, bytes, length), kept = 0;
    for (size_t index = 0; index < count; index++) {
        bool blank = words[index] == '\n' || words[index] == ' ';
        if (!blank || (kept && words[kept - 1] != ' '))
            words[kept++] = blank ? ' ' : words[index];
    }
    words[kept && words[kept - 1] == ' ' ? kept - 1 : kept] = '\0';
}
