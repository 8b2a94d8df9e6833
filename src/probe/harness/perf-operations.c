/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Around the windows of the paths on perf descriptors. Everything by inline system calls, because
 * read, ioctl and prctl are what the windows measure. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/user-access.h"
#include "lib/user-read.h"
#include "probe/harness/path.h"
#include "syscall.h"

/* ----------------------------------------------------------------------------------------------
 * Opening the events, the base reading before a start, the last reading after a stop, and the
 * differences. */

/* Starts or stops all counters. Negative errno when a call was refused. */
static long perf_switch_all(const struct instrument *instrument, bool enable)
{
    const struct window *window = &instrument->window;
    if (instrument->path->task_wide)
        return assay_syscall5(SYS_prctl,
                              enable ? PR_TASK_PERF_EVENTS_ENABLE : PR_TASK_PERF_EVENTS_DISABLE, 0,
                              0, 0, 0);
    long request = (long)(enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE);
    uint32_t switched = instrument->job->separate ? window->count : 1;
    for (uint32_t index = 0; index < switched; index++) {
        long result = assay_syscall3(SYS_ioctl, window->descriptors[index], request, 0);
        if (result < 0)
            return result;
    }
    return 0;
}

/* Reads all counters, with their times. Negative errno when a call was refused. */
static long perf_read_all(const struct instrument *instrument, uint64_t *reading)
{
    const struct window *window = &instrument->window;
    if (!instrument->job->separate)
        return assay_syscall3(SYS_read, window->descriptors[0], (long)reading, (long)window->bytes);
    for (uint32_t index = 0; index < window->count; index++) {
        long result = assay_syscall3(SYS_read, window->descriptors[index],
                                     (long)(reading + (size_t)index * READING_SEPARATE),
                                     (long)(READING_SEPARATE * sizeof(uint64_t)));
        if (result < 0)
            return result;
    }
    return 0;
}

/* Where counter `index` stands in a reading. */
static uint64_t *perf_reading_of(const struct instrument *instrument, uint64_t *reading,
                                 uint32_t index)
{
    return instrument->job->separate ? reading + (size_t)index * READING_SEPARATE : reading;
}

static int open_event(struct instrument *instrument, uint32_t index, int leader)
{
    struct job_event *event = &instrument->job->events[index];
    struct perf_event_attr attr = event->attr;
    attr.size = sizeof(attr);
    attr.disabled = leader < 0; /* members follow their leader */
    attr.read_format =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    const char *file = event->target[0] ? event->target : NULL;
    if (event->own && target_settle(&attr, &file) < 0)
        return job_fail(instrument->job, -ENOENT, "%s: this harness does not find its own target",
                        event->name);
    if (file)
        attr.config1 = (uint64_t)(uintptr_t)file;
    long descriptor =
        assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (descriptor < 0) {
        instrument->job->failed_event = (int32_t)index;
        return job_fail(instrument->job, (int)descriptor, "%s cannot be opened: %s", event->name,
                        strerror((int)-descriptor));
    }
    instrument->window.descriptors[index] = (int)descriptor;
    instrument->window.count = index + 1;
    return 0;
}

/* Inside a window nothing is checked: a start that is refused (by a seccomp filter, say) would read
 * as a count of zero. So the same call is made once where its answer is looked at. */
static int try_switch(const struct instrument *instrument)
{
    long result = perf_switch_all(instrument, true);
    if (result >= 0)
        result = perf_switch_all(instrument, false);
    if (result < 0)
        return job_fail(instrument->job, (int)result,
                        "the counters opened but cannot be started and stopped: %s (a seccomp "
                        "filter that refuses %s?)",
                        strerror((int)-result), instrument->path->task_wide ? "prctl" : "ioctl");
    return 0;
}

static int perf_open(struct instrument *instrument)
{
    const struct job *job = instrument->job;
    instrument->window.count = 0;
    instrument->window.bytes = (READING_VALUES + job->counters) * sizeof(uint64_t);
    for (uint32_t index = 0; index < job->counters; index++) {
        int leader = index && !job->separate ? instrument->window.descriptors[0] : -1;
        int result = open_event(instrument, index, leader);
        if (result < 0)
            return result;
    }
    return try_switch(instrument);
}

/* Zeroes the words that show whether a read came. */
static void perf_clear_readings(struct instrument *instrument)
{
    for (uint32_t index = 0; index < instrument->job->counters; index++) {
        perf_reading_of(instrument, instrument->before, index)[READING_NR] = 0;
        perf_reading_of(instrument, instrument->after, index)[READING_NR] = 0;
    }
}

static int perf_arm(struct instrument *instrument)
{
    struct job *job = instrument->job;
    perf_clear_readings(instrument);
    long result = 0;
    if (pattern_starts_inside(job->pattern))
        result = perf_read_all(instrument, instrument->before);
    else if (!instrument->started)
        result = perf_switch_all(instrument, true);
    instrument->started = !pattern_starts_inside(job->pattern);
    if (result < 0)
        return job_fail(job, (int)result, "the counters could not be prepared: %s",
                        strerror((int)-result));
    return 0;
}

/* The kernel answers a read with nothing at all only where a pinned event lost its counter. */
static int explain_nothing(struct job *job, uint32_t run, long status)
{
    for (uint32_t index = 0; index < job->counters; index++)
        if (job->events[index].attr.pinned)
            return job_fail(job, -EBUSY,
                            "run %u: %s is pinned (:D) but got no counter: others hold what it "
                            "needs. Count fewer events at once, or leave D away",
                            run, job->events[index].name);
    return job_fail(job, -EIO,
                    "run %u: a read of the counters gave nothing (the last call returned %ld)", run,
                    status);
}

