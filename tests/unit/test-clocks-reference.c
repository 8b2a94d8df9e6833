/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What clocks are compared with and what that proves: references, independence, and trust that
 * depends on them; scales, rows and points that are made against them. */
#include "base/memory.h"
#include "clocks-shapes.h"

#define SEEDS 60u

static const struct built_clock hpet = {
    .name = "hpet", .way = "device", .hardware = "hpet", .hz = 14318180, .cost_ns = 1200};
TEST(counters_of_one_family_are_not_independent)
{
    static const char *const hardware[] = {
        "tsc", "kvm-clock", "xen", "hyperv_clocksource_tsc_page", "hpet", "external", "", "rtc",
    };
    built_begin(&world, 1, 1);
    for (size_t i = 0; i < sizeof(hardware) / sizeof(*hardware); i++)
        built_clock(&world, &(struct built_clock){.name = hardware[i], .hardware = hardware[i]});
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 4; j++)
            assert_false(clocks_independent(&world.file, i, j));
    assert_true(clocks_independent(&world.file, 0, 4));
    assert_true(clocks_independent(&world.file, 4, 3));
    assert_false(clocks_independent(&world.file, 4, 4));
    assert_false(clocks_independent(&world.file, 5, 4));
    assert_false(clocks_independent(&world.file, 0, 6));
    /* one program makes all time of an emulated machine, but for the time of day */
    world.file.emulated = true;
    assert_false(clocks_independent(&world.file, 0, 4));
    assert_true(clocks_independent(&world.file, 0, 7));
}

TEST(an_independent_clock_around_intervals_makes_clocks_dependable)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        built_clock(&world, &hpet);
        built_find(&world, "hpet")->ppm = built_uniform(&world, -60, 60);
        judge_plan(1, false);
        assert_int_equal(report.reference.clock, index_of("hpet"));
        ASSERT_EACH(TRUST_DEPENDABLE, FAULT_NONE, "tsc", "monotonic-raw", "hpet");
    }
}

/* Where the operating system does not use the TSC, its clocks tell of it, and the other way round.
 */
TEST(another_clocksource_shows_a_counter_that_stops)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        for (size_t i = 0; i < world.file.clock_count; i++)
            if (strcmp(world.file.clocks[i].name, "tsc") != 0 && *world.file.clocks[i].hardware)
                world.file.clocks[i].hardware = memory_copy("hpet");
        bool stops = seed % 2;
        built_find(&world, "tsc")->stops_in_sleep = stops;
        judge_plan(1, false);
        assert_int_equal(report.reference.clock, index_of("monotonic-raw"));
        assert_trust("tsc", stops ? TRUST_NOT_DEPENDABLE : TRUST_DEPENDABLE,
                     stops ? FAULT_STOPS_DURING_SLEEP : FAULT_NONE);
        assert_trust("monotonic", TRUST_NOT_FALSIFIABLE, FAULT_NONE);
        assert_trust("monotonic-raw", stops ? TRUST_NOT_FALSIFIABLE : TRUST_DEPENDABLE, FAULT_NONE);
    }
}

TEST(a_device_shows_that_every_clock_of_the_counter_stops)
{
    disturbed_world(5, 4);
    built_clock(&world, &hpet);
    static const char *const made_of_it[] = {"tsc", "monotonic-raw", "monotonic", "boottime",
                                             "realtime"};
    for (size_t i = 0; i < 5; i++)
        built_find(&world, made_of_it[i])->stops_in_sleep = true;
    judge_plan(1, false);
    for (size_t i = 0; i < 5; i++)
        assert_trust(made_of_it[i], TRUST_NOT_DEPENDABLE, FAULT_STOPS_DURING_SLEEP);
}

