/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers on a machine with counters: regions of known numbers of instructions, whose corrected
 * counts must be those numbers every time, on both paths, with one to six counters, alone and
 * inside each other, however the caller's code was compiled; and what is noticed of disturbances.
 * Static, TAP on standard output; skips with the reason where instructions cannot be counted. */
#include "calipers.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <assay.h>

#define MOST 6 /* counters */
#define ROOM                                                                                       \
    2 /* where functions are called the compiler passes a name by one instruction or two           \
       */
#define USER_MOST 30 /* instructions that reading a counter in user code may take */
/* From 10000 on at one level, in two shapes, with fewest and most counters: they take long. */
#define SIZES_FOR_ALL 5

const uint64_t region_inside[REGION_SHAPES] = {
    [REGION_ONE_CHILD] = REGION_INSIDE,
    [REGION_THREE_CHILDREN] = UINT64_C(3) * REGION_INSIDE,
    [REGION_DEPTH_THREE] = UINT64_C(2) * REGION_INSIDE,
    [REGION_NAMED_CHILDREN] = UINT64_C(3) * REGION_INSIDE,
};
const char *const region_shape_names[REGION_SHAPES] = {
    [REGION_SINGLE] = "alone",
    [REGION_ONE_CHILD] = "with a region inside",
    [REGION_THREE_CHILDREN] = "with three inside",
    [REGION_DEPTH_THREE] = "with one inside one inside",
    [REGION_NAMED_CHILDREN] = "with two inside that have names",
};
static const uint64_t sizes[REGION_SIZES] = {REGION_SIZES_LIST};
static const struct region_maker *const makers[] = {&region_maker_O0, &region_maker_O2,
                                                    &region_maker_called};

/* All of them count instructions of user code; the second too in the lab, where each takes a cycle.
 */
static const char *const events[MOST] = {"instructions:u", "cycles:u",       "instructions:u",
                                         "instructions:u", "instructions:u", "instructions:u"};
#define CYCLES 1

static int cases, failures;

void tell(bool holds, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %d - ", holds ? "ok" : "not ok", ++cases);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    failures += !holds;
}

struct assay_calipers *open_calipers(size_t count, unsigned flags)
{
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, count, flags) < 0) {
        printf("Bail out! %s\n", assay_last_error());
        exit(1);
    }
    return calipers;
}

/* Is the count of an event what it must be? */
static bool is_right(const struct assay_count *count, double truth, double room)
{
    double error = count->corrected - truth;
    return count->state == ASSAY_COUNTED && error >= -room && error <= room &&
           count->low <= count->corrected && count->corrected <= count->high;
}

static bool holds(const struct assay_count *counts, size_t count, double truth)
{
    for (size_t i = 0; i < count; i++)
        if (counts[i].low > truth || counts[i].high < truth)
            return false;
    return true;
}

/* How many counts of a region were wrong, of all events and times. A reading that had to be made
 * again because the task was switched just then costs more: such a region says so, its bar holds
 * the truth, and another is made instead. */
int wrong(void (*make)(void), size_t count, uint64_t truth, double room, bool cycles)
{
    struct assay_count counts[MOST];
    int found = 0, again = 0;
    make(); /* what happens once, to a name or a page, is no part of it */
    for (int time = 0; time < TIMES; time++) {
        make();
        assay_counts(counts);
        if (counts[0].noticed & ASSAY_SAW_DISTURBED && again < AGAIN_MOST &&
            holds(counts, count, (double)truth)) {
            again++;
            time--;
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            if ((i == CYCLES && !cycles) || is_right(&counts[i], (double)truth, room))
                continue;
            if (found++ < 3)
                printf("# counter %zu: %g (%g to %g) for %llu, %s, noticed 0x%x\n", i,
                       counts[i].corrected, counts[i].low, counts[i].high,
                       (unsigned long long)truth, assay_state_name(counts[i].state),
                       counts[i].noticed);
        }
    }
    if (again)
        printf("# %d made again\n", again);
    return found;
}

static void regions_are_exact(const struct region_maker *maker, size_t count, unsigned flags,
                              bool emulated)
{
    struct assay_calipers *calipers = open_calipers(count, flags);
    const char *path = assay_path_name(assay_calipers_path(calipers));
    int calibrated = maker->calibrate();
    for (int shape = 0; shape < REGION_SHAPES; shape++) {
        bool all =
            maker == &region_maker_O2 && shape <= REGION_ONE_CHILD && (count == 1 || count == MOST);
        size_t most = all ? REGION_SIZES : SIZES_FOR_ALL;
        bool passed = maker == &region_maker_called && shape == REGION_NAMED_CHILDREN;
        int found = 0;
        for (size_t size = 0; size < most; size++)
            found += wrong(maker->make[shape][size], count, sizes[size] + region_inside[shape],
                           passed ? ROOM : 0, emulated);
        tell(!calibrated && !found,
             "%s, counters: %zu, compiled as %s, %s: 0 to %llu instructions, %d times each, %d "
             "wrong",
             path, count, maker->name, region_shape_names[shape],
             (unsigned long long)sizes[most - 1], TIMES, found);
    }
    assay_calipers_close(calipers);
}

