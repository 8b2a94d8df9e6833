/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution of the harness under one of Valgrind's tools: its words, its log through a pipe,
 * the file it leaves. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/printable.h"
#include "probe/sources/trial.h"
#include "probe/sources/valgrind.h"

#define TAIL_BYTES 16384u      /* of the log: what a tool says at the end is shorter */
#define OUTPUT_MAX (64u << 20) /* bytes of a file */
#define LEAST_FD   20          /* for the log, out of the way of what harnesses use */
#define CACHEGRIND                                                                                 \
    {                                                                                              \
        {"--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes"}, "--cachegrind-out-file",     \
            cachegrind_read                                                                        \
    }
#define WORDS_MOST 16

/* How each tool is started and read. */
static const struct {
    const char *words[4];
    const char *file; /* the option that names the file it writes; NULL: it writes none */
    int (*read)(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
                struct failure *failure);
} tools[TOOL_COUNT] = {
    [TOOL_BBV] = {{"--tool=exp-bbv", "--instr-count-only=yes"}, "--bb-out-file", bbv_read},
    [TOOL_LACKEY] = {{"--tool=lackey", "--detailed-counts=yes"}, NULL, lackey_read},
    [TOOL_CACHE] = CACHEGRIND,
    [TOOL_CACHE_L2] = CACHEGRIND,
    [TOOL_TLB] = CACHEGRIND,
    [TOOL_TRACE] = {{"--tool=lackey", "--trace-mem=yes", "--basic-counts=no"}, NULL, NULL},
};

/* One instruction a block. Across instructions Valgrind follows jumps, unrolls loops, folds
 * conditions it can foresee and leaves out loads whose result nobody uses; within one it does not.
 */
static const char unoptimised[] = "--vex-guest-max-insns=1";

struct log {
    int ours, theirs;
    char tail[TAIL_BYTES];
    size_t length;
    struct trace trace;
};

static int log_open(const struct source_visit *visit, struct log *log)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return source_fail(visit, -errno, "cannot make a pipe: %s", strerror(errno));
    log->ours = ends[0];
    log->theirs = fcntl(ends[1], F_DUPFD, LEAST_FD); /* stays open in the harness' tool */
    close(ends[1]);
    if (log->theirs >= 0)
        return 0;
    close(log->ours);
    return source_fail(visit, -errno, "cannot make a pipe: %s", strerror(errno));
}

/* Until the tool has closed its end; keeps the tail. */
static void log_hear(struct log *log, bool traced)
{
    char buffer[65536];
    ssize_t got;
    close(log->theirs);
    while ((got = read(log->ours, buffer, sizeof(buffer))) > 0 || (got < 0 && errno == EINTR)) {
        size_t count = got > 0 ? (size_t)got : 0;
        if (traced)
            trace_feed(&log->trace, buffer, count);
        size_t taken = count < TAIL_BYTES ? count : TAIL_BYTES;
        size_t kept = log->length + taken <= TAIL_BYTES ? log->length : TAIL_BYTES - taken;
        memmove(log->tail, log->tail + log->length - kept, kept);
        memcpy(log->tail + kept, buffer + count - taken, taken);
        log->length = kept + taken;
    }
    close(log->ours);
}

/* Why the harness did not do its job may stand in the log. */
static int explain(const struct valgrind_run *run, const struct log *log, int result)
{
    static const char unhandled[] = "unhandled instruction";
    const char *found = memmem(log->tail, log->length, unhandled, strlen(unhandled));
    if (!found)
        return result;
    return source_fail(run->visit, -ENOTSUP,
                       "Valgrind does not know an instruction of this code: another source may, or "
                       "a newer Valgrind");
}

