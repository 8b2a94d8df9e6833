/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ticks and time of regions, on whatever clock the machine has. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay.h"
#include "case.h"
#include "lib/calipers.h"

static const char *const ticks[] = {"ticks"};

static struct assay_calipers *open_ticks(unsigned flags)
{
    struct assay_calipers *calipers;
    assert_int_equal(assay_calipers_open(&calipers, ticks, 1, flags), 0);
    return calipers;
}

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void spend(uint64_t ns)
{
    uint64_t start = raw_ns();
    while (raw_ns() - start < ns)
        ;
}

#define OPEN_TICKS_OR_SKIP(calipers)                                                               \
    struct assay_calipers *calipers = open_ticks(0);                                               \
    if (assay_calipers_error(calipers, 0)) {                                                       \
        print_message("# skip: %s\n", assay_calipers_reason(calipers, 0));                         \
        assay_calipers_close(calipers);                                                            \
        return;                                                                                    \
    }

TEST(a_region_has_its_ticks_and_a_bar)
{
    OPEN_TICKS_OR_SKIP(calipers)
    struct assay_count count;
    assert_int_equal(assay_calipers_path(calipers), ASSAY_PATH_NONE);
    assay_begin();
    assay_end();
    assert_int_equal(assay_counts(&count), 0);
    assert_true(count.noticed & ASSAY_NOT_CALIBRATED && count.corrected == (double)count.raw);
    assert_int_equal(assay_calibrate(), 0);
    assay_begin();
    spend(20000);
    assay_end();
    assert_int_equal(assay_counts(&count), 0);
    assert_int_equal(count.state, ASSAY_COUNTED);
    assert_true(count.low <= count.corrected && count.corrected <= count.high);
    assert_true(count.uncertainty > 0 && isfinite(count.uncertainty));
    assert_true(count.corrected < (double)count.raw);
    assert_int_equal(calipers->tick_nulls.count, TICK_NULLS);
    /* Another look is at the same region, whatever was measured for the first. */
    uint64_t first = count.raw;
    assert_int_equal(assay_counts(&count), 0);
    assert_int_equal(count.raw, first);
    assert_int_equal((assay_counts)(&count), 0);
    assert_int_equal(count.raw, first);
    assert_int_equal(calipers->here.depth, 0);
    assay_calipers_close(calipers);
}

/* Windows have the frame of no region: a handler's regions are whole wherever it comes. */
TEST(regions_of_handlers_between_the_ends_of_a_window_are_whole)
{
    OPEN_TICKS_OR_SKIP(calipers)
    struct assay_count own, again;
    assert_int_equal(assay_calibrate(), 0);
    (assay_window_begin)();
    assay_begin(); /* the handler's */
    spend(40000);
    assay_end();
    counts_of(calipers, &own);
    assert_int_equal(assay_counts(&again), 0);
    assert_int_equal(again.raw, own.raw);
    assert_int_equal(calipers->here.depth, 0);
    (assay_window_end)();
    assert_int_equal(assay_counts(&again), 0);
    assert_int_equal(again.raw, own.raw);
    assay_calipers_close(calipers);
}

/* Intervals by CLOCK_MONOTONIC_RAW: just inside the region and just outside. */
static void check_between(uint64_t least, uint64_t most)
{
    struct assay_duration time;
    assert_int_equal(assay_time(&time), 0);
    assert_int_equal(time.state, ASSAY_COUNTED);
    if (time.ns + time.uncertainty < (double)least - 1 ||
        time.ns - time.uncertainty > (double)most + 1)
        fail_msg("%f ns with an error of %f, between %d and %d", time.ns, time.uncertainty,
                 (int)least, (int)most);
}

static void check_time(uint64_t ns)
{
    uint64_t outside = raw_ns();
    assay_begin();
    uint64_t inside = raw_ns();
    spend(ns);
    uint64_t least = raw_ns() - inside;
    assay_end();
    uint64_t most = raw_ns() - outside;
    check_between(least, most);
}

/* What the ends of those inside cost is no time of the region around. */
static void check_nested_time(struct assay_calipers *calipers, uint64_t ns)
{
    uint64_t within = 0, outside = raw_ns();
    struct region_reading reading;
    assay_begin();
    for (int i = 0; i < 4; i++) {
        assay_begin();
        uint64_t inside = raw_ns();
        spend(ns);
        within += raw_ns() - inside;
        assay_end();
    }
    assay_end();
    check_between(within, raw_ns() - outside);
    reading_of(calipers, calipers->result, &reading);
    assert_int_equal(reading.children, 4);
    assert_int_equal(reading.measuring > 0, calipers->path == ASSAY_PATH_READ);
    assert_true(reading.measuring < reading.ticks);
}