/* A guest whose time is made by a program: all its clocks agree, and differ from outside. */
TEST(an_outside_clock_shows_time_that_a_program_makes)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        world.file.emulated = true;
        built_clock(&world, &outside);
        for (size_t i = 0; i < world.file.clock_count; i++)
            if (world.clocks[i].of <= BUILT_PROCESS) {
                world.clocks[i].ppm = -700000;
                world.clocks[i].idle_ppm = seed % 2 ? 690000 : 0;
            }
        size_t watch = built_watch(&world, &(struct built_watch){.kind = WATCH_OUTSIDE});
        built_visit(&world, watch, 5);
        for (int i = 0; i < 3; i++) {
            built_plan(&world, 1, false);
            built_visit(&world, watch, 5);
        }
        judge_all();
        assert_int_equal(report.reference.outside, index_of("outside"));
        static const char *const walls[] = {"tsc", "monotonic-raw", "monotonic"};
        for (size_t i = 0; i < 3; i++) {
            assert_trust(walls[i], TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE);
            const struct reasons *why = &report.verdicts[index_of(walls[i])].why;
            assert_true(says(why, CLOCKS_MADE_BY_PROGRAM) && says(why, CLOCKS_MADE_ELSEWHERE));
        }
        assert_trust("thread-cputime", TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE);
        assert_true(says(&verdict_of("thread-cputime")->why, CLOCKS_AGREES));
    }
}

TEST(an_rtc_confirms_clocks_or_shows_their_rate)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        bool fast = seed % 2;
        for (size_t i = 0; i < world.file.clock_count; i++)
            if (world.clocks[i].of == BUILT_TIME)
                world.clocks[i].ppm = fast ? 200 : 0;
        size_t plan_end = world.file.clock_count;
        built_plan(&world, 1, false);
        built_clock(&world, &rtc);
        assert_int_equal(world.file.clock_count, plan_end + 1);
        size_t watch = built_watch(
            &world, &(struct built_watch){.kind = WATCH_EDGES,
                                          .columns = {"rtc", "monotonic", "monotonic-raw", "tsc"}});
        built_visit(&world, watch, 2);
        built_pass(&world, 2e10);
        built_visit(&world, watch, 2);
        judge_all();
        assert_int_equal(report.reference.rtc, index_of("rtc"));
        ASSERT_EACH(fast ? TRUST_NOT_DEPENDABLE : TRUST_DEPENDABLE,
                    fast ? FAULT_WRONG_RATE : FAULT_NONE, "tsc", "monotonic-raw");
    }
}

/* ----------------------------------------------------------------------------------------------
 * Which clock is left: what agrees with a wrong clock is wrong, and recommended for nothing. */

/* The machine's clocks are fast by so much, but for this one; NULL: no exception. */
static void all_fast(double ppm, const char *but)
{
    for (size_t i = 0; i < world.file.clock_count; i++)
        if (world.clocks[i].of <= BUILT_PROCESS && !(but && strcmp(world.clocks[i].name, but) == 0))
            world.clocks[i].ppm = ppm;
}

/* A plan during which the clocks of this look, no more, were seen from outside. */
static void judge_seen_from_outside(void)
{
    const struct built_watch look = {
        .kind = WATCH_OUTSIDE,
        .columns = {"monotonic-raw", "monotonic", "boottime", "realtime", "tsc"}};
    size_t watch = built_watch(&world, &look);
    for (int i = 0; i < 3; i++) {
        built_visit(&world, watch, 5);
        built_plan(&world, 1, i == 0);
    }
    built_visit(&world, watch, 5);
    judge_all();
}

/* What advice names as a clock to take, whatever for: no wrong one. */
static bool is_recommended(const char *name)
{
    for (size_t i = 0; i < report.advice_count; i++)
        for (size_t j = 0; j < report.advice[i].text.count; j++) {
            const struct reason *reason = &report.advice[i].text.list[j];
            if (reason->words != &clocks_words[CLOCKS_FALSIFIED] && reason->value_count &&
                reason->values[0].kind == REASON_TEXT && strcmp(reason->values[0].text, name) == 0)
                return true;
        }
    return false;
}

static bool advice_says(enum clocks_saying code)
{
    for (size_t i = 0; i < report.advice_count; i++)
        if (says(&report.advice[i].text, code))
            return true;
    return false;
}

/* Clocks that nothing of another make was read beside: of a person, fine or slow to read; of the
 * counter that all share; and one whose rate is unknown. */
static const struct built_clock unseen[] = {
    {.name = "mine", .way = "object", .hardware = "external", .external = true, .hz = 1000000000},
    {.name = "asked",
     .way = "ask",
     .hardware = "external",
     .external = true,
     .hz = 1000000000,
     .cost_ns = 80000},
    {.name = "tsc-fenced", .way = "instruction", .hz = 2600000000, .cost_ns = 30},
};
static const struct built_clock unclaimed = {
    .name = "ticks", .way = "object", .hardware = "external", .external = true, .true_hz = 24e6};

