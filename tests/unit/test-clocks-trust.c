/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Trust in clocks: every planted fault is named right, and no clean clock is accused. All liars
 * stand in one world beside the usual clocks, so that each seed tries each of them. */
#include "clocks-shapes.h"

#define SEEDS built_seeds(60)

struct liar {
    struct built_clock clock;
    enum clock_fault fault;
    enum clock_fault other; /* that is as right */
};

/* Of 1 GHz where nothing else is said. */
#define LIAR(name_, is, ...)                                                                       \
    {                                                                                              \
        {.name = (name_), .way = "object", .hardware = "external", .external = true, __VA_ARGS__}, \
            FAULT_##is, FAULT_##is                                                                 \
    }
#define GHZ .hz = 1000000000
static const struct liar liars[] = {
    LIAR("honest", NONE, GHZ),
    LIAR("unclaimed", NONE, .true_hz = 24e6),
    LIAR("stops", STOPS_DURING_SLEEP, GHZ, .stops_in_sleep = true),
    LIAR("stops-unclaimed", STOPS_DURING_SLEEP, .true_hz = 1e6, .stops_in_sleep = true),
    LIAR("cpus", JUMPS_BETWEEN_CPUS, .hz = 2600000000, .cpu_offset_ns = 1e5),
    LIAR("cpus-back", JUMPS_BETWEEN_CPUS, GHZ, .cpu_offset_ns = -5e6),
    LIAR("back", STEPS_BACKWARDS, GHZ, .back_every_ns = 5e8, .back_by_ns = 5e6),
    LIAR("back-far", STEPS_BACKWARDS, GHZ, .back_every_ns = 1e9, .back_by_ns = 4e8),
    LIAR("glitch", STEPS_BACKWARDS, GHZ, .glitch_share = 0.02, .glitch_ns = 1e6),
    LIAR("fast", WRONG_RATE, GHZ, .ppm = 200),
    LIAR("fast-anew", WRONG_RATE, GHZ, .ppm = 200, .anew = true),
    LIAR("slow", WRONG_RATE, GHZ, .ppm = -200),
    LIAR("double", WRONG_RATE, GHZ, .ppm = 1e6),
    LIAR("idle-fast", WRONG_RATE, GHZ, .idle_ppm = 50000),
    LIAR("coarse-4ms", COARSE_STEPS, GHZ, .step_ns = 4e6),
    LIAR("coarse-1ms", COARSE_STEPS, .hz = 1000, .step_ns = 1e6),
    LIAR("wraps-32", WRAPS, .hz = 2600000000, .wrap_bits = 32),
    LIAR("wraps-24", WRAPS, .hz = 2600000000, .wrap_bits = 24),
    LIAR("wraps-16", WRAPS, .hz = 1000000, .wrap_bits = 16),
    LIAR("scatters", SCATTERS, GHZ, .scatter_ns = 5e5),
    {{.name = "set-ahead",
      GHZ,
      .way = "object",
      .hardware = "external",
      .external = true,
      .jump_at_ns = 4e9,
      .jump_by_ns = 3e9},
     FAULT_SCATTERS,
     FAULT_NONE}, /* where nobody looked */
};
#define LIARS (sizeof(liars) / sizeof(*liars))

static void build(uint64_t seed, uint32_t cpus, bool shapes)
{
    disturbed_world(seed, cpus);
    world.suspend_share = seed % 4 == 0 ? 0.01 : 0;
    world.suspend_ns = 5e7;
    for (size_t i = 0; i < LIARS; i++)
        built_clock(&world, &liars[i].clock);
    built_plan(&world, 1, shapes);
}

static const char *const clean[] = {"tsc",      "monotonic-raw", "monotonic",
                                    "boottime", "realtime",      NULL};
static const char *const cpu_times[] = {"task-clock", "process-cputime", "thread-cputime", NULL};

struct confusion {
    size_t seeds;
    size_t named[LIARS][CLOCK_FAULTS];
    size_t wrong, clean_accused, cpu_time_accused, coarse_missed;
};

static void complain(size_t *count, uint64_t seed, const char *name)
{
    const struct clock_verdict *verdict = verdict_of(name);
    if (++*count <= 5)
        print_message("# seed %u: %s is %s (%s): %s\n", (unsigned)seed, name,
                      clock_fault_names[verdict->fault], clock_trust_names[verdict->trust],
                      reasons_text(&verdict->why));
}

static void accuse(size_t *count, uint64_t seed, enum clock_trust right, const char *const *names)
{
    for (; *names; names++)
        if (verdict_of(*names)->trust != right)
            complain(count, seed, *names);
}

