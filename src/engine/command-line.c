/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prepares the command behind `--` for the machine under test. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/words.h"
#include "engine/command-line.h"
#include "engine/loading.h"
#include "wire/command.h"

/* ----------------------------------------------------------------------------------------------
 * What became of a command, from the store and as JSON. */

static int take(void *context, const struct stored_cell *stored)
{
    struct command_outcome *outcome = context;
    if (stored->cell.id != outcome->cell)
        return 0;
    outcome->done = stored->done > stored->failed;
    outcome->error = stored->error;
    outcome->remark = memory_copy(stored->remark);
    outcome->reason = memory_copy(stored->reason ? stored->reason : strerror(stored->error));
    return 0;
}

int command_outcome_find(struct store *store, struct command_outcome *outcome,
                         struct failure *failure)
{
    return store_each_cell(store, take, outcome, failure);
}

static struct value get_exit_status(const void *item, const void *context)
{
    (void)context;
    const uint64_t status = *(const uint64_t *)item;
    return status >= STATUS_TIMEOUT  ? value_absent("its time was over")
           : status >= STATUS_SIGNAL ? value_absent("a signal ended it")
                                     : value_count(status);
}

static struct value get_signal(const void *item, const void *context)
{
    (void)context;
    const uint64_t status = *(const uint64_t *)item;
    return status >= STATUS_TIMEOUT  ? value_count(status - STATUS_TIMEOUT)
           : status >= STATUS_SIGNAL ? value_count(status - STATUS_SIGNAL)
                                     : value_absent(NULL);
}

static struct value get_timed_out(const void *item, const void *context)
{
    (void)context;
    return value_flag(*(const uint64_t *)item >= STATUS_TIMEOUT);
}

static const struct field ending_fields[] = {
    {"exit_status", GET(FIELD_COUNT, get_exit_status), "of the command",
     .absent = "a signal ended it, or its time was over"},
    {"signal", GET(FIELD_COUNT, get_signal), "that ended it", .absent = "it exited by itself"},
    {"timed_out", GET(FIELD_FLAG, get_timed_out), "its time was over"},
};
const struct fields command_ending_table =
    FIELDS("command.ending", "how a command ended", ending_fields);

/* ----------------------------------------------------------------------------------------------
 * From how a command ended to what assay ends with. */

int command_exit(uint64_t status)
{
    if (status >= STATUS_TIMEOUT)
        return EXIT_TIMED_OUT;
    if (status >= STATUS_SIGNAL)
        return EXIT_BY_SIGNAL + (int)(status - STATUS_SIGNAL);
    return (int)status;
}

int command_exit_of_error(int error)
{
    switch (error < 0 ? -error : error) {
    case ENOENT:
        return EXIT_NOT_FOUND;
    case EACCES:
    case ENOEXEC:
    case EISDIR:
        return EXIT_NOT_RUN;
    default:
        return EXIT_OURS;
    }
}

static void name_signal(uint64_t number, char *name, size_t size)
{
    const char *known = sigabbrev_np((int)number);
    if (known)
        snprintf(name, size, "SIG%s", known);
    else
        snprintf(name, size, "signal %d", (int)number);
}

void command_ending(uint64_t status, uint64_t timeout_ms, char *words, size_t size)
{
    char name[32];
    if (status >= STATUS_TIMEOUT) {
        name_signal(status - STATUS_TIMEOUT, name, sizeof(name));
        snprintf(words, size, "did not end within %g s, and was killed by %s",
                 (double)timeout_ms / 1e3, name);
    } else if (status >= STATUS_SIGNAL) {
        name_signal(status - STATUS_SIGNAL, name, sizeof(name));
        snprintf(words, size, "was killed by %s", name);
    } else {
        snprintf(words, size, "ended with status %d", (int)status);
    }
}

/* --- preparing it --- */

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- options --- */

char *command_line_keep(const struct string_list *variables)
{
    struct text names = {0};
    for (size_t i = 0; i < variables->count; i++)
        text_printf(&names, "%s%s", i ? "," : "", variables->items[i]);
    return variables->count ? memory_text(&names) : NULL;
}

int command_line_cpu(const struct facts *facts, const struct optional *asked, int32_t *cpu,
                     struct failure *failure)
{
    size_t count;
    const int32_t *cpus = core_allowed(facts, &count);
    *cpu = core_last(facts);
    if (!asked->given)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (asked->value == (uint64_t)cpus[i]) {
            *cpu = cpus[i];
            return 0;
        }
    return fail_with(failure, -EINVAL, "--cpu %llu: that is no CPU that may be used there",
                     (unsigned long long)asked->value);
}

