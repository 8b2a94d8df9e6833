/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From pages to rows, and traps to reasons, with files in the place of counters: what reads from
 * user code do, whether this machine has a counter for them or not.
 *
 * A file serves as descriptor and as page at once. Its words are those of two readings (number,
 * enabled, running, count, each), and mapped as a page: lock and index are the halves of the first
 * reading's `enabled`, the offset is its `running`. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "probe/harness/path.h"
#include "user-counter.h"

#define OPERATIONS perf_user_touched_operations
#define WORDS      8

static struct instrument instrument;
static struct path path; /* switched by prctl, which needs no event */

static const struct path *path_of(const char *name)
{
    for (size_t index = 0; path_registry[index]; index++)
        if (strcmp(path_registry[index]->name, name) == 0)
            return path_registry[index];
    fail_msg("no path %s", name);
    return NULL;
}

static int counter_that_reads(const uint64_t *words)
{
    int fd = memfd_create("counter", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, words, WORDS * sizeof(*words)), WORDS * sizeof(*words));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static int set_up(void **state)
{
    struct job *job =
        mmap(NULL, job_size(1, 1), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (job == MAP_FAILED)
        return -1;
    job->counters = 1;
    job->runs = 1;
    job->pattern = PATTERN_RR;
    job->separate = 1;
    job->failed_event = -1;
    snprintf(job->events[0].name, JOB_NAME, "cycles:u");
    path = *path_of("perf-user-touched");
    path.task_wide = true;
    instrument = (struct instrument){.job = job, .path = &path};
    instrument.window.before = instrument.user_before;
    instrument.window.after = instrument.user_after;
    instrument.window.count = 1;
    *state = job;
    return 0;
}

static int tear_down(void **state)
{
    OPERATIONS.close(&instrument);
    munmap(*state, job_size(1, 1));
    return 0;
}

/* Arms, runs the empty window of the pattern, releases. */
static int run_once(const uint64_t *words)
{
    struct job *job = instrument.job;
    instrument.window.descriptors[0] = counter_that_reads(words);
    int result = OPERATIONS.arm(&instrument);
    if (result < 0)
        return result;
    instrument.path->windows[job->pattern][SPECIMEN_NULL][LAYOUT_SEPARATE](&instrument.window);
    return OPERATIONS.release(&instrument, 0);
}

TEST_WITH(the_count_is_the_window_s_and_the_times_are_read_s, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t words[WORDS] = {1, 100, 40, 30, 1, 300, 90, 50};
    assert_int_equal(run_once(words), 0);
    assert_int_equal(job_values(job)[0], 0); /* both reads saw 40 */
    assert_int_equal(instrument.user_before[0], 40);
    assert_int_equal(job_enabled(job)[0], 200);
    assert_int_equal(job_running(job)[0], 50);
}

TEST_WITH(a_start_is_counted_from_what_read_gave, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t words[WORDS] = {1, 100, 40, 30, 1, 300, 90, 50};
    job->pattern = PATTERN_AR;
    instrument.window.descriptors[0] = counter_that_reads(words);
    assert_int_equal(OPERATIONS.arm(&instrument), 0);
    assert_int_equal(instrument.user_before[0], 30);
}

TEST_WITH(a_stop_is_counted_to_what_read_gives, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t words[WORDS] = {1, 100, 40, 30, 1, 300, 90, 57};
    job->pattern = PATTERN_RO;
    assert_int_equal(run_once(words), 0);
    assert_int_equal(job_values(job)[0], 57 - 40);
}

TEST_WITH(a_page_behind_read_is_no_count, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t late[WORDS] = {1, 100, 40, 41, 1, 300, 90, 50};
    assert_int_equal(run_once(late), -EIO);
    assert_non_null(strstr(job->reason, "cycles:u"));
    assert_non_null(strstr(job->reason, "not up to date"));
}

TEST_WITH(a_page_ahead_of_read_is_no_count, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t ahead[WORDS] = {1, 100, 60, 30, 1, 300, 90, 50};
    assert_int_equal(run_once(ahead), -EIO);
    assert_non_null(strstr(job->reason, "not up to date"));
}

TEST_WITH(a_pinned_event_without_a_counter_is_named, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t nothing[WORDS] = {0};
    job->events[0].attr.pinned = 1;
    assert_int_equal(run_once(nothing), -EBUSY);
    assert_non_null(strstr(job->reason, "cycles:u is pinned"));
}

TEST_WITH(events_of_the_operating_system_are_refused_by_name, set_up, tear_down)
{
    struct job *job = *state;
    job->events[0].attr.type = PERF_TYPE_SOFTWARE;
    instrument.window.count = 0;
    assert_int_equal(OPERATIONS.open(&instrument), -EOPNOTSUPP);
    assert_non_null(strstr(job->reason, "cycles:u"));
    assert_int_equal(job->failed_event, -1); /* it could be opened: the sentence is the reason */
}

/* An index that traps wherever it is tried: no CPU has that counter, or none lets us read it. */
#if defined(__x86_64__)
#define TRAPPING UINT64_C(0x0badbad1)
#else
#define TRAPPING UINT64_C(31)
#endif

static int status_of_child(void (*code)(void))
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (user_trap_watch(instrument.job) < 0)
            _exit(9);
        user_trap_run(7);
        code();
        _exit(8);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void read_what_traps(void)
{
    static const uint64_t words[WORDS] = {1, TRAPPING << 32 | 100, 40, 30, 1, 300, 90, 50};
    (void)run_once(words);
}

static void read_nothing_at_all(void)
{
    *(volatile int *)(uintptr_t)getpagesize() = 1;
}

TEST_WITH(a_counter_read_that_traps_fails_the_visit_with_a_reason, set_up, tear_down)
{
    struct job *job = *state;
    int status = status_of_child(read_what_traps);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_equal(job->state, JOB_FAILED);
    assert_int_equal(job->error, EACCES);
    assert_non_null(strstr(job->reason, "run 7: the instruction that reads a counter trapped"));
}

TEST_WITH(every_other_trap_stays_what_it_was, set_up, tear_down)
{
    struct job *job = *state;
    int status = status_of_child(read_nothing_at_all);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGSEGV);
    assert_int_not_equal(job->state, JOB_FAILED);
}
