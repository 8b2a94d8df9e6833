/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tool perf-stat: perf(1) counts one event over a whole harness that executes the specimen once, as
 * users count commands. Every run is a process of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/sources/program.h"
#include "probe/sources/source.h"

/* One execution of perf. */
struct perf_run {
    const struct source_visit *visit;
    const char *program;
    struct text output, errors; /* names of the files it writes */
};

/* --- can it be done here? --- */

static int perf_stat_usable(const char *kit, char *reason, size_t size)
{
    (void)kit;
    return perf_usable(reason, size);
}

/* perf gets the event by its name, so that must mean to perf what it means to us. */
static int check_request(const struct source_visit *visit)
{
    const struct job_event *event = &visit->job->events[0];
    struct failure failure = {0};
    if (visit->job->counters != 1)
        return source_fail(
            visit, -ENOTSUP,
            "path perf-stat counts one event at a time: measure them apart (--each)");
    if (event->own || event->target[0])
        return source_fail(visit, -ENOTSUP,
                           "path perf-stat gives perf the name of an event, and %s names a place "
                           "that only the harness knows: take another path",
                           event->name);
    if (perf_takes_event(event->name, &failure) < 0)
        return source_fail(visit, -EINVAL, "%s", failure.text);
    return 0;
}

/* --- one run --- */

static int start(const struct perf_run *run, struct trial *trial)
{
    const char *const words[] = {run->program,   "stat",
                                 perf_separated, "--no-scale",
                                 "-o",           text_string(&run->output),
                                 "-e",           run->visit->job->events[0].name,
                                 "--",           NULL};
    AUTO_CLOSE int errors = open(text_string(&run->errors),
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (errors < 0)
        return source_fail(run->visit, -errno, "cannot make a file: %s", strerror(errno));
    unlink(text_string(&run->output));
    trial->errors = errors;
    int result = trial_start(trial, words, false);
    trial->errors = 0;
    return result;
}

/* Did perf itself fail, the harness not having been asked? */
static int explain(const struct perf_run *run, const struct trial *trial, int result)
{
    char words[PERF_WORDS];
    if (__atomic_load_n(&trial->workspace.job->state, __ATOMIC_ACQUIRE) != JOB_ASKED)
        return result;
    perf_read_words(text_string(&run->errors), words);
    return source_fail(run->visit, -EIO, "perf stat did not run the command%s%s",
                       words[0] ? ": " : "", words);
}

static int read_count(const struct perf_run *run, struct perf_stat_count *count)
{
    struct failure failure = {0};
    size_t length = 0;
    AUTO_FREE char *bytes = perf_read_file(text_string(&run->output), &length);
    if (!bytes)
        return source_fail(run->visit, -errno, "perf stat left no count: %s", strerror(errno));
    int result = perf_stat_read(bytes, length, run->visit->job->events[0].name, count, &failure);
    return result < 0 ? source_fail(run->visit, result, "%s", failure.text) : 0;
}

static int perf_stat_count(const struct source_visit *visit)
{
    AUTO_FREE char *program = program_find("perf");
    struct perf_run run = {.visit = visit, .program = program};
    int result = check_request(visit);
    if (result < 0)
        return result;
    if (!program)
        return source_fail(visit, -ENOENT, "perf is no longer installed");
    program_keep_mounts();
    text_printf(&run.output, "%s/perf-stat", visit->job->folder);
    text_printf(&run.errors, "%s/perf-errors", visit->job->folder);
    if (run.output.failed || run.errors.failed)
        result = source_fail(visit, -ENOMEM, "out of memory");
    for (uint32_t number = 0; result == 0 && number < run.visit->job->runs; number++) {
        struct perf_stat_count count = {0};
        struct trial trial = {0};
        /* The job of the visit, once, between the marks of path bare. */
        result = trial_make(&trial, run.visit);
        if (result >= 0) {
            struct job *job = trial.workspace.job;
            snprintf(job->path, sizeof(job->path), "bare");
            job->pattern = PATTERN_RR;
            job->separate = 0;
            job->runs = 1;
            trial.is_grandchild = true;
        }
        if (result == 0)
            result = start(&run, &trial);
        if (result == 0) {
            result = trial_await(&trial);
            if (result < 0)
                result = explain(&run, &trial, result);
        }
        if (result == 0)
            result = read_count(&run, &count);
        trial_free(&trial);
        if (result < 0)
            break;
        source_put(run.visit, number, 0, count.value);
        source_row_timed(run.visit, number, count.enabled, count.running);
    }
    text_free(&run.output);
    text_free(&run.errors);
    return result;
}

const struct tool tool_perf_stat = {
    .opt = "O2",
    .link = "static",
    .pattern = "ao",
    .note = "counts all of a process that executes the specimen once, its start and end too",
    .source =
        {
            .name = "perf-stat",
            .summary = "perf(1) counts a whole command",
            .needs_folder = true,
            .usable = perf_stat_usable,
            .count = perf_stat_count,
        },
};
