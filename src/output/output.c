/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where results go: standard output or a file, whole or not at all; progress on standard error;
 * words for a shell. */
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "output/output.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * Progress with the time that is left, on standard error, only where somebody watches. Whether the
 * cursor is hidden is the one thing a signal handler must know, and what a command is a part of
 * none that it runs in knows, hence the file-level state. */

#define REDRAW_MS 100

static const char clear_line[] = "\r\033[K";
static const char hide_cursor[] = "\033[?25l";
static const char clear_line_show_cursor[] = "\r\033[K\033[?25h";

static volatile sig_atomic_t cursor_hidden;
static struct {
    const char *words; /* NULL: there is no such thing */
    uint64_t ends_ms;
} outer;

void progress_outer(const char *words, uint64_t ends_ms)
{
    outer.words = words;
    outer.ends_ms = words ? ends_ms : 0;
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static void emit(const char *bytes, size_t length)
{
    ssize_t written = write(STDERR_FILENO, bytes, length);
    (void)written; /* a terminal that went away is no reason to stop measuring */
}

static void time_left(const struct progress *progress, uint64_t now_ms, char *text, size_t size)
{
    uint64_t ends_ms = outer.ends_ms ? outer.ends_ms : progress->ends_ms;
    uint64_t left = ends_ms > now_ms ? (ends_ms - now_ms) / 1000 : 0;
    const char *of = ends_ms ? " in all" : "";
    text[0] = '\0';
    if (!ends_ms && (!progress->done || progress->done >= progress->total))
        return;
    if (!ends_ms)
        left = (uint64_t)((double)(now_ms - progress->started_ms) / (double)progress->done *
                          (double)(progress->total - progress->done) / 1000.0);
    if (left < 120)
        snprintf(text, size, ", %" PRIu64 " s left%s", left, of);
    else if (left < 7200)
        snprintf(text, size, ", %" PRIu64 " min left%s", left / 60, of);
    else
        snprintf(text, size, ", %" PRIu64 " h left%s", left / 3600, of);
}

/* ", 1,200 samples, 52,000/s"; empty as long as there are none */
static void samples_so_far(const struct progress *progress, uint64_t elapsed_ms, char *text,
                           size_t size)
{
    char count[NUMBER_SIZE], rate[NUMBER_SIZE];
    text[0] = '\0';
    /* Where a line has to say more, what is left matters more than how many there are. */
    if (!progress->samples || outer.words)
        return;
    number_count(progress->samples, count, sizeof(count));
    if (elapsed_ms < 500) {
        snprintf(text, size, ", %s samples", count);
        return;
    }
    number_count(progress->samples * 1000 / elapsed_ms, rate, sizeof(rate));
    snprintf(text, size, ", %s samples, %s/s", count, rate);
}

int progress_line(const struct progress *progress, uint64_t now_ms, char *line, unsigned size)
{
    uint64_t elapsed = now_ms - progress->started_ms;
    char left[48], samples[2 * NUMBER_SIZE + 16];
    time_left(progress, now_ms, left, sizeof(left));
    samples_so_far(progress, elapsed, samples, sizeof(samples));
    return snprintf(line, size, "%s%s%s%s%" PRIu64 " of %" PRIu64 " %s%s%s",
                    outer.words ? outer.words : "", outer.words ? ": " : "",
                    progress->part ? progress->part : "", progress->part ? ": " : "",
                    progress->done, progress->total, progress->what, samples, left);
}

static void draw(struct progress *progress)
{
    uint64_t time = now();
    if (!progress->shown || time - progress->drawn_ms < REDRAW_MS)
        return;
    progress->drawn_ms = time;
    char line[160], bytes[192];
    progress_line(progress, time, line, sizeof(line));
    int length = snprintf(bytes, sizeof(bytes), "\r%.79s\033[K", line);
    emit(bytes, (size_t)length);
}

void progress_begin(struct progress *progress, const char *what, uint64_t total, bool quiet)
{
    progress_begin_part(progress, what, total, quiet, NULL, 0);
}

void progress_begin_part(struct progress *progress, const char *what, uint64_t total, bool quiet,
                         const char *part, uint64_t left_ms)
{
    const char *terminal = getenv("TERM");
    *progress = (struct progress){.what = what, .part = part, .total = total, .started_ms = now()};
    progress->ends_ms = left_ms ? progress->started_ms + left_ms : 0;
    progress->shown = !quiet && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0;
    if (!progress->shown)
        return;
    cursor_hidden = 1;
    emit(hide_cursor, sizeof(hide_cursor) - 1);
    draw(progress);
}

void progress_step(struct progress *progress)
{
    progress->done++;
    draw(progress);
}

void progress_samples(struct progress *progress, uint64_t count)
{
    progress->samples += count;
    draw(progress);
}

void progress_restore_terminal(void)
{
    if (!cursor_hidden)
        return;
    cursor_hidden = 0;
    emit(clear_line_show_cursor, sizeof(clear_line_show_cursor) - 1);
}

void progress_interject(const char *words)
{
    if (cursor_hidden)
        emit(clear_line, sizeof(clear_line) - 1);
    emit(words, strlen(words));
}

void progress_end(struct progress *progress)
{
    if (progress->shown)
        progress_restore_terminal();
    progress->shown = false;
}

/* ----------------------------------------------------------------------------------------------
 * Quotes words for the shell. */

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_-./:=+,@%";

void text_put_shell(struct text *text, const char *word)
{
    if (*word && !word[strspn(word, plain)]) {
        text_puts(text, word);
        return;
    }
    text_putc(text, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_puts(text, "'\\''");
        else
            text_putc(text, *word);
    }
    text_putc(text, '\'');
}

/* ----------------------------------------------------------------------------------------------
 * Atomic output: a temporary file beside the target, renamed when it is complete. */

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static const char *reason(int error)
{
    switch (error) {
    case EISDIR:
        return "it is a folder; name a file in it";
    case ENOENT:
        return "its folder is not there";
    default:
        return strerror(error);
    }
}

static int cannot_write(const char *path, int error, struct failure *failure)
{
    return fail_with(failure, -error, "cannot write %.500s: %s", path, reason(error));
}

/* A device or pipe is written in place; there is nothing to rename. */
static bool in_place(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Samples cannot be had again: whoever names a store for a result has mistaken one for the other.
 */
static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof(magic)] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const size_t got = fread(begin, 1, sizeof(begin), file);
    fclose(file);
    return got == sizeof(begin) && memcmp(begin, magic, sizeof(magic)) == 0;
}

