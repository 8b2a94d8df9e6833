/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of the paths that read counters in user code: asking for readable counters,
 * bringing a page each into its path's state before every window, and the row from what the window
 * read. The times, and the count at the end that a start or stop leaves to a read, come from read()
 * outside the window; between those two readings the window's own counts must lie, or the page was
 * stale. */
#include <errno.h>
#include <string.h>

#include "lib/user-access.h"
#include "lib/user-read.h"
#include "probe/harness/perf-operations.h"
#include "probe/harness/perf-user-copies.h"
#include "probe/harness/user-reads.h"
#include "probe/harness/user-usable.h"
#include "syscall.h"

#define UNREAD UINT64_MAX /* what no counter holds: the window could not read it */

/* Hands a sentence of the library's on. */
static int fail(struct job *job, const struct failure *failure)
{
    return job_fail(job, failure->code, "%s", failure->text);
}

static void unmap_all(struct instrument *instrument)
{
    for (uint32_t index = 0; index < CELL_MAX_COUNTERS; index++) {
        user_access_unmap(instrument->window.pages[index]);
        instrument->window.pages[index] = NULL;
    }
}

/* Maps what is not mapped yet, and brings the rest into that state again. */
static int renew_all(struct instrument *instrument, enum user_mapping how)
{
    struct window *window = &instrument->window;
    struct failure failure = {0};
    for (uint32_t index = 0; index < window->count; index++)
        if (user_access_renew("", instrument->job->events[index].name, window->descriptors[index],
                              how, &window->pages[index], &failure) < 0)
            return fail(instrument->job, &failure);
    return 0;
}

/* Every page must promise a read while its event counts: only then does it name its counter, and on
 * RISC-V only then promise anything. Events that stand alone take turns, since there may be more of
 * them than counters. */
static int check_page(struct instrument *instrument, uint32_t index)
{
    const struct window *window = &instrument->window;
    struct job *job = instrument->job;
    struct failure failure = {0};
    int switched = window->descriptors[job->separate ? index : 0];
    long result = assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_ENABLE, 0);
    if (result < 0)
        return job_fail(job, (int)result, "%s could not be started: %s", job->events[index].name,
                        strerror((int)-result));
    int checked = user_access_check("", job->events[index].name, 0, window->pages[index], &failure);
    if (checked < 0)
        fail(job, &failure);
    else if (user_copies_wanted(job))
        checked = user_copies_take(instrument, index);
    assay_syscall3(SYS_ioctl, switched, (long)PERF_EVENT_IOC_DISABLE, 0);
    return checked;
}

static int check_all(struct instrument *instrument)
{
    int result = renew_all(instrument, USER_MAP_TOUCHED);
    for (uint32_t index = 0; index < instrument->window.count && result == 0; index++)
        result = check_page(instrument, index);
    return result;
}

static int user_open(struct instrument *instrument)
{
    struct job *job = instrument->job;
    struct failure failure = {0};
    instrument->window.before = instrument->user_before;
    instrument->window.after = instrument->user_after;
    for (uint32_t index = 0; index < job->counters; index++) {
        if (user_copies_wanted(job))
            user_copies_event(&job->events[index]);
        if (user_access_request("", job->events[index].name, &job->events[index].attr, &failure) <
            0)
            return fail(job, &failure);
    }
    int result = perf_operations.open(instrument);
    if (result == 0)
        result = check_all(instrument);
    if (result == 0 && user_copies_wanted(job))
        user_copies_show(instrument);
    if (result == 0)
        result = user_trap_watch(job);
    return result;
}

/* The pages first: a page that is mapped while its event counts may say the wrong thing (see
 * user_sum). So the counters are off between runs, whatever the pattern. */
static int arm(struct instrument *instrument, enum user_mapping how)
{
    struct job *job = instrument->job;
    bool starts_inside = pattern_starts_inside(job->pattern);
    int mapped = user_copies_wanted(job) ? 0 : renew_all(instrument, how);
    if (mapped < 0)
        return mapped;
    perf_clear_readings(instrument);
    long result = starts_inside ? 0 : perf_switch_all(instrument, true);
    if (result >= 0)
        result = perf_read_all(instrument, instrument->before);
    if (result < 0)
        return job_fail(job, (int)result, "the counters could not be prepared: %s",
                        strerror((int)-result));
    for (uint32_t index = 0; index < job->counters; index++) {
        instrument->user_before[index] =
            starts_inside ? perf_count_of(instrument, instrument->before, index) : UNREAD;
        instrument->user_after[index] = UNREAD;
    }
    return 0;
}

