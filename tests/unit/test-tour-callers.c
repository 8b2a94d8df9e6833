/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The callers on perf descriptors and of libassay do what their calls say: the time for which the
 * counters were enabled tells whether they were started and stopped. */
#include <errno.h>
#include <sys/syscall.h>

#include "case.h"
#include "lib/calipers.h"
#include "probe/tour/caller.h"
#include "tour-job.h"

extern const struct caller caller_perf_read, caller_perf_syscall, caller_perf_prctl, caller_assay;
extern const struct caller caller_timer;

static const struct caller *const callers[] = {&caller_perf_read, &caller_perf_syscall,
                                               &caller_perf_prctl, &caller_assay, NULL};

static struct tour_state tour;

static int why_not(struct perf_event_attr attr)
{
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
    int error = fd < 0 ? errno : 0;
    if (fd >= 0)
        close((int)fd);
    return error;
}

static int open_with(const struct caller *caller, uint32_t counters, bool separate)
{
    struct job *job = tour_job("timer.nothing", 1, false, NULL);
    job->tour.open = counters;
    job->separate = separate;
    tour = (struct tour_state){.job = job};
    int result = caller->open(&tour);
    return result < 0 ? result : caller->settle(&tour, false);
}

static void close_with(const struct caller *caller)
{
    caller->close(&tour);
    tour_job_free(tour.job);
}

static int descriptor_of(uint32_t index)
{
    return tour.set ? tour.set->descriptors[index] : tour.descriptors[index];
}

/* Nanoseconds, from a read of our own: the second word for one counter and for a group. */
static uint64_t enabled(uint32_t index)
{
    uint64_t words[4 + CELL_MAX_COUNTERS] = {0};
    assert_true(read(descriptor_of(index), words, sizeof(words)) >= 24);
    return words[1];
}

static void make(const struct caller *caller, enum call_kind kind)
{
    caller->calls[kind].function(&tour, 1);
    assert_true(tour.status >= 0);
}

/* Did its time go on between two looks? */
static bool runs(uint32_t index)
{
    uint64_t before = enabled(index);
    return enabled(index) > before;
}

static void switch_and_look(const struct caller *caller, uint32_t counters, bool separate)
{
    bool group = counters > 1 && !separate;
    uint32_t looked_at = group ? 1 : counters;
    assert_int_equal(open_with(caller, counters, separate), 0);
    for (uint32_t index = 0; index < looked_at; index++)
        assert_false(runs(index));
    make(caller, CALL_START);
    for (uint32_t index = 0; index < looked_at; index++)
        assert_true(runs(index));
    make(caller, CALL_STOP);
    for (uint32_t index = 0; index < looked_at; index++) {
        assert_false(runs(index));
        assert_true(enabled(index) > 0);
    }
    close_with(caller);
}

#define SKIP_WITHOUT_COUNTERS()                                                                    \
    do {                                                                                           \
        struct job *asked = tour_job("timer.nothing", 1, false, NULL);                             \
        int error = why_not(asked->tour.counted.attr);                                             \
        tour_job_free(asked);                                                                      \
        if (error)                                                                                 \
            skip_because("page-faults:u cannot be opened here: %s", strerror(error));              \
    } while (0)

TEST(start_starts_and_stop_stops_every_counter)
{
    SKIP_WITHOUT_COUNTERS();
    for (size_t index = 0; callers[index]; index++)
        for (uint32_t counters = 1; counters <= CELL_MAX_COUNTERS; counters *= 2)
            for (int separate = 0; separate < 2; separate++)
                switch_and_look(callers[index], counters, separate);
}

/* What a read left of one counter: its count and its times, or the group's times and its count. */
static void read_and_look(const struct caller *caller, uint32_t counters, bool separate)
{
    bool group = counters > 1 && !separate;
    assert_int_equal(open_with(caller, counters, separate), 0);
    assert_int_equal(caller->settle(&tour, true), 0);
    memset(tour.reading, 0xff, sizeof(tour.reading));
    volatile char *fresh = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                                -1, 0); /* one fault or more, so that no count is 0 */
    assert_true(fresh != MAP_FAILED);
    for (size_t at = 0; at < 1 << 16; at += 4096)
        fresh[at] = 1;
    munmap((void *)(uintptr_t)fresh, 1 << 16);
    make(caller, CALL_READ);
    for (uint32_t index = 0; index < counters; index++) {
        uint64_t count = tour.set ? tour.assay_values[index].count
                         : group  ? tour.reading[3 + index]
                                  : tour.reading[3 * (size_t)index];
        assert_in_range(count, 1, 1000000);
    }
    if (group && !tour.set)
        assert_int_equal(tour.reading[0], counters);
    assert_int_equal(caller->check(&tour), 0);
    close_with(caller);
}

TEST(read_reads_every_counter)
{
    SKIP_WITHOUT_COUNTERS();
    for (size_t index = 0; callers[index]; index++)
        for (uint32_t counters = 1; counters <= CELL_MAX_COUNTERS; counters *= 2)
            for (int separate = 0; separate < 2; separate++)
                if (callers[index]->calls[CALL_READ].function)
                    read_and_look(callers[index], counters, separate);
}

TEST(a_call_to_a_counter_that_is_gone_is_noticed)
{
    SKIP_WITHOUT_COUNTERS();
    for (size_t index = 0; callers[index]; index++) {
        const struct caller *caller = callers[index];
        for (int kind = 0; kind < CALL_KINDS; kind++) {
            if (!caller->calls[kind].function || caller == &caller_perf_prctl)
                continue; /* prctl names no counter */
            assert_int_equal(open_with(caller, 2, true), 0);
            assert_int_equal(close(descriptor_of(0)), 0); /* and the other one goes on */
            caller->calls[kind].function(&tour, 3);
            assert_true(tour.status < 0);
            assert_int_equal(caller->check(&tour), -EBADF);
            assert_non_null(strstr(tour.job->reason, strerror(EBADF)));
            close_with(caller);
        }
    }
}