/* Checks them, and says why none came. */
static int perf_check_readings(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    uint64_t expected = job->separate ? 1 : job->counters;
    for (uint32_t index = 0; index < job->counters; index++)
        if (perf_reading_of(instrument, instrument->before, index)[READING_NR] != expected ||
            perf_reading_of(instrument, instrument->after, index)[READING_NR] != expected)
            return explain_nothing(job, run, instrument->window.status);
    return 0;
}

/* Its count there. */
static uint64_t perf_count_of(struct instrument *instrument, uint64_t *reading, uint32_t index)
{
    uint32_t value = READING_VALUES + (instrument->job->separate ? 0 : index);
    return perf_reading_of(instrument, reading, index)[value];
}

/* Times between the two readings, into row `run`. */
static void perf_write_times(struct instrument *instrument, uint32_t run, uint32_t index)
{
    struct job *job = instrument->job;
    const uint64_t *before = perf_reading_of(instrument, instrument->before, index);
    const uint64_t *after = perf_reading_of(instrument, instrument->after, index);
    size_t row = (size_t)run * job->counters + index;
    job_enabled(job)[row] = after[READING_ENABLED] - before[READING_ENABLED];
    job_running(job)[row] = after[READING_RUNNING] - before[READING_RUNNING];
}

static int write_row(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    int result = perf_check_readings(instrument, run);
    for (uint32_t index = 0; index < job->counters && result == 0; index++) {
        job_values(job)[(size_t)run * job->counters + index] =
            perf_count_of(instrument, instrument->after, index) -
            perf_count_of(instrument, instrument->before, index);
        perf_write_times(instrument, run, index);
    }
    return result;
}

static int perf_release(struct instrument *instrument, uint32_t run)
{
    struct job *job = instrument->job;
    long result = 0;
    const char *failed = "stopped";
    if (job->pattern == PATTERN_AR) {
        result = perf_switch_all(instrument, false);
    } else if (job->pattern != PATTERN_RR) { /* read-read goes on counting, run after run */
        result = perf_read_all(instrument, instrument->after);
        instrument->started = false;
        failed = "read";
    }
    if (result < 0)
        return job_fail(job, (int)result, "run %u: the counters could not be %s: %s", run, failed,
                        strerror((int)-result));
    return write_row(instrument, run);
}

static void perf_close(struct instrument *instrument)
{
    for (uint32_t index = 0; index < instrument->window.count; index++)
        assay_syscall1(SYS_close, instrument->window.descriptors[index]);
    instrument->window.count = 0;
}

const struct path_operations perf_operations = {
    .open = perf_open,
    .arm = perf_arm,
    .release = perf_release,
    .close = perf_close,
};

/* ----------------------------------------------------------------------------------------------
 * Pages for windows that are stepped and read counters in user code. Between any two steps the
 * process leaves its CPU, and each time the operating system changes the page's lock: a reader
 * would try again for ever. So it is given private copies, taken while the counters were on: it
 * executes the same instructions, the one that reads the counter among them; what it makes of them
 * is no count, and is not used. */

/* Will the windows of this job be stepped? */
static bool user_copies_wanted(const struct job *job)
{
    return job->hold == JOB_HOLD_STOP;
}

/* Puts a counter that user code can read in place of an event that counts nothing. */
static void user_copies_event(struct job_event *event)
{
    if (!event->counts[0]) /* no source's: the one that was asked for */
        return;
    event->attr = (struct perf_event_attr){.size = sizeof(event->attr),
                                           .type = PERF_TYPE_HARDWARE,
                                           .config = PERF_COUNT_HW_INSTRUCTIONS,
                                           .exclude_kernel = 1,
                                           .exclude_hv = 1};
    snprintf(event->name, sizeof(event->name), "instructions:u");
}

/* Copies the page of counter `index`, which counts; -EBUSY where it does not. */
static int user_copies_take(struct instrument *instrument, uint32_t index)
{
    const volatile struct perf_event_mmap_page *page = instrument->window.pages[index];
    struct perf_event_mmap_page *copy = &instrument->copies[index];
    do {
        *copy = *page;
        user_read_barrier();
    } while (copy->lock != page->lock);
    if (copy->index)
        return 0;
    return job_fail(instrument->job, -EBUSY,
                    "%s got no counter, so that there is none to read: others hold them. Step with "
                    "fewer counters, or separate ones",
                    instrument->job->events[index].name);
}

/* Gives the window the copies, and … */
static void user_copies_show(struct instrument *instrument)
{
    for (uint32_t index = 0; index < instrument->window.count; index++) {
        instrument->mapped[index] = instrument->window.pages[index];
        instrument->window.pages[index] = &instrument->copies[index];
    }
}

/* … takes them back. */
static void user_copies_hide(struct instrument *instrument)
{
    for (uint32_t index = 0; index < CELL_MAX_COUNTERS; index++)
        if (instrument->mapped[index]) {
            instrument->window.pages[index] = instrument->mapped[index];
            instrument->mapped[index] = NULL;
        }
}

/* ----------------------------------------------------------------------------------------------
 * The paths that read counters in user code: asking for readable counters, bringing a page each
 * into its path's state before every window, and the row from what the window read. The times, and
 * the count at the end that a start or stop leaves to a read, come from read() outside the window;
 * between those two readings the window's own counts must lie, or the page was stale. */

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

static int write_user_row(struct instrument *instrument, uint32_t run)
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
    return write_user_row(instrument, run);
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