static void a_user_read_takes_few_instructions(void)
{
    struct assay_overhead one, six;
    struct assay_calipers *calipers = open_calipers(1, ASSAY_USER | ASSAY_NO_TIME);
    region_maker_O2.calibrate();
    assay_calipers_overhead(calipers, 0, &one);
    assay_calipers_close(calipers);
    calipers = open_calipers(MOST, ASSAY_USER | ASSAY_NO_TIME);
    region_maker_O2.calibrate();
    assay_calipers_overhead(calipers, 0, &six);
    assay_calipers_close(calipers);
    double each = (six.window - one.window) / (MOST - 1);
    tell(one.window <= USER_MOST && each <= USER_MOST,
         "an empty region by user reads counts %g instructions of its own, %g more a counter",
         one.window, each);
}

static void sleeping_inside_is_noticed(void)
{
    struct assay_count count;
    struct timespec moment = {.tv_nsec = 1000000};
    struct assay_calipers *calipers = open_calipers(1, ASSAY_USER);
    region_maker_O2.calibrate();
    assay_begin();
    nanosleep(&moment, NULL);
    assay_end();
    assay_counts(&count);
    tell(count.noticed & ASSAY_SAW_SWITCHES && !(count.noticed & ASSAY_SAW_MULTIPLEXING),
         "a switch of tasks is noticed where no system call reads (0x%x)", count.noticed);
    assay_begin();
    assay_begin();
    nanosleep(&moment, NULL);
    assay_end();
    assay_end();
    assay_counts(&count);
    tell(count.noticed & ASSAY_SAW_SWITCHES, "and by the region around (0x%x)", count.noticed);
    assay_begin();
    assay_end();
    assay_counts(&count);
    tell(!(count.noticed & ASSAY_SAW_SWITCHES), "but not by the next one (0x%x)", count.noticed);
    assay_calipers_close(calipers);
}

/* Pinned events take all counters; the calipers' own get none. */
static void counters_that_others_have_are_noticed(unsigned flags)
{
    static const char *const pinned[] = {"instructions:u"};
    struct assay_set *sets[64];
    struct assay_count count;
    size_t taken = 0;
    struct assay_calipers *calipers = open_calipers(1, flags);
    region_maker_O2.calibrate();
    for (; taken < sizeof(sets) / sizeof(sets[0]); taken++)
        if (assay_set_open(&sets[taken], pinned, 1, ASSAY_PINNED) < 0 ||
            assay_set_enable(sets[taken]) < 0)
            break;
    assay_begin();
    for (volatile int i = 0; i < 1000; i++)
        ;
    assay_end();
    assay_counts(&count);
    tell(count.state == ASSAY_UNSCHEDULED && count.noticed & ASSAY_SAW_MULTIPLEXING,
         "%s: a region whose counters others have says so: %s, %g (0x%x)",
         assay_path_name(assay_calipers_path(calipers)), assay_state_name(count.state),
         count.corrected, count.noticed);
    assay_begin();
    for (volatile int i = 0; i < 1000; i++)
        ;
    while (taken)
        assay_set_close(sets[--taken]);
    for (volatile int i = 0; i < 1000000; i++)
        ;
    assay_end();
    assay_counts(&count);
    tell(count.state == ASSAY_MULTIPLEXED && count.noticed & ASSAY_SAW_MULTIPLEXING,
         "%s: one that had them part of the time says so: %s, %g to %g (0x%x)",
         assay_path_name(assay_calipers_path(calipers)), assay_state_name(count.state), count.low,
         count.high, count.noticed);
    assay_calipers_close(calipers);
}

static bool counts_instructions(bool *emulated)
{
    struct assay_calipers *calipers = open_calipers(2, ASSAY_USER);
    bool counts = assay_calipers_error(calipers, 0) == 0;
    if (!counts)
        printf("1..0 # SKIP %s\n", assay_calipers_reason(calipers, 0));
    /* A cycle an instruction: not hardware. */
    struct assay_count found[2] = {0};
    region_maker_O2.calibrate();
    region_maker_O2.make[REGION_SINGLE][4]();
    assay_counts(found);
    *emulated = found[0].raw == found[1].raw;
    assay_calipers_close(calipers);
    return counts;
}

int main(void)
{
    bool emulated;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!counts_instructions(&emulated))
        return 0;
    for (unsigned flags = ASSAY_USER; flags <= ASSAY_READ; flags++)
        for (size_t count = 1; count <= MOST; count++)
            for (size_t maker = 0; maker < sizeof(makers) / sizeof(makers[0]); maker++)
                regions_are_exact(makers[maker], count, flags, emulated);
    a_user_read_takes_few_instructions();
    sleeping_inside_is_noticed();
    counters_that_others_have_are_noticed(ASSAY_USER);
    counters_that_others_have_are_noticed(ASSAY_READ);
    calipers_in_company();
    printf("1..%d\n", cases);
    return failures != 0;
}