static int read_file(const struct valgrind_run *run, const char *path,
                     uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct stat facts;
    struct failure failure = {0};
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || fstat(fd, &facts) < 0)
        return source_fail(run->visit, -errno, "Valgrind's %s left no counts: %s",
                           tools[run->tool].words[0] + strlen("--tool="), strerror(errno));
    if (!S_ISREG(facts.st_mode) || facts.st_size > OUTPUT_MAX)
        return source_fail(run->visit, -EBADMSG, "what Valgrind left are no counts");
    size_t length = (size_t)facts.st_size;
    AUTO_FREE char *text = malloc(length + 1);
    if (!text)
        return source_fail(run->visit, -ENOMEM, "out of memory");
    if (read(fd, text, length) != (ssize_t)length)
        return source_fail(run->visit, -EIO, "Valgrind's counts cannot be read");
    unlink(path);
    int result = tools[run->tool].read(text, length, counts, &failure);
    return result < 0 ? source_fail(run->visit, result, "%s", failure.text) : 0;
}

static int read_counts(const struct valgrind_run *run, const struct log *log, const char *path,
                       uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct failure failure = {0};
    if (tools[run->tool].file)
        return read_file(run, path, counts);
    int result = run->tool == TOOL_TRACE
                     ? trace_end(&log->trace, &failure)
                     : tools[run->tool].read(log->tail, log->length, counts, &failure);
    if (result < 0)
        return source_fail(run->visit, result, "%s", failure.text);
    if (run->tool == TOOL_TRACE)
        memcpy(counts, log->trace.counts, sizeof(log->trace.counts));
    return 0;
}

/* The job of the visit, but with this specimen, this often, in one run. */
static int make_job(const struct valgrind_run *run, struct trial *trial)
{
    int result = trial_make(trial, run->visit);
    if (result < 0)
        return result;
    struct job *job = trial->workspace.job;
    snprintf(job->specimen, sizeof(job->specimen), "%s", run->specimen);
    job->n = run->n;
    job->repeat = run->repeat;
    job->runs = 1;
    return 0;
}

/* Valgrind expands % in the names of files. */
static void put_name(struct text *text, const char *path)
{
    for (; *path; path++)
        text_printf(text, *path == '%' ? "%%%%" : "%c", *path);
}

static int start(const struct valgrind_run *run, struct trial *trial, const struct log *log,
                 const char *path)
{
    const char *words[WORDS_MOST];
    size_t count = 0;
    char log_word[32];
    AUTO_TEXT struct text file = {0};
    snprintf(log_word, sizeof(log_word), "--log-fd=%d", log->theirs);
    words[count++] = run->program;
    for (size_t index = 0; tools[run->tool].words[index]; index++)
        words[count++] = tools[run->tool].words[index];
    words[count++] = unoptimised;
    words[count++] = log_word;
    words[count++] = "--child-silent-after-fork=yes";
    if (tools[run->tool].file) {
        text_printf(&file, "%s=", tools[run->tool].file);
        put_name(&file, path);
        words[count++] = text_string(&file);
    }
    for (size_t index = 0; run->geometry[0][0] && index < GEOMETRY_WORDS; index++)
        words[count++] = run->geometry[index];
    words[count] = NULL;
    return trial_start(trial, words, false);
}

int valgrind_execute(const struct valgrind_run *run, uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct trial trial = {.settled = true};
    AUTO_TEXT struct text path = {0};
    AUTO_FREE struct log *log = calloc(1, sizeof(*log));
    text_printf(&path, "%s/valgrind-counts", run->visit->job->folder);
    if (!log || path.failed)
        return source_fail(run->visit, -ENOMEM, "out of memory");
    log->trace.image = run->image;
    int result = make_job(run, &trial);
    if (result == 0)
        result = log_open(run->visit, log);
    if (result == 0) {
        int started = start(run, &trial, log, text_string(&path));
        log_hear(log, run->tool == TOOL_TRACE);
        result = started < 0 ? started : trial_await(&trial);
        if (started == 0 && result < 0)
            result = explain(run, log, result);
    }
    if (result == 0)
        result = read_counts(run, log, text_string(&path), counts);
    trial_free(&trial);
    return result;
}
