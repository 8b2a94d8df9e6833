/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * CPUs against each other: planted offsets lie within their limits in every clean case and are
 * found beyond the bound; what is not constant has no offset; quanta and wraps change nothing. */
#include "clocks-shapes.h"

enum { SEEDS = 1000 };

static void begin(uint64_t seed, uint32_t cpus)
{
    built_begin(&world, seed, cpus);
    built_clock(&world, &(struct built_clock){.name = "monotonic-raw", .hz = 1000000000});
    built_clock(&world, &(struct built_clock){
                            .name = "tsc", .way = "instruction", .hz = 2600000000, .cost_ns = 12});
    world.jitter = 0.5;
    world.look_preempted = 1e-4;
    world.preempted_ns = 1e6;
}

static void trips(int32_t cpu, int32_t partner, uint32_t processes)
{
    WATCHED(processes, 60, .kind = WATCH_TRIPS, .cpu = cpu, .partner = partner);
}

static const struct clock_pair *pair_of(uint32_t clock, int32_t cpu, int32_t partner)
{
    for (size_t i = 0; i < report.pair_count; i++)
        if (report.pairs[i].clock == clock && report.pairs[i].cpu == cpu &&
            report.pairs[i].partner == partner)
            return &report.pairs[i];
    fail_msg("no pair of clock %u, CPUs %d and %d", clock, cpu, partner);
    return NULL;
}

/* Ticks of 2.6 GHz; the way of a word takes 120 ns, so the bound is about 400. */
TEST(planted_offsets_lie_within_their_limits_and_are_found)
{
    static const double planted[] = {0, 1, 10, 100, 10000, -1, -100, -10000};
    enum { PLANTED = sizeof(planted) / sizeof(*planted) };
    int missed[PLANTED] = {0}, found[PLANTED] = {0}, beyond[PLANTED] = {0}, alarms = 0;
    double bound = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        size_t which = seed % PLANTED;
        begin(seed, 2);
        built_find(&world, "tsc")->cpu_offset_ns = planted[which] / 2.6;
        trips(0, 1, 2);
        shapes_judge();
        const struct clock_pair *pair = pair_of(1, 0, 1);
        const struct clock_offsets *offsets = &report.offsets[1];
        missed[which] += pair->low > planted[which] || pair->high < planted[which];
        found[which] += offsets->worst != 0;
        beyond[which] += fabs(planted[which]) > 2 * pair->bound;
        alarms += report.offsets[0].worst != 0;
        bound = fmax(bound, pair->bound);
        assert_true(offsets->known && offsets->pairs == 1);
        assert_int_equal(pair->trips, 120);
        assert_int_equal(pair->processes, 2);
        assert_int_equal(pair->torn, 0);
        assert_true(offsets->largest_bound >= fabs(planted[which]));
        if (fabs(planted[which]) > 2 * pair->bound)
            assert_float_equal(offsets->worst, planted[which], pair->bound);
    }
    for (size_t i = 0; i < PLANTED; i++) {
        print_message("# offset %g: outside its limits %d, found %d, beyond twice the bound %d\n",
                      planted[i], missed[i], found[i], beyond[i]);
        assert_int_equal(missed[i], 0);
        assert_true(found[i] >= beyond[i]);
    }
    print_message("# largest bound %g ticks\n", bound);
    assert_int_equal(alarms, 0);
    assert_int_equal(found[0], 0);
    assert_int_equal(found[4], beyond[4]);
    assert_true(beyond[4] == SEEDS / PLANTED && beyond[7] == SEEDS / PLANTED);
}

/* With the two CPUs as near as siblings of one core, smaller offsets show. */
TEST(small_offsets_are_found_where_the_way_is_short)
{
    int found = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        built_begin(&world, seed, 2);
        built_clock(&world, &(struct built_clock){.name = "tsc",
                                                  .way = "instruction",
                                                  .hz = 2600000000,
                                                  .cost_ns = 4,
                                                  .cpu_offset_ns = 100 / 2.6});
        world.trip_ns = 10;
        trips(0, 1, 3);
        shapes_judge();
        const struct clock_pair *pair = pair_of(0, 0, 1);
        assert_true(pair->low <= 100 && 100 <= pair->high);
        found += report.offsets[0].worst != 0;
    }
    assert_int_equal(found, SEEDS);
}

TEST(either_cpu_may_ask)
{
    begin(1, 4);
    built_find(&world, "tsc")->cpu_offset_ns = 10000 / 2.6;
    trips(3, 1, 2);
    trips(1, 3, 2);
    trips(2, 1, 2);
    shapes_judge();
    assert_int_equal(report.pair_count, 4);
    const struct clock_pair *far = pair_of(1, 1, 3), *near = pair_of(1, 1, 2);
    assert_true(far->low <= 20000 && 20000 <= far->high && far->trips == 240 &&
                far->backward == 240);
    assert_true(near->low <= 10000 && 10000 <= near->high);
    const struct clock_offsets *offsets = &report.offsets[1];
    assert_true(offsets->pairs == 2 && offsets->cpu == 1 && offsets->partner == 3);
    assert_float_equal(offsets->worst, 20000, far->bound);
    assert_float_equal(offsets->offset, 20000, far->bound);
    assert_true(offsets->largest_bound >= 20000 && offsets->largest_bound < 21000);
}

/* From visit to visit: every process is sure of its own. */
TEST(an_offset_that_drifts_is_none)
{
    begin(2, 2);
    size_t index = built_watch(&world, &(struct built_watch){.kind = WATCH_TRIPS, .partner = 1});
    for (int i = 0; i < 3; i++) {
        built_find(&world, "tsc")->cpu_offset_ns = 2000.0 * (i - 1);
        built_visit(&world, index, 60);
    }
    shapes_judge();
    const struct clock_pair *pair = pair_of(1, 0, 1);
    assert_true(pair->low > pair->high);
    assert_int_equal(pair->torn, 0);
    assert_true(fabs(report.offsets[1].worst) > 4000);
}

TEST(an_offset_that_changes_within_a_process_tears_it)
{
    begin(3, 2);
    trips(0, 1, 2);
    struct clock_watch *watch = &world.file.watches[0];
    for (size_t look = (size_t)30 * WATCH_TRIP_LOOKS + 1; look < (size_t)60 * WATCH_TRIP_LOOKS;
         look += WATCH_TRIP_LOOKS)
        watch->values[look * watch->columns + 1] += 5000;
    shapes_judge();
    const struct clock_pair *pair = pair_of(1, 0, 1);
    assert_true(pair->low > pair->high);
    assert_int_equal(pair->torn, 1);
    assert_true(report.offsets[1].worst != 0);
}

/* A clock in quanta shows a later look's value up to one of them earlier. */
TEST(quanta_and_wraps_are_no_offset)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        begin(seed, 2);
        struct built_clock *tsc = built_find(&world, "tsc");
        tsc->step_ns = seed % 2 ? 10 : 4e5;
        tsc->wrap_bits = seed % 4 < 2 ? 18 : 0;
        tsc->cpu_offset_ns = seed % 3 ? 0 : 7;
        WATCHED(2, 200, .kind = WATCH_ROW, .length = 64, .columns = {"tsc", "monotonic-raw"});
        trips(0, 1, 3);
        shapes_judge();
        const struct clock_pair *pair = pair_of(1, 0, 1);
        assert_true(pair->low <= tsc->cpu_offset_ns * 2.6 &&
                    tsc->cpu_offset_ns * 2.6 <= pair->high);
        assert_true(report.offsets[1].worst == 0);
    }
}
