/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The life of a visit inside its process: find path and window, pin, open, then for every run
 * prepare – arm – account – window – account – release – restore. */
#include "probe/harness/path.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/job.h"

static int find_path(struct job *job, const struct path **found)
{
    bool known = false;
    for (size_t index = 0; path_registry[index]; index++) {
        if (strcmp(path_registry[index]->name, job->path) != 0)
            continue;
        known = true;
        if (strcmp(path_registry[index]->opt, job->opt) == 0) {
            *found = path_registry[index];
            return 0;
        }
    }
    if (known)
        return job_fail(job, -ENOENT, "path %s has no windows compiled at -%s", job->path,
                        job->opt);
    return job_fail(job, -ENOENT, "this harness holds no path %s", job->path);
}

static int find_window(struct job *job, const struct path *path, const struct specimen *specimen,
                       window_function **window)
{
    *window =
        path->windows[job->pattern][specimen->form][job->separate ? LAYOUT_SEPARATE : LAYOUT_GROUP];
    if (*window)
        return 0;
    if (path->windows[job->pattern][specimen->form][LAYOUT_GROUP])
        return job_fail(job, -ENOTSUP,
                        "path %s holds its counters in one set: it cannot open them separately",
                        path->name);
    return job_fail(job, -ENOTSUP, "path %s does not support pattern %s", path->name,
                    pattern_names[job->pattern]);
}

static int run_once(struct instrument *instrument, window_function *window, uint32_t run)
{
    const struct path_operations *operations = instrument->path->operations;
    struct rusage before = {0}, after = {0};
    int result = operations->arm(instrument);
    if (result < 0)
        return result;
    uint32_t repeat = instrument->job->repeat;
    account_take(&before);
    do
        window(&instrument->window);
    while (repeat-- > 1);
    account_take(&after);
    result = operations->release(instrument, run);
    if (result < 0)
        return result;
    if (instrument->path->executes)
        after = before;
    account_write(&job_accounts(instrument->job)[run], &before, &after);
    return 0;
}

static int run_all(struct instrument *instrument, const struct specimen *specimen,
                   window_function *window)
{
    struct job *job = instrument->job;
    struct specimen_state *state = &instrument->state;
    state->n = job->n;
    bool called = specimen->form == SPECIMEN_CALLED;
    instrument->window.first = called ? (uintptr_t)state : (uintptr_t)job->n;
    for (uint32_t run = 0; run < job->runs; run++) {
        struct failure failure = {0};
        int result = specimen_prepare(specimen, state, &failure);
        if (result < 0)
            return job_fail(job, result, "%s", failure.text);
        instrument->window.second = specimen_entry(specimen, state);
        result = run_once(instrument, window, run);
        if (specimen->restore)
            specimen->restore(state);
        if (result < 0)
            return result;
        if (!instrument->path->operations->finish)
            __atomic_store_n(&job->runs_done, run + 1, __ATOMIC_RELEASE);
    }
    return 0;
}

/* The job whose rows are filled while the process exits: handlers take no argument. */
static struct job *late_job;
static const struct path *late_path;

static void conclude(void)
{
    if (!late_job)
        return;
    int result = late_path->operations->finish(late_job);
    if (result == 0)
        __atomic_store_n(&late_job->runs_done, late_job->runs, __ATOMIC_RELEASE);
    job_conclude(late_job, result);
}

static int run_with(struct instrument *instrument, const struct specimen *specimen,
                    window_function *window)
{
    const struct path *path = instrument->path;
    /* Handlers run in reverse order: registered before the library registers its own, ours runs
     * after it. */
    if (path->operations->finish && atexit(conclude) != 0)
        return job_fail(instrument->job, -ENOMEM, "out of memory");
    int result = path->operations->open(instrument);
    if (result == 0) {
        if (!path->executes) /* pages are no matter to who executes, and maps never the same */
            populate_process();
        if (instrument->job->hold == JOB_HOLD_STOP)
            assay_syscall2(SYS_kill, assay_syscall0(SYS_getpid), SIGSTOP);
        result = run_all(instrument, specimen, window);
    }
    path->operations->close(instrument);
    if (result < 0 || !path->operations->finish)
        return result;
    late_job = instrument->job;
    late_path = path;
    return RUN_CONCLUDES_AT_EXIT;
}

static uintptr_t mark_of(const struct job *job, const struct path *path,
                         const struct specimen *specimen, uint32_t kind)
{
    return window_mark_address(path, job->pattern, specimen->form,
                               job->separate ? LAYOUT_SEPARATE : LAYOUT_GROUP, kind);
}

int run_job(struct job *job)
{
    static struct instrument instrument;
    window_function *window = NULL;
    const struct specimen *specimen = NULL;
    struct failure failure = {0};
    int result = specimen_parse(job->specimen, &specimen, &instrument.state.parameters, &failure);
    if (result == 0 && specimen->available)
        result = specimen->available(&failure);
    if (result < 0)
        return job_fail(job, result, "%s", failure.text);
    result = find_path(job, &instrument.path);
    if (result == 0)
        result = find_window(job, instrument.path, specimen, &window);
    if (result == 0)
        result = job_pin(job);
    if (result < 0 || !window)
        return result;
    job->opens = mark_of(job, instrument.path, specimen, MARK_OPENS);
    job->closed = mark_of(job, instrument.path, specimen, MARK_CLOSED);
    job->slot = mark_of(job, instrument.path, specimen, MARK_SLOT);
    job->filled = mark_of(job, instrument.path, specimen, MARK_FILLED);
    job->edges = instrument.path->executes     ? JOB_EDGES_MARKS
                 : instrument.path->user_reads ? JOB_EDGES_READS
                                               : JOB_EDGES_CALLS;
    if (job->hold == JOB_HOLD_EXIT)
        return 0;
    instrument.job = job;
    instrument.window.before = instrument.before;
    instrument.window.after = instrument.after;
    return run_with(&instrument, specimen, window);
}
