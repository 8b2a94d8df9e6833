/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Ticks and time of regions, on whatever clock the machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "assay.h"
#include "lib/calipers.h"
#include "skip.h"

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

static void close_and_skip(struct assay_calipers *calipers)
{
    print_message("# skip: %s\n", assay_calipers_reason(calipers, 0));
    assay_calipers_close(calipers);
}

static void a_region_has_its_ticks_and_a_bar(void **state)
{
    (void)state;
    struct assay_calipers *calipers = open_ticks(0);
    struct assay_count count;
    if (assay_calipers_error(calipers, 0)) {
        close_and_skip(calipers);
        return;
    }
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

static void inside_a_region_no_others_are_measured(void **state)
{
    (void)state;
    struct assay_calipers *calipers = open_ticks(0);
    struct assay_count count;
    if (assay_calipers_error(calipers, 0)) {
        close_and_skip(calipers);
        return;
    }
    assert_int_equal(assay_calibrate(), 0);
    assay_begin();
    assay_begin();
    assay_end();
    assert_int_equal(assay_counts(&count), 0);
    assert_int_equal(calipers->tick_nulls.count, 0);
    assay_end();
    assert_int_equal(calipers->result->children, 1);
    assert_int_equal(assay_counts(&count), 0);
    assert_true(count.state == ASSAY_COUNTED && calipers->tick_nulls.count > 0);
    assert_int_equal(calipers->result->children, 1);
    assay_calipers_close(calipers);
}

/* Where a handler may come: between the regions that are measured, and within one of them. */
static void handlers_that_ask_leave_others_their_counts(void **state)
{
    (void)state;
    struct assay_calipers *calipers = open_ticks(0);
    struct assay_count asked, own, again;
    if (assay_calipers_error(calipers, 0)) {
        close_and_skip(calipers);
        return;
    }
    assert_int_equal(assay_calibrate(), 0);
    for (int within = 0; within < 2; within++) {
        assay_begin();
        spend(20000);
        assay_end();
        counts_of(calipers, &asked);
        assert_true(assay_counts_start() > 0);
        assay_begin();
        if (!within)
            assay_end();
        assay_begin(); /* the handler's */
        spend(40000);
        assay_end();
        counts_of(calipers, &own);
        assert_int_equal(assay_counts(&again), 0);
        assert_int_equal(again.raw, own.raw);
        if (within)
            assay_end();
        assay_counts_take(0, 0);
        assert_int_equal(assay_counts_finish(&again), 0);
        assert_int_equal(again.raw, asked.raw);
        assert_true(own.raw != asked.raw);
    }
    assay_calipers_close(calipers);
}

static void take_last(const struct assay_calipers *calipers)
{
    assay_counts_take(calipers->result->ticks[0], calipers->result->ticks[1]);
}

/* One with a handler's region inside tells nothing of what measuring alone adds. */
static void neighbours_around_others_are_not_taken(void **state)
{
    (void)state;
    struct assay_calipers *calipers = open_ticks(0);
    struct assay_count count;
    if (assay_calipers_error(calipers, 0)) {
        close_and_skip(calipers);
        return;
    }
    assert_int_equal(assay_calibrate(), 0);
    assay_begin();
    assay_end();
    assert_true(assay_counts_start() > 0);
    assay_begin();
    assay_begin();
    assay_end();
    assay_end();
    take_last(calipers);
    assert_int_equal(calipers->tick_nulls.count, 0);
    assay_begin();
    assay_end();
    take_last(calipers);
    assert_int_equal(calipers->tick_nulls.count, 1);
    assert_int_equal(assay_counts_finish(&count), 0);
    assay_calipers_close(calipers);
}

/* The interval by CLOCK_MONOTONIC_RAW around the region, and the one inside it. System calls tell
 * only how long the thread was on a CPU. */
static void check_time(const struct assay_calipers *calipers, uint64_t ns)
{
    struct assay_duration time;
    struct region_reading reading;
    uint64_t outside = raw_ns();
    assay_begin();
    uint64_t inside = raw_ns();
    spend(ns);
    uint64_t least = raw_ns() - inside;
    assay_end();
    uint64_t most = raw_ns() - outside;
    assert_int_equal(assay_time(&time), 0);
    assert_int_equal(time.state, ASSAY_COUNTED);
    reading_of(calipers, calipers->result, &reading);
    if ((time.ns + time.uncertainty < (double)least - 1 && !reading.switches) ||
        time.ns - time.uncertainty > (double)most + 1)
        fail_msg("%f ns with an error of %f, between %d and %d", time.ns, time.uncertainty,
                 (int)least, (int)most);
}

static void the_time_of_a_region_agrees_with_the_operating_systems(void **state)
{
    (void)state;
    static const char *const faults[] = {"page-faults:u"};
    for (size_t events = 0; events < 2; events++) {
        struct assay_calipers *calipers;
        struct assay_duration time;
        assert_int_equal(assay_calipers_open(&calipers, faults, events, ASSAY_WATCH), 0);
        assert_int_equal(assay_calibrate(), 0);
        assay_begin();
        assay_end();
        assert_int_equal(assay_time(&time), 0);
        if (time.state == ASSAY_COUNTED) {
            for (int i = 0; i < 50; i++) {
                check_time(calipers, 100);
                check_time(calipers, 30000);
            }
            check_time(calipers, 3000000);
        } else {
            print_message("# no time here\n");
        }
        assay_calipers_close(calipers);
    }
}

static void time_that_was_not_wanted_is_not_read(void **state)
{
    (void)state;
    struct assay_calipers *calipers;
    struct assay_duration time;
    assert_int_equal(assay_calipers_open(&calipers, NULL, 0, ASSAY_NO_TIME), 0);
    assert_int_equal(calipers->here.ways, 0);
    assay_begin();
    assay_end();
    assert_int_equal(assay_time(&time), 0);
    assert_int_equal(time.state, ASSAY_UNSUPPORTED);
    assert_true(isinf(time.uncertainty));
    assay_calipers_close(calipers);
}

static void ticks_become_nanoseconds_with_what_is_not_known_of_their_rate(void **state)
{
    (void)state;
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

static void where_ticks_are_forbidden_they_are_unsupported(void **state)
{
    (void)state;
    int mode, status = 0;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    skip_because("the sanitizer itself reads the counter");
#endif
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) < 0)
        skip_because("the operating system cannot forbid ticks here");
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        use_without_ticks();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_has_its_ticks_and_a_bar),
        cmocka_unit_test(inside_a_region_no_others_are_measured),
        cmocka_unit_test(handlers_that_ask_leave_others_their_counts),
        cmocka_unit_test(neighbours_around_others_are_not_taken),
        cmocka_unit_test(the_time_of_a_region_agrees_with_the_operating_systems),
        cmocka_unit_test(time_that_was_not_wanted_is_not_read),
        cmocka_unit_test(ticks_become_nanoseconds_with_what_is_not_known_of_their_rate),
        cmocka_unit_test(where_ticks_are_forbidden_they_are_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
