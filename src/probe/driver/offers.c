/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the harnesses what they hold. Their answer is a few lines (harness/main.c); what they or the
 * loader say instead of an answer is the reason of the absence. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "lib/ticks.h"
#include "probe/driver/catalogue.h"

#define DESCRIBE_MS  10000
#define DESCRIBE_MAX (1u << 20) /* bytes of an answer */

static char *copy(const char *string)
{
    return strdup(string ? string : "");
}

int offers_add_absence(struct offers *offers, const char *kind, const char *name, int error,
                       const char *reason)
{
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, kind) == 0 &&
            strcmp(offers->absences[index].name, name) == 0)
            return 0; /* said once is enough */
    struct absence *grown =
        realloc(offers->absences, (offers->absence_count + 1) * sizeof(*offers->absences));
    if (!grown)
        return -ENOMEM;
    offers->absences = grown;
    grown[offers->absence_count++] = (struct absence){copy(kind), copy(name), copy(reason), error};
    return 0;
}

int offers_add(struct offers *offers, const char *path, const char *opt, const char *patterns,
               const char *sources, const char *note, size_t harness)
{
    struct offer *grown = realloc(offers->list, (offers->count + 1) * sizeof(*offers->list));
    if (!grown)
        return -ENOMEM;
    offers->list = grown;
    grown[offers->count++] = (struct offer){.path = copy(path),
                                            .opt = copy(opt),
                                            .patterns = copy(patterns),
                                            .sources = copy(sources),
                                            .note = copy(note),
                                            .harness = harness};
    return 0;
}

static int add_offer(struct offers *offers, char *rest, size_t harness)
{
    const char *path = strsep(&rest, " ");
    const char *opt = strsep(&rest, " ");
    const char *patterns = strsep(&rest, " ");
    const char *folder = strsep(&rest, " ");
    const char *sources = strsep(&rest, " ");
    if (!path || !opt || !patterns || !folder || !sources)
        return -EBADMSG;
    int result = offers_add(offers, path, opt, patterns, sources, rest, harness);
    if (result == 0)
        offers->list[offers->count - 1].needs_folder = strcmp(folder, "folder") == 0;
    return result;
}

static int add_preset(struct offers *offers, char *rest)
{
    const char *name = strsep(&rest, " ");
    const char *error = strsep(&rest, " ");
    return error && rest ? presets_add(&offers->presets, name, atoi(error), rest) : -EBADMSG;
}

/* Words of lines about what cannot be had, and what that is. */
static const struct {
    const char *word, *kind;
} missing[] = {{"absent", "path"}, {"lacking", "operation"}, {"unreadable", "clock"}};

static int add_missing(struct offers *offers, const char *word, char *rest)
{
    const char *name = strsep(&rest, " ");
    const char *error = strsep(&rest, " ");
    for (size_t index = 0; error && index < sizeof(missing) / sizeof(*missing); index++)
        if (strcmp(word, missing[index].word) == 0)
            return offers_add_absence(offers, missing[index].kind, name, atoi(error), rest);
    return -EBADMSG;
}

static int take_line(struct offers *offers, char *line, size_t harness)
{
    char *rest = line;
    const char *word = strsep(&rest, " ");
    if (strcmp(word, "path") == 0)
        return add_offer(offers, rest, harness);
    if (strcmp(word, "preset") == 0)
        return add_preset(offers, rest);
    if (strcmp(word, "operation") == 0)
        return operations_add(offers, rest, harness);
    if (strcmp(word, "clock") == 0)
        return clocks_add(offers, rest);
    return add_missing(offers, word, rest);
}

static void drain(int fd, struct text *text)
{
    char buffer[4096];
    ssize_t got;
    while ((got = read(fd, buffer, sizeof(buffer))) > 0)
        if (text->length < DESCRIBE_MAX)
            text_append(text, buffer, (size_t)got);
}

/* Waits for the child while reading what it says. Returns its wait status, or -ETIMEDOUT. */
static int hear(pid_t pid, const struct outlets *outlets, struct text said[OUTLET_COUNT])
{
    int64_t deadline = monotonic_ms() + DESCRIBE_MS;
    int status = 0;
    for (bool ended = false; !ended;) {
        struct pollfd ends[OUTLET_COUNT] = {{.fd = outlets->ours[0], .events = POLLIN},
                                            {.fd = outlets->ours[1], .events = POLLIN}};
        ended = child_ended(pid, &status);
        for (int index = 0; index < OUTLET_COUNT; index++)
            drain(outlets->ours[index], &said[index]);
        if (ended)
            return status;
        if (monotonic_ms() > deadline)
            break;
        poll(ends, OUTLET_COUNT, 1);
    }
    child_kill(pid, &status);
    return -ETIMEDOUT;
}