static int arm_populated(struct instrument *instrument)
{
    return arm(instrument, USER_MAP_POPULATED);
}

static int arm_touched(struct instrument *instrument)
{
    return arm(instrument, USER_MAP_TOUCHED);
}

static int arm_cold(struct instrument *instrument)
{
    return arm(instrument, USER_MAP_COLD);
}

/* A page that no longer follows its counter: mostly because user access was switched off, which the
 * page itself does not say (AArch64): it looks as if the event had no counter. */
static int explain_stale(struct job *job, uint32_t run, uint32_t index)
{
    const char *name = job->events[index].name;
    if (user_access_setting("") == USER_SETTING_OFF)
        return job_fail(job, -EACCES,
                        "run %u: user code can no longer read %s: such reads were switched off "
                        "while the visit ran. Switch them on again (`assay doctor`, user-access)",
                        run, name);
    return job_fail(job, -EIO,
                    "run %u: what user code read of %s does not lie between what read() gave "
                    "before and after: its page was not up to date",
                    run, name);
}

/* Did the window read such a page? Asked before the counters are stopped, where the window has not
 * done that itself: then every page looks so, and the setting is what counts. */
static int check_access(struct instrument *instrument, uint32_t run)
{
    for (uint32_t index = 0; index < instrument->window.count; index++)
        if (!instrument->window.pages[index]->index && user_access_setting("") == USER_SETTING_OFF)
            return explain_stale(instrument->job, run, index);
    return 0;
}

static int check_count(struct instrument *instrument, uint32_t run, uint32_t index)
{
    uint64_t first = instrument->user_before[index], last = instrument->user_after[index];
    uint64_t least = perf_count_of(instrument, instrument->before, index);
    uint64_t most = perf_count_of(instrument, instrument->after, index);
    if (first == UNREAD || last == UNREAD)
        return job_fail(instrument->job, -EOPNOTSUPP,
                        "run %u: %s came to sit on a counter that no instruction reads. Read it "
                        "by a system call (perf-read, perf-syscall)",
                        run, instrument->job->events[index].name);
    if ((int64_t)(first - least) < 0 || (int64_t)(last - first) < 0 || (int64_t)(most - last) < 0)
        return explain_stale(instrument->job, run, index);
    return 0;
}

static int write_row(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    int result = perf_check_readings(instrument, run);
    for (uint32_t index = 0; index < job->counters && result == 0; index++) {
        if (job->pattern == PATTERN_RO)
            instrument->user_after[index] = perf_count_of(instrument, instrument->after, index);
        if (!user_copies_wanted(job))
            result = check_count(instrument, run, index);
        job_values(job)[(size_t)run * job->counters + index] =
            instrument->user_after[index] - instrument->user_before[index];
        perf_write_times(instrument, run, index);
    }
    return result;
}

static int user_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    long result = user_copies_wanted(job) ? 0 : check_access(instrument, run);
    user_trap_run(run + 1);
    if (result < 0)
        return (int)result;
    if (job->pattern != PATTERN_RO)
        result = perf_switch_all(instrument, false);
    if (result >= 0)
        result = perf_read_all(instrument, instrument->after);
    if (result < 0)
        return job_fail(job, (int)result, "run %u: the counters could not be stopped or read: %s",
                        run, strerror((int)-result));
    return write_row(instrument, run);
}

static void user_close(struct instrument *instrument)
{
    user_copies_hide(instrument);
    unmap_all(instrument);
    perf_operations.close(instrument);
}

#define USER_OPERATIONS(how)                                                                       \
    const struct path_operations perf_user_##how##_operations = {                                  \
        .usable = user_usable,                                                                     \
        .open = user_open,                                                                         \
        .arm = arm_##how,                                                                          \
        .release = user_release,                                                                   \
        .close = user_close,                                                                       \
    }
USER_OPERATIONS(populated);
USER_OPERATIONS(touched);
USER_OPERATIONS(cold);