TEST(the_time_of_a_region_agrees_with_the_operating_systems)
{
    static const char *const faults[] = {"page-faults:u"};
    for (size_t events = 0; events < 2; events++) {
        struct assay_calipers *calipers;
        struct assay_duration time;
        assert_int_equal(assay_calipers_open(&calipers, faults, events, ASSAY_WATCH), 0);
        assert_int_equal(assay_calibrate(), 0);
        assay_begin();
        assay_end();
        assert_int_equal(assay_time(&time), 0);
        if (time.state != ASSAY_COUNTED || calipers->time.kind != CALIPER_TICKS) {
            print_message("# the CPU's counter tells no time here\n");
            assay_calipers_close(calipers);
            continue;
        }
        for (int i = 0; i < 50; i++) {
            check_time(100);
            check_time(30000);
            check_nested_time(calipers, 100);
        }
        check_time(3000000);
        assay_calipers_close(calipers);
    }
}

TEST(ticks_become_nanoseconds_with_what_is_not_known_of_their_rate)
{
    const struct assay_count count = {.corrected = 2300000, .uncertainty = 4.6};
    struct assay_duration time;
    time_in_ns(&count, 2.3, 1e-6, &time);
    assert_true(fabs(time.ns - 1e6) < 1e-6 && fabs(time.uncertainty - 3) < 1e-6);
    const struct assay_count less = {.corrected = -23, .uncertainty = 2.3};
    time_in_ns(&less, 2.3, 0.1, &time);
    assert_true(fabs(time.ns + 10) < 1e-6 && fabs(time.uncertainty - 2) < 1e-6);
}

#define CHILD_WANTS(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            _exit(__LINE__ % 200 + 1);                                                             \
    } while (0)

static void use_without_ticks(void)
{
    struct assay_calipers *calipers;
    struct assay_count count;
    struct assay_duration time;
    CHILD_WANTS(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
    CHILD_WANTS(assay_calipers_open(&calipers, ticks, 1, 0) == 0);
    CHILD_WANTS(assay_calipers_error(calipers, 0) == EOPNOTSUPP);
    CHILD_WANTS(strstr(assay_calipers_reason(calipers, 0), "PR_SET_TSC"));
    CHILD_WANTS(assay_calibrate() == 0);
    assay_begin();
    assay_end();
    CHILD_WANTS(assay_counts(&count) == 0 && count.state == ASSAY_UNSUPPORTED);
    CHILD_WANTS(assay_time(&time) == 0 && time.state == ASSAY_UNSUPPORTED);
    _exit(0);
}

static double called_ns(void) /* the vDSO would read the counter */
{
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The system calls of a region tell its time. What is inside are others, which change their cost.
 */
static void use_times_of_calls(void)
{
    static const char *const faults[] = {"page-faults:u"};
    struct assay_calipers *calipers;
    struct assay_duration time;
    int missed = 0;
    CHILD_WANTS(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
    CHILD_WANTS(assay_calipers_open(&calipers, faults, 1, 0) == 0);
    if (assay_calipers_path(calipers) != ASSAY_PATH_READ)
        _exit(0);
    CHILD_WANTS(calipers->time.kind == CALIPER_CALL);
    CHILD_WANTS(assay_calibrate() == 0);
    for (int i = 0; i < 200; i++) {
        double outside = called_ns();
        assay_begin();
        double inside = called_ns();
        double least = called_ns() - inside;
        assay_end();
        double most = called_ns() - outside;
        CHILD_WANTS(assay_time(&time) == 0 && time.state == ASSAY_COUNTED);
        /* On a CPU: it may have been on none for a while. */
        missed += time.ns - time.uncertainty > most + 1;
        missed += time.ns + time.uncertainty < least - 1 && least < 20000;
    }
    CHILD_WANTS(missed <= 20); /* a tenth, on a machine as busy as it may be */
    _exit(0);
}

TEST(where_ticks_are_forbidden_they_are_unsupported)
{
    int mode, status = 0;
#if defined(SANITIZED_THREADS) || defined(SANITIZED_ADDRESSES)
    skip_because("the sanitizer itself reads the counter");
#endif
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0)
        skip_because("the operating system cannot forbid ticks here");
    void (*const uses[])(void) = {use_without_ticks, use_times_of_calls};
    for (size_t i = 0; i < 2; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            uses[i]();
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}