TEST(what_agrees_with_a_wrong_clock_is_wrong)
{
    for (uint64_t seed = 1; seed <= built_seeds(12); seed++) {
        const double ppm = seed % 3 ? (seed % 2 ? 250 : -250) : -600000;
        disturbed_world(seed, 4);
        built_clock(&world, &outside);
        for (size_t i = 0; i < 3; i++)
            built_clock(&world, &unseen[i]);
        built_clock(&world, &unclaimed);
        all_fast(ppm, NULL);
        judge_seen_from_outside();
        ASSERT_EACH(TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE, "monotonic-raw", "tsc", "mine", "asked",
                    "tsc-fenced", "ticks");
        /* of CPU time a hundredth may be wrong */
        assert_trust("thread-cputime", fabs(ppm) > 1e4 ? TRUST_NOT_DEPENDABLE : TRUST_CPU_TIME_ONLY,
                     fabs(ppm) > 1e4 ? FAULT_WRONG_RATE : FAULT_NONE);
        for (size_t i = 0; i < 3; i++) {
            const struct clock_verdict *verdict = verdict_of(unseen[i].name);
            assert_true(says(&verdict->why, CLOCKS_AGREES));
            assert_true(says(&verdict->why, CLOCKS_MADE_ELSEWHERE));
            assert_true(verdict->faults && isnan(verdict->shortest_us));
        }
        assert_true(says(&verdict_of("ticks")->why, CLOCKS_RATE_TAKEN));
        for (size_t i = 0; i < world.file.clock_count; i++)
            if (world.file.clocks[i].role == ROLE_WALL)
                assert_false(is_recommended(world.file.clocks[i].name));
        assert_true(advice_says(CLOCKS_FALSIFIED) && advice_says(CLOCKS_NONE_TRUSTED));
        assert_false(advice_says(CLOCKS_NONE_FALSIFIABLE) || advice_says(CLOCKS_NONE_CONFIRMED));
    }
}

/* Right clocks beside a wrong one, and a whole machine that is right, are accused by nobody. */
TEST(who_does_not_agree_with_a_wrong_clock_is_not_accused)
{
    for (uint64_t seed = 1; seed <= built_seeds(12); seed++) {
        const bool wrong = seed % 2;
        disturbed_world(seed, 4);
        built_clock(&world, &outside);
        for (size_t i = 0; i < 3; i++)
            built_clock(&world, &unseen[i]);
        built_clock(&world, &unclaimed);
        all_fast((double)(seed % 5) * 20, NULL);
        if (wrong)
            built_find(&world, "realtime")->ppm = 400;
        judge_seen_from_outside();
        ASSERT_EACH(TRUST_DEPENDABLE, FAULT_NONE, "monotonic-raw", "tsc", "monotonic");
        ASSERT_EACH(TRUST_NOT_FALSIFIABLE, FAULT_NONE, "mine", "asked", "tsc-fenced", "ticks");
        assert_trust("thread-cputime", TRUST_CPU_TIME_ONLY, FAULT_NONE);
        assert_trust("realtime", wrong ? TRUST_NOT_DEPENDABLE : TRUST_DEPENDABLE,
                     wrong ? FAULT_WRONG_RATE : FAULT_NONE);
        for (size_t i = 0; i < world.file.clock_count; i++)
            assert_int_equal(report.verdicts[i].tie, TIE_NONE);
        assert_int_equal(advice_says(CLOCKS_FALSIFIED), wrong);
        assert_true(is_recommended("tsc"));
    }
}

/* Two clocks of the machine that were never read together are one counter all the same; but where
 * another form of that counter is right, it is not the counter that is wrong. */