static int refuse(struct offers *offers, const char *file, int status, const struct text *words)
{
    AUTO_TEXT struct text reason = {0};
    if (status == -ETIMEDOUT)
        text_printf(&reason, "it did not describe itself within %d s", DESCRIBE_MS / 1000);
    else if (status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && ticks_forbidden())
        text_puts(&reason, "it was killed: programs that are linked dynamically time their own "
                           "start, and " TICKS_FORBIDDEN);
    else if (status >= 0 && WIFSIGNALED(status))
        text_printf(&reason, "it was killed by signal %d", WTERMSIG(status));
    else
        text_puts(&reason, "it cannot run here");
    if (words->length) {
        text_puts(&reason, ": ");
        text_append(&reason, words->bytes, strcspn(words->bytes, "\n"));
    }
    return offers_add_absence(offers, "harness", file, status == -ETIMEDOUT ? ETIMEDOUT : ENOEXEC,
                              text_string(&reason));
}

static int ask(struct offers *offers, const struct probe_kit *kit, size_t harness,
               const struct outlets *outlets)
{
    struct failure failure = {0};
    struct text said[OUTLET_COUNT] = {{0}};
    const char *file = kit->harnesses[harness].file;
    pid_t pid = child_start(kit->folder, file, "--describe", -1, outlets, &failure);
    if (pid < 0)
        return offers_add_absence(offers, "harness", file, -(int)pid, failure.text);
    int status = hear(pid, outlets, said);
    int result = 0;
    if (status != 0)
        result = refuse(offers, file, status, &said[OUTLET_ERROR]);
    else if (said[OUTLET_OUTPUT].length) {
        char *rest = said[OUTLET_OUTPUT].bytes, *line;
        while (result == 0 && (line = strsep(&rest, "\n")))
            if (*line)
                result = take_line(offers, line, harness);
    }
    text_free(&said[OUTLET_OUTPUT]);
    text_free(&said[OUTLET_ERROR]);
    return result == -EBADMSG
               ? offers_add_absence(offers, "harness", file, EBADMSG, "it does not describe itself")
               : result;
}

int offers_collect(struct offers *offers, const struct probe_kit *kit,
                   const struct outlets *outlets, struct failure *failure)
{
    int result = 0;
    for (size_t index = 0; index < kit->absence_count && result == 0; index++)
        result = offers_add_absence(offers, kit->absences[index].kind, kit->absences[index].name, 0,
                                    kit->absences[index].reason);
    for (size_t harness = 0; harness < kit->harness_count && result == 0; harness++)
        result = ask(offers, kit, harness, outlets);
    for (size_t index = 0; index < offers->absence_count; index++)
        if (strcmp(offers->absences[index].kind, "operation") != 0 &&
            strncmp(offers->absences[index].name, "papi", 4) == 0)
            offers->presets.absence = offers->absences[index].reason;
    return result < 0 ? fail_with(failure, result, "out of memory") : 0;
}

void offers_free(struct offers *offers)
{
    for (size_t index = 0; index < offers->count; index++) {
        free(offers->list[index].path);
        free(offers->list[index].opt);
        free(offers->list[index].patterns);
        free(offers->list[index].sources);
        free(offers->list[index].note);
    }
    for (size_t index = 0; index < offers->absence_count; index++) {
        free(offers->absences[index].kind);
        free(offers->absences[index].name);
        free(offers->absences[index].reason);
    }
    operations_free(offers);
    clocks_free(offers);
    presets_free(&offers->presets);
    free(offers->list);
    free(offers->absences);
    *offers = (struct offers){0};
}

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return false;
}

bool offer_goes_with(const struct offer *offer, const char *source)
{
    return has_word(offer->sources, source);
}

/* How much of the cell an offer meets, in the order a person would check. */
static int closeness(const struct offer *offer, const struct probe_kit *kit,
                     const struct cell *cell)
{
    if (strcmp(offer->path, cell->path) != 0)
        return 0;
    if (strcmp(kit->harnesses[offer->harness].link, cell->link) != 0)
        return 1;
    if (strcmp(offer->opt, cell->opt) != 0)
        return 2;
    return has_word(offer->patterns, pattern_names[cell->pattern]) ? 4 : 3;
}

static void explain(const struct offers *offers, const struct cell *cell, int best,
                    struct failure *failure)
{
    if (best == 1)
        fail_with(failure, -ENOENT, "path %s is not offered here with link mode %s", cell->path,
                  cell->link);
    else if (best == 2)
        fail_with(failure, -ENOENT, "path %s has no windows compiled at -%s", cell->path,
                  cell->opt);
    else if (best == 3)
        fail_with(failure, -ENOTSUP, "path %s does not support pattern %s", cell->path,
                  pattern_names[cell->pattern]);
    else {
        fail_with(failure, -ENOENT, "this kit has no path %s", cell->path);
        for (size_t index = 0; index < offers->absence_count; index++)
            if (strcmp(offers->absences[index].name, cell->path) == 0)
                fail_with(failure, -ENOENT, "path %s: %s", cell->path,
                          offers->absences[index].reason);
    }
}

const struct offer *offer_for(const struct offers *offers, const struct probe_kit *kit,
                              const struct cell *cell, struct failure *failure)
{
    int best = 0;
    for (size_t index = 0; index < offers->count; index++) {
        int close = closeness(&offers->list[index], kit, cell);
        if (close == 4)
            return &offers->list[index];
        if (close > best)
            best = close;
    }
    explain(offers, cell, best, failure);
    return NULL;
}