int output_check(const char *path, struct failure *failure)
{
    if (is_stdout(path) || in_place(path))
        return 0;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return cannot_write(path, EISDIR, failure);
    if (is_database(path))
        return fail_with(failure, -EEXIST,
                         "cannot write %.500s: there is a database, which a result does not "
                         "replace; name another file",
                         path);
    AUTO_MEMORY char *copy = memory_copy(path);
    if (access(dirname(copy), W_OK | X_OK) < 0)
        return cannot_write(path, errno, failure);
    return 0;
}

/* mkstemp makes files for the owner alone; a result gets the mode any new file would. */
static void usual_mode(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) < 0)
        return; /* some file systems have no modes */
}

static int open_beside(struct output *output, struct failure *failure)
{
    /* Through a symbolic link the file it points at is replaced, not the link. */
    char *real = realpath(output->path, NULL);
    if (real)
        output->path = memory_copy(real);
    free(real);
    output->temporary = memory_format("%s.XXXXXX", output->path);
    int fd = mkstemp(output->temporary);
    if (fd < 0) {
        int error = errno;
        output->temporary = NULL;
        return cannot_write(output->path, error, failure);
    }
    usual_mode(fd);
    output->stream = fdopen(fd, "w");
    if (!output->stream) {
        close(fd);
        return cannot_write(output->path, ENOMEM, failure);
    }
    return 0;
}

int output_open(struct output *output, const char *path, struct failure *failure)
{
    *output = (struct output){0};
    if (is_stdout(path)) {
        output->stream = stdout;
        return 0;
    }
    int error = output_check(path, failure);
    if (error < 0)
        return error;
    output->path = memory_copy(path);
    if (!in_place(path)) {
        error = open_beside(output, failure);
        if (error < 0)
            output_discard(output);
        return error;
    }
    output->stream = fopen(path, "we");
    if (!output->stream) {
        error = cannot_write(path, errno, failure);
        output_discard(output);
        return error;
    }
    return 0;
}

int output_commit(struct output *output, struct failure *failure)
{
    if (!ferror(output->stream)) /* else it is that of the write that failed */
        errno = 0;
    bool failed = fflush(output->stream) != 0 || ferror(output->stream);
    int error = failed ? (errno ? errno : EIO) : 0;
    if (!output->path)
        return error ? cannot_write("standard output", error, failure) : 0;
    if (fclose(output->stream) != 0 && !error)
        error = errno;
    output->stream = NULL;
    if (!error && output->temporary) {
        if (rename(output->temporary, output->path) < 0)
            error = errno;
        else
            output->temporary = NULL;
    }
    int result = error ? cannot_write(output->path, error, failure) : 0;
    output_discard(output);
    return result;
}

void output_discard(struct output *output)
{
    if (output->stream && output->path)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    *output = (struct output){0};
}