TEST(the_counter_that_clocks_share_is_wrong_with_them)
{
    for (int right = 0; right < 2; right++) {
        disturbed_world(3, 1);
        built_clock(&world, &outside);
        all_fast(300, right ? "tsc" : NULL);
        built_watch(&world, &(struct built_watch){.kind = WATCH_INTERVAL, .columns = {"tsc"}});
        const struct built_watch look = {.kind = WATCH_OUTSIDE,
                                         .columns = {"monotonic-raw", right ? "tsc" : NULL}};
        size_t watch = built_watch(&world, &look);
        size_t around =
            built_watch(&world, &(struct built_watch){.kind = WATCH_INTERVAL,
                                                      .columns = {"monotonic-raw", "tsc"}});
        size_t row = built_watch(
            &world, &(struct built_watch){.kind = WATCH_ROW, .columns = {"realtime", "tsc"}});
        for (int i = 0; i < 4; i++) {
            built_visit(&world, watch, 5);
            built_visit(&world, around, 20);
            built_visit(&world, row, 2);
        }
        built_visit(&world, watch, 5);
        judge_all();
        assert_trust("monotonic-raw", TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE);
        assert_trust("realtime", right ? TRUST_NOT_FALSIFIABLE : TRUST_NOT_DEPENDABLE,
                     right ? FAULT_NONE : FAULT_WRONG_RATE);
        assert_int_equal(says(&verdict_of("realtime")->why, CLOCKS_OF_WRONG_COUNTER), !right);
    }
}

/* Too slow to be told from a wrong clock, and from a right one: no proof, and no advice. */
TEST(what_cannot_be_told_from_a_wrong_clock_is_not_recommended)
{
    disturbed_world(4, 4);
    built_clock(&world, &outside);
    struct built_clock slow = unseen[1];
    slow.cost_ns = 5e6;
    built_clock(&world, &slow);
    all_fast(250, NULL);
    const size_t look = built_watch(
        &world, &(struct built_watch){.kind = WATCH_OUTSIDE, .columns = {"monotonic-raw", "tsc"}});
    built_visit(&world, look, 5);
    WATCHED(2, 3, .kind = WATCH_INTERVAL, .columns = {"monotonic-raw", "tsc", "asked"});
    built_pass(&world, 1e10);
    built_visit(&world, look, 5);
    judge_all();
    assert_trust("asked", TRUST_NOT_FALSIFIABLE, FAULT_NONE);
    assert_true(says(&verdict_of("asked")->why, CLOCKS_NOT_PARTED));
    assert_false(is_recommended("asked"));
    assert_true(advice_says(CLOCKS_FALSIFIED) && advice_says(CLOCKS_NONE_TRUSTED));
}

/* The clock that all intervals are held against is wrong itself: another one takes its place, and
 * nobody is accused for being right. */
TEST(a_reference_that_is_wrong_itself_accuses_nobody)
{
    for (uint64_t seed = 1; seed <= built_seeds(8); seed++) {
        disturbed_world(seed, 4);
        built_clock(&world, &outside);
        built_clock(&world, &unseen[0]);
        built_find(&world, "monotonic-raw")->ppm = seed % 2 ? 300 : 20000;
        judge_seen_from_outside();
        assert_int_not_equal(report.reference.clock, index_of("monotonic-raw"));
        assert_true(says(&report.reference.why, CLOCKS_FIRST_REFUTED));
        assert_trust("monotonic-raw", TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE);
        ASSERT_EACH(TRUST_DEPENDABLE, FAULT_NONE, "tsc", "monotonic", "boottime");
        assert_trust("mine", TRUST_NOT_FALSIFIABLE, FAULT_NONE);
        assert_trust("thread-cputime", TRUST_CPU_TIME_ONLY, FAULT_NONE);
        assert_true(is_recommended("tsc") && !is_recommended("monotonic-raw"));
    }
}

/* All time of the machine is wrong, but for a clock that a person brings along: that one is left.
 */
TEST(who_differs_from_a_wrong_clock_as_a_right_one_would_is_left)
{
    for (uint64_t seed = 1; seed <= built_seeds(8); seed++) {
        const double ppm = seed % 2 ? 300 : -600000;
        disturbed_world(seed, 4);
        built_clock(&world, &outside);
        built_clock(&world, &unseen[0]);
        all_fast(ppm, "mine");
        judge_seen_from_outside();
        ASSERT_EACH(TRUST_NOT_DEPENDABLE, FAULT_WRONG_RATE, "monotonic-raw", "tsc", "monotonic");
        assert_trust("mine", TRUST_NOT_FALSIFIABLE, FAULT_NONE);
        assert_true(is_recommended("mine") && !is_recommended("tsc"));
        assert_true(advice_says(CLOCKS_FALSIFIED) && advice_says(CLOCKS_NONE_CONFIRMED));
        assert_false(advice_says(CLOCKS_NONE_TRUSTED) || advice_says(CLOCKS_NONE_FALSIFIABLE));
    }
}