static void judge(struct confusion *confusion, uint64_t seed, uint32_t cpus, bool shapes)
{
    build(seed, cpus, shapes);
    judge_all();
    confusion->seeds++;
    for (size_t i = 0; i < LIARS; i++) {
        const struct clock_verdict *verdict = verdict_of(liars[i].clock.name);
        bool movable = liars[i].fault != FAULT_JUMPS_BETWEEN_CPUS || cpus > 1;
        enum clock_fault expected = movable ? liars[i].fault : FAULT_NONE;
        confusion->named[i][verdict->fault]++;
        if (verdict->fault != expected && (movable ? verdict->fault != liars[i].other : true))
            complain(&confusion->wrong, seed, liars[i].clock.name);
        assert_int_equal(verdict->trust, verdict->fault == FAULT_NONE ? TRUST_NOT_FALSIFIABLE
                                                                      : TRUST_NOT_DEPENDABLE);
        assert_true(verdict->why.count > 0);
    }
    accuse(&confusion->clean_accused, seed, TRUST_NOT_FALSIFIABLE, clean);
    accuse(&confusion->cpu_time_accused, seed, TRUST_CPU_TIME_ONLY, cpu_times);
    if (verdict_of("monotonic-coarse")->fault != FAULT_COARSE_STEPS)
        complain(&confusion->coarse_missed, seed, "monotonic-coarse");
}

static void assert_no_confusion(const struct confusion *confusion)
{
    for (size_t i = 0; i < LIARS; i++) {
        char line[200];
        int used = snprintf(line, sizeof(line), "%-16s", liars[i].clock.name);
        for (size_t fault = 0; fault < CLOCK_FAULTS; fault++)
            if (confusion->named[i][fault])
                used += snprintf(line + used, sizeof(line) - (size_t)used, " %s %zu",
                                 clock_fault_names[fault], confusion->named[i][fault]);
        print_message("# %s\n", line);
    }
    assert_int_equal(confusion->wrong, 0);
    assert_int_equal(confusion->clean_accused, 0);
    assert_int_equal(confusion->cpu_time_accused, 0);
    assert_int_equal(confusion->coarse_missed, 0);
}

static void faults_are_named(uint32_t seeds, uint64_t from, bool one_cpu, bool shapes)
{
    struct confusion confusion = {0};
    for (uint64_t seed = 1; seed <= seeds; seed++)
        judge(&confusion, from + seed, one_cpu ? 1 : seed % 3 ? 4 : 2, shapes);
    assert_no_confusion(&confusion);
}

TEST(faults_are_named_right_by_intervals_alone)
{
    faults_are_named(SEEDS, 0, false, false);
}

TEST(faults_are_named_right_with_all_watches)
{
    faults_are_named(SEEDS / 5, 10000, false, true);
}

TEST(one_cpu_is_enough_for_all_but_offsets)
{
    faults_are_named(SEEDS / 5, 20000, true, false);
}

/* What was seen, in which workload, against which reference, and whether that is independent. */
TEST(sentences_say_what_was_seen)
{
    static const struct {
        const char *clock;
        enum clocks_saying codes[3];
    } said[] = {
        {"stops", {CLOCKS_STOPS, CLOCKS_AT_WORST, CLOCKS_MAYBE_ALIKE}},
        {"cpus-back", {CLOCKS_CPUS_DISAGREE, CLOCKS_MOVED_WRONG, CLOCKS_AT_WORST}},
        {"back-far", {CLOCKS_STEPS_BACK, CLOCKS_AT_WORST, CLOCKS_MAYBE_ALIKE}},
        {"fast", {CLOCKS_RUNS_FAST, CLOCKS_MAYBE_ALIKE, CLOCKS_RUNS_FAST}},
        {"coarse-1ms", {CLOCKS_COARSE, CLOCKS_AT_WORST, CLOCKS_MAYBE_ALIKE}},
        {"wraps-32", {CLOCKS_WRAPS, CLOCKS_AT_WORST, CLOCKS_MAYBE_ALIKE}},
        {"thread-cputime", {CLOCKS_COUNTS_ONLY, CLOCKS_DISTURBED, CLOCKS_USELESS_ACROSS}},
        {"process-cputime", {CLOCKS_COUNTS_ONLY, CLOCKS_DISTURBED, CLOCKS_COUNTS_ONLY}},
        {"tsc", {CLOCKS_NOTHING_ELSE, CLOCKS_NOTHING_ELSE, CLOCKS_NOTHING_ELSE}},
    };
    build(3, 3, true);
    judge_all();
    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++) {
        const struct clock_verdict *verdict = verdict_of(said[i].clock);
        for (size_t j = 0; j < 3; j++)
            if (!says(&verdict->why, said[i].codes[j]))
                fail_msg("%s: no %s in: %s", said[i].clock, clocks_words[said[i].codes[j]].code,
                         reasons_text(&verdict->why));
    }
    assert_float_equal(verdict_of("fast")->why.list[0].values[0].number, 200, 5);
    const struct reason *wraps = verdict_of("wraps-32")->why.list;
    assert_int_equal(wraps->values[0].count, 32);
    const struct clock_verdict *stops = verdict_of("stops");
    assert_true(stops->worst_row >= 0 && stops->worst_ratio < 0.1);
    assert_true(isnan(stops->shortest_us));
    const struct clock_verdict *coarse = verdict_of("coarse-1ms");
    assert_true(coarse->shortest_us >= 1e5 && coarse->shortest_us < 3e5);
    assert_true(verdict_of("tsc")->shortest_us < 20);
}
