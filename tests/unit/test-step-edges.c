/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a counter's window opens and is closed, told from the calls around the slot: the calls of
 * every path as they come, and those that are none of the counter's. */
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "case.h"
#include "probe/sources/stepper.h"

#define OWN   4 /* descriptor of counter 0 */
#define OTHER 5

enum { SLOT = -1, FILLED = -2, COUNTER_READ = -3, END = -4 };

/* One thing that is executed: a call, or one of the above. Each is 10 instructions after the one
 * before it. */
struct event {
    long number;
    uint64_t first, second;
};

static bool is_own(void *context, int descriptor)
{
    return descriptor == *(const int *)context;
}

static struct edges play(const struct event *events)
{
    static int own = OWN;
    struct edges edges = {.own = is_own, .context = &own};
    struct steps executed = {0};
    for (; events->number != END; events++) {
        const struct system_call called = {events->number, {events->first, events->second}};
        if (events->number == SLOT)
            edges.place = EDGES_INSIDE;
        else if (events->number == FILLED)
            edges.place = EDGES_AFTER;
        else {
            executed.steps += 11;
            executed.instructions += 10;
            executed.system_calls += events->number >= 0;
            edges_note(&edges, STEPPED_PLAIN, &called, &executed);
            edges_note(&edges, events->number >= 0 ? STEPPED_CALL : STEPPED_COUNTER_READ, &called,
                       &executed);
        }
    }
    return edges;
}

#define PLAY(...)                   play((const struct event[]){__VA_ARGS__, {END, 0, 0}})
#define CALL(number, first, second) ((struct event){number, first, second})
#define READS(descriptor)           CALL(SYS_read, descriptor, 0)
#define STARTS(descriptor)          CALL(SYS_ioctl, descriptor, PERF_EVENT_IOC_ENABLE)
#define STOPS(descriptor)           CALL(SYS_ioctl, descriptor, PERF_EVENT_IOC_DISABLE)
#define RESETS(descriptor)          CALL(SYS_ioctl, descriptor, PERF_EVENT_IOC_RESET)
#define CLOCK                       CALL(SYS_clock_gettime, OWN, 0)
#define THE_SLOT                    CALL(SLOT, 0, 0), CALL(FILLED, 0, 0)
#define READS_COUNTER               CALL(COUNTER_READ, 0, 0)

static void assert_between(struct edges edges, uint64_t things, uint64_t calls)
{
    assert_true(edges.opened && edges.closed);
    struct steps between = edges_between(&edges);
    assert_int_equal(between.instructions, 10 * things);
    assert_int_equal(between.steps, 11 * things);
    assert_int_equal(between.system_calls, calls);
}

TEST(the_closing_call_counts_and_the_opening_does_not)
{
    assert_between(PLAY(STARTS(OWN), THE_SLOT, READS(OWN)), 1, 1);
    assert_between(PLAY(READS(OWN), THE_SLOT, STOPS(OWN)), 1, 1);
    assert_between(PLAY({SYS_prctl, PR_TASK_PERF_EVENTS_ENABLE, 0}, CLOCK, THE_SLOT,
                        {SYS_prctl, PR_TASK_PERF_EVENTS_DISABLE, 0}),
                   2, 2);
}

TEST(the_last_call_before_the_slot_opens_and_the_first_behind_it_closes)
{
    /* PAPI_start, PAPI_stop; then a library that reads once more, and one that resets late */
    assert_between(PLAY(RESETS(OWN), STARTS(OWN), THE_SLOT, CLOCK, READS(OWN), STOPS(OWN)), 2, 2);
    assert_between(PLAY(STARTS(OWN), STOPS(OWN), STARTS(OWN), READS(OWN), CLOCK, THE_SLOT,
                        READS(OWN), READS(OWN)),
                   2, 2);
    assert_between(PLAY(STARTS(OWN), RESETS(OWN), THE_SLOT, READS(OWN)), 1, 1);
}

TEST(calls_for_other_counters_fall_into_the_window)
{
    assert_between(PLAY(STARTS(OWN), STARTS(OTHER), THE_SLOT, READS(OWN), READS(OTHER)), 2, 2);
    assert_between(PLAY(READS(OWN), READS(OTHER), THE_SLOT, READS(OWN), READS(OTHER)), 2, 2);
}

TEST(an_instruction_that_reads_is_an_edge_and_the_first_of_several_opens)
{
    assert_between(PLAY(READS_COUNTER, THE_SLOT, READS_COUNTER), 1, 0);
    assert_between(PLAY(READS_COUNTER, READS_COUNTER, THE_SLOT, READS_COUNTER, READS_COUNTER), 2,
                   0);
    assert_between(PLAY(STARTS(OWN), THE_SLOT, READS_COUNTER), 1, 0);
    assert_between(PLAY(READS_COUNTER, THE_SLOT, STOPS(OWN)), 1, 1);
}

TEST(what_the_specimen_does_is_no_edge)
{
    assert_between(PLAY(STARTS(OWN), {SLOT, 0, 0}, READS(OWN), READS_COUNTER, STARTS(OWN),
                        {FILLED, 0, 0}, READS(OWN)),
                   4, 3);
}

TEST(a_window_that_is_not_opened_or_closed_says_so)
{
    assert_false(PLAY(CLOCK, READS(OTHER), STOPS(OWN), THE_SLOT, READS(OWN)).opened);
    assert_false(PLAY(STARTS(OWN), THE_SLOT, CLOCK, READS(OTHER), STARTS(OWN)).closed);
    assert_false(
        PLAY({SYS_prctl, PR_SET_NAME, 0}, {SYS_ioctl, OWN, 0x5401}, THE_SLOT, READS(OWN)).opened);
}