/* An RTC and another machine disagree: the other machine counts, and the contradiction is said. */
TEST(two_references_that_disagree_are_named)
{
    for (int fast = 0; fast < 2; fast++) {
        disturbed_world(6, 4);
        all_fast(fast ? 400 : 0, NULL);
        built_clock(&world, &outside);
        built_clock(&world, &rtc);
        built_find(&world, "rtc")->ppm = 400;
        static const struct built_watch edges = {
            .kind = WATCH_EDGES, .columns = {"rtc", "monotonic", "monotonic-raw", "tsc"}};
        size_t watch = built_watch(&world, &edges);
        built_visit(&world, watch, 2);
        built_pass(&world, 2e10);
        judge_seen_from_outside();
        built_visit(&world, watch, 2);
        judge_all();
        assert_trust("tsc", fast ? TRUST_NOT_DEPENDABLE : TRUST_DEPENDABLE,
                     fast ? FAULT_WRONG_RATE : FAULT_NONE);
        assert_true(says(&verdict_of("tsc")->why, CLOCKS_WITNESSES_DIFFER));
        assert_int_equal(is_recommended("tsc"), !fast);
    }
}

/* A time of day that was set, and a reference that jumps alone: their own fault, and nobody
 * else's; but where it fell between two visits, and nobody looked. */
TEST(a_clock_that_jumps_is_accused_itself)
{
    size_t seen[2] = {0};
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int reference = 0; reference < 2; reference++) {
            const char *name = reference ? "monotonic-raw" : "realtime";
            const bool ahead = reference || seed % 2;
            disturbed_world(seed, 4);
            built_find(&world, name)->jump_at_ns = world.now + 3e9;
            built_find(&world, name)->jump_by_ns = ahead ? 1e9 : -1e9;
            judge_plan(1, false);
            const struct clock_verdict *verdict = verdict_of(name);
            seen[reference] += verdict->trust == TRUST_NOT_DEPENDABLE;
            if (verdict->fault != FAULT_NONE && !reference)
                assert_int_equal(verdict->fault, ahead ? FAULT_SCATTERS : FAULT_STEPS_BACKWARDS);
            ASSERT_EACH(TRUST_NOT_FALSIFIABLE, FAULT_NONE, "tsc",
                        reference ? "monotonic" : "monotonic-raw");
        }
    assert_true(seen[0] > SEEDS * 8 / 10 && seen[1] > SEEDS * 8 / 10);
}

TEST(a_steered_clock_may_follow_what_steers_it)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        bool said = seed % 2;
        world.file.steered_ppm = said ? 300 : 0;
        built_find(&world, "monotonic")->ppm = 300;
        judge_plan(1, false);
        assert_trust("monotonic", said ? TRUST_NOT_FALSIFIABLE : TRUST_NOT_DEPENDABLE,
                     said ? FAULT_NONE : FAULT_WRONG_RATE);
    }
}

TEST(cycles_tell_cpu_time_only_where_their_rate_is_constant)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        disturbed_world(seed, 4);
        double dip = seed % 2 ? 0.4 : 0;
        built_clock(&world, &(struct built_clock){.name = "cycles",
                                                  .way = "read",
                                                  .hardware = "cycles",
                                                  .role = ROLE_CYCLES,
                                                  .of = BUILT_THREAD,
                                                  .true_hz = 3e9,
                                                  .frequency_dip = dip});
        judge_plan(1, false);
        assert_false(report.scales[index_of("cycles")].claimed);
        assert_trust("cycles", dip > 0 ? TRUST_NOT_DEPENDABLE : TRUST_CPU_TIME_ONLY,
                     dip > 0 ? FAULT_VARIES_WITH_FREQUENCY : FAULT_NONE);
    }
}

TEST(nothing_at_all_is_judged_without_a_crash)
{
    built_begin(&world, 1, 1);
    judge_all();
    assert_int_equal(report.reference.clock, -1);
    built_usual_clocks(&world);
    judge_all();
    for (int kind = WATCH_INTERVAL; kind < WATCH_OUTSIDE; kind++)
        built_watch(&world, &(struct built_watch){.kind = (enum watch_kind)kind, .partner = 0});
    judge_all();
}
