/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From readings to rows, with files in the place of counters: what a PMU does that is too small for
 * its events, whether this machine has one or not. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "case.h"
#include "probe/harness/path.h"

static struct instrument instrument;

/* Each read of the descriptor takes the next words. */
static int counter_that_reads(const uint64_t *words, size_t count)
{
    int fd = memfd_create("counter", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, words, count * sizeof(*words)), count * sizeof(*words));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

static int set_up(void **state)
{
    static const struct path path = {.name = "perf-read", .operations = &perf_operations};
    struct job *job = calloc(1, job_size(1, 2));
    if (!job)
        return -1;
    job->counters = 2;
    job->runs = 1;
    job->pattern = PATTERN_AO;
    snprintf(job->events[0].name, JOB_NAME, "cycles");
    snprintf(job->events[1].name, JOB_NAME, "instructions:D");
    instrument = (struct instrument){.job = job, .path = &path};
    instrument.window.bytes = (READING_VALUES + job->counters) * sizeof(uint64_t);
    *state = job;
    return 0;
}

static int tear_down(void **state)
{
    perf_operations.close(&instrument);
    free(*state);
    return 0;
}

static int run_once(void)
{
    int result = perf_operations.arm(&instrument);
    return result < 0 ? result : perf_operations.release(&instrument, 0);
}

TEST_WITH(a_group_that_was_never_scheduled_ran_for_no_time, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t words[] = {2, 100, 50, 10, 20, 2, 300, 50, 10, 20};
    instrument.window.descriptors[0] = counter_that_reads(words, 10);
    instrument.window.count = 1;
    assert_int_equal(run_once(), 0);
    for (int counter = 0; counter < 2; counter++) {
        assert_int_equal(job_values(job)[counter], 0);
        assert_int_equal(job_enabled(job)[counter], 200);
        assert_int_equal(job_running(job)[counter], 0);
    }
}

TEST_WITH(separate_counters_have_times_of_their_own, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t first[] = {1, 100, 100, 10, 1, 300, 300, 17};
    static const uint64_t second[] = {1, 100, 40, 5, 1, 400, 140, 9};
    job->separate = 1;
    instrument.window.descriptors[0] = counter_that_reads(first, 8);
    instrument.window.descriptors[1] = counter_that_reads(second, 8);
    instrument.window.count = 2;
    assert_int_equal(run_once(), 0);
    static const uint64_t expected[][3] = {{7, 200, 200}, {4, 300, 100}};
    for (int counter = 0; counter < 2; counter++) {
        assert_int_equal(job_values(job)[counter], expected[counter][0]);
        assert_int_equal(job_enabled(job)[counter], expected[counter][1]);
        assert_int_equal(job_running(job)[counter], expected[counter][2]);
    }
}

TEST_WITH(counts_that_pass_the_largest_number_go_on, set_up, tear_down)
{
    struct job *job = *state;
    static const uint64_t words[] = {2, 1, 1, UINT64_MAX - 1, 0, 2, 2, 2, 3, 0};
    instrument.window.descriptors[0] = counter_that_reads(words, 10);
    instrument.window.count = 1;
    assert_int_equal(run_once(), 0);
    assert_int_equal(job_values(job)[0], 5);
}

TEST_WITH(a_read_that_gives_nothing_is_no_zero, set_up, tear_down)
{
    struct job *job = *state;
    instrument.window.descriptors[0] = counter_that_reads(NULL, 0);
    instrument.window.count = 1;
    assert_int_equal(run_once(), -EIO);
    assert_non_null(strstr(job->reason, "gave nothing"));
}

TEST_WITH(a_pinned_event_without_a_counter_is_named, set_up, tear_down)
{
    struct job *job = *state;
    job->events[1].attr.pinned = 1;
    instrument.window.descriptors[0] = counter_that_reads(NULL, 0);
    instrument.window.count = 1;
    assert_int_equal(run_once(), -EBUSY);
    assert_non_null(strstr(job->reason, "instructions:D is pinned (:D) but got no counter"));
}