/* --- words --- */

int command_line_join(const char *const *words, size_t count, char **line, struct failure *failure)
{
    *line = NULL;
    if (!count || !*words[0])
        return fail_with(failure, -EINVAL, "the command is an empty word");
    AUTO_FREE char *joined = words_join(words, count);
    if (!joined)
        memory_end();
    *line = memory_copy(joined);
    const size_t length = strlen(*line);
    if (length > COMMAND_MOST_BYTES)
        return fail_with(failure, -E2BIG,
                         "the command has %zu bytes, and at most %u can be sent to a probe: put "
                         "what it needs into a file",
                         length, COMMAND_MOST_BYTES);
    return 0;
}

char *command_line_name(const char *program)
{
    const char *part = last_part(program);
    char *name = memory_format("%.*s", COMMAND_NAME - 1, *part ? part : "command");
    for (char *at = name; *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    return name;
}

/* --- files --- */

static int read_whole(int fd, char *bytes, size_t length)
{
    for (size_t at = 0; at < length;) {
        const ssize_t got = read(fd, bytes + at, length - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        at += (size_t)got;
    }
    return 0;
}

static int bring(struct session *session, const char *path, struct failure *failure)
{
    struct stat about;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &about) < 0)
        return fail_with(failure, -errno, "%.300s cannot be brought: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return fail_with(failure, -EINVAL, "%.300s cannot be brought: it is no ordinary file",
                         path);
    if ((uint64_t)about.st_size > BROUGHT_MOST_BYTES)
        return fail_with(failure, -EFBIG, "%.300s has %llu bytes; at most %u can be brought", path,
                         (unsigned long long)about.st_size, BROUGHT_MOST_BYTES);
    const size_t length = (size_t)about.st_size;
    AUTO_MEMORY char *bytes = memory_new(length + 1, 1);
    const int error = read_whole(fd, bytes, length);
    if (error < 0)
        return fail_with(failure, error, "%.300s cannot be brought: %s", path, strerror(-error));
    return session_bring(session, last_part(path), bytes, length, about.st_mode & S_IXUSR, failure);
}

int command_line_bring(struct session *session, const struct string_list *files,
                       struct failure *failure)
{
    int error = 0;
    for (size_t i = 0; i < files->count && error == 0; i++) {
        for (size_t j = 0; j < i && error == 0; j++)
            if (strcmp(last_part(files->items[i]), last_part(files->items[j])) == 0)
                error = fail_with(failure, -EINVAL,
                                  "--bring: %.200s and %.200s have the same name, and come into "
                                  "one folder",
                                  files->items[j], files->items[i]);
        if (error == 0)
            error = bring(session, files->items[i], failure);
    }
    return error;
}

/* --- places --- */

static bool is_here(const char *via)
{
    return strcmp(via, "local") == 0;
}

static bool has_place(const char *path)
{
    return strstr(path, PLACE_BROUGHT) || strstr(path, PLACE_KIT);
}

int command_line_input(struct session *session, const char *via, const char *path, char **found,
                       struct failure *failure)
{
    *found = NULL;
    if (!path)
        return 0;
    AUTO_FREE char *whole = has_place(path) ? NULL : realpath(path, NULL);
    if (is_here(via) && !whole && !has_place(path))
        return fail_with(failure, -errno, "--input %.300s: %s", path, strerror(errno));
    if (is_here(via) || !whole) {
        *found = memory_copy(whole ? whole : path);
        return 0;
    }
    *found = memory_format(PLACE_BROUGHT "/%s", last_part(whole));
    return bring(session, whole, failure);
}

int command_line_directory(const char *via, const char *path, char **found, struct failure *failure)
{
    *found = NULL;
    if (!path)
        return 0;
    const bool looked_at = is_here(via) && !has_place(path);
    AUTO_FREE char *whole = looked_at ? realpath(path, NULL) : NULL;
    if (looked_at && !whole)
        return fail_with(failure, -errno, "--directory %.300s: %s", path, strerror(errno));
    *found = memory_copy(whole ? whole : path);
    return 0;
}

enum command_lent command_line_lent(const char *via, bool aside)
{
    return !is_here(via) ? LENT_NONE : aside ? LENT_ERROR : LENT_BOTH;
}
