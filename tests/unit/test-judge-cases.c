/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counters that lie in ways nobody described: whatever they do, the judge must not call them exact
 * or accurate, and must call them what they are where that can be said. And what somebody found who
 * tried to deceive it: a lie that another way of measuring covered, clean counters that rare
 * accidents or few runs made look bad, factors that look like another class. */
#include "case.h"
#include "judging.h"

static uint64_t traits_of(const struct point *point, enum trait_kind kind, const char *name)
{
    const struct trait *trait = point_trait(point, kind, name);
    return trait ? (uint64_t)trait->count : 0;
}

/* --- lies; context: a random source --- */

LIE(jumps_by_rdpmc, strcmp(point->path, "rdpmc") == 0 && index % 9 == 0
                        ? run->value + (UINT64_C(1) << 48)
                        : run->value)
LIE(jumps_at_random, random_below(context, 4) == 0 ? run->value + (UINT64_C(1) << 40) : run->value)
LIE(now_and_then_one_more, run->value + (random_below(context, 100) == 0))
LIE(rarely_a_lot_more, run->value + (random_below(context, 300) == 0 ? 20000 : 0))
LIE(counts_n, point->n)
LIE(in_both_halves, run->value | run->value << 32)
LIE(drifts_down, run->value - run->value * (index % 20) / 4000)
LIE(above_every_second_time, point->is_null ? run->value
                             : index % 2    ? (uint64_t)(point->truth.high + point->truth.high / 10)
                                            : (uint64_t)point->truth.low)
LIE(wrong_in_ar, point->pattern == PATTERN_AR ? run->value / 2 : run->value)
LIE(wrong_with_four, point->counters == 4 ? run->value + run->value / 20 : run->value)
LIE(doubled, 2 * run->value)
LIE(halved, point->is_null ? run->value : run->value / 2)
LIE(stores_instead, point->is_null ? run->value : traits_of(point, TRAIT_CLASS, "stores"))
LIE(two_a_call, run->value + 2 * traits_of(point, TRAIT_CLASS, "syscalls"))
LIE(many_a_call, run->value + 200 * traits_of(point, TRAIT_CLASS, "syscalls"))
LIE(one_a_fault, run->value + run->account.minor_faults)
LIE(large_ones_lost, point->n >= 100000 && !point->is_null ? 0 : run->value)
LIE(one_specimen_dead, strcmp(point->specimen, "adds") == 0 ? 0 : run->value)
LIE(branches_twice, run->value + traits_of(point, TRAIT_OPCODE, "jne"))
/* Long runs differ more, but not by ticks: as often fewer as more. */
LIE(jitters_with_time,
    run->value + (uint64_t)(int64_t)(point->is_null ? 0
                                                    : round(built_normal(context) *
                                                            sqrt((double)run->enabled / 1e6))))

static uint64_t never_set_back(const struct point *point, const struct evidence_run *run,
                               size_t index, void *context)
{
    (void)context;
    size_t first = index;
    while (first > 0 && point->runs[first - 1].process == run->process)
        first--;
    return run->value * (index - first + 1);
}

/* Half of the time, half of the counts, and whole ones: 3 reads 1, and 2 when extrapolated. */
static uint64_t half_of_the_time(const struct point *point, const struct evidence_run *run,
                                 size_t index, void *context)
{
    (void)point, (void)index, (void)context;
    ((struct evidence_run *)run)->running = run->enabled / 2;
    return run->value / 2;
}

static uint64_t shares_and_is_right(const struct point *point, const struct evidence_run *run,
                                    size_t index, void *context)
{
    (void)context;
    struct evidence_run *changed = (struct evidence_run *)run;
    if (point->is_null || index % 2)
        return run->value;
    changed->running = run->enabled / 2;
    return (uint64_t)round((double)run->value * (double)changed->running / (double)run->enabled);
}

/* --- and what must come of them --- */

#define EITHER(one, other) ((1u << VERDICT_##one) | (1u << VERDICT_##other))
#define ONLY(one)          (1u << VERDICT_##one)

static const struct {
    const char *name, *event, *class;
    built_lie *lie;
    struct built_way way;
    unsigned verdicts; /* that are right; 0: any */
    enum cause cause;  /* of the event … */
    bool caused;       /* … where that is asked */
    enum cause never[3];
    bool unexplained;
    const char *per; /* of the first explanation; NULL: any */
    uint32_t seeds;  /* 0: one */
    struct {
        enum validate_why code; /* 0: any */
        size_t at;              /* the argument that has to be this */
        double figure;
        const char *text;
    } said;
    const char *specimens[2]; /* NULL: all */
} cases[] = {
    OF("right by luck beside a wild null cell", INSTRUCTIONS, jumps_at_random,
       OF(.processes = 1, .runs = 5), EITHER(NOISY, BIASED), .seeds = 20),
    OF("one more in a hundred of few runs", INSTRUCTIONS, now_and_then_one_more,
       OF(.processes = 5, .runs = 1), EITHER(EXACT, ACCURATE), CAUSE_NONE, true, .seeds = 20),
    OF("extrapolated counts are coarse", INSTRUCTIONS, half_of_the_time, OF(0), ONLY(ACCURATE),
       CAUSE_NONE, true),
    OF("rare accidents in a thousand runs", INSTRUCTIONS, rarely_a_lot_more,
       OF(.processes = 10, .runs = 100), ONLY(ACCURATE), .specimens = OF("loop", "adds")),
    OF("a million is nearly 2^20", "page-faults", "page-faults", counts_n, OF(0), ONLY(BIASED),
       CAUSE_OTHER_DEFINITION, true),
    OF("multiples of 2^32, any number of times", INSTRUCTIONS, in_both_halves, OF(0), ONLY(BIASED),
       CAUSE_UNKNOWN, true),
    OF("never set back", INSTRUCTIONS, never_set_back, OF(0), ONLY(BIASED),
       .said = OF(WHY_DRIFTS, 0, true)),
    OF("drifts down", INSTRUCTIONS, drifts_down, OF(0), ONLY(ACCURATE), CAUSE_UNKNOWN, true,
       .said = OF(WHY_DRIFTS, 0, false)),
    OF("a mean within the limits is not outside", "branches:u", "branches", above_every_second_time,
       OF(0), ONLY(BIASED), .said = OF(WHY_OUTSIDE_LIMITS, 1, 2200002), .specimens = OF("getppid")),
    /* Its code makes two calls for every switch. */
    OF("a factor or a class", "context-switches", "context-switches", doubled, OF(0), ONLY(BIASED),
       .said = OF(WHY_OTHER_CLASS, 6, 2)),
    OF("a single run", INSTRUCTIONS, doubled, OF(.processes = 1, .runs = 1), ONLY(NOISY),
       .said = OF(WHY_ONE_RUN)),
    OF("no null cell", INSTRUCTIONS, NULL, OF(.without_null = true, .overhead = 3), 0,
       .said = OF(WHY_CONSTANT, 1, 3)),
    OF("an interface that takes away", INSTRUCTIONS, NULL, OF(.overhead = -13), ONLY(EXACT),
       .said = OF(WHY_TAKES_AWAY, 1, 13)),
    /* In the loop alone branches are half the instructions, but for the first. */
    OF("a factor is no other class", INSTRUCTIONS, halved, OF(0), 0,
       .never = OF(CAUSE_OTHER_DEFINITION), .specimens = OF("adds", "loads")),
    /* Loads and stores of these two are the same. */
    OF("classes that no point tells apart", "loads:u", "loads", stores_instead, OF(0), ONLY(EXACT),
       .unexplained = true, .specimens = OF("locked", "adds")),
    OF("what may be counted does not leak", "instructions", "instructions", many_a_call, OF(0), 0,
       .never = OF(CAUSE_KERNEL_LEAK), .per = "system call"),
    OF("a few counts a call are the border", INSTRUCTIONS, two_a_call, OF(0), 0,
       .never = OF(CAUSE_KERNEL_LEAK), .per = "system call"),
    OF("noise that grows with time", INSTRUCTIONS, jitters_with_time, OF(.ns_each = 1000), 0,
       .never = OF(CAUSE_INTERRUPT_OVERCOUNT), .seeds = 10),
    OF("stray faults that add nothing", INSTRUCTIONS, NULL, OF(.stray_faults_percent = 20), 0,
       .unexplained = true),
    OF("stray faults where no code faults", INSTRUCTIONS, one_a_fault,
       OF(.stray_faults_percent = 10), 0, .per = "page fault", .specimens = OF("adds", "loads")),
    OF("lost counts did not wrap", INSTRUCTIONS, large_ones_lost, OF(0), 0,
       .never = OF(CAUSE_WRAP, CAUSE_THRESHOLD)),
    /* Nothing counts less than 0. */
    OF("code that is not counted at all", INSTRUCTIONS, one_specimen_dead, OF(0), 0,
       .never = OF(CAUSE_THRESHOLD, CAUSE_LOST_COUNTS, CAUSE_OPCODE_OVERCOUNT)),
    OF("multiplexed runs that extrapolate well", INSTRUCTIONS, shares_and_is_right, OF(0), 0,
       .never = OF(CAUSE_MULTIPLEXING)),
    OF("opcodes that always occur together", INSTRUCTIONS, branches_twice, OF(0), 0,
       .per = "dec or jne", .said = OF(WHY_OPCODE, 6, .text = "cond-branches")),
};

static const struct judgement *judge_case_of(size_t index, uint64_t seed)
{
    struct random random;
    random_seed(&random, seed);
    struct evidence *evidence = begin(seed, cases[index].event, cases[index].class);
    if (!cases[index].specimens[0])
        build_all(&built, evidence, &cases[index].way);
    for (size_t i = 0; i < 2 && cases[index].specimens[i]; i++)
        build_ladder(&built, evidence, &cases[index].way, cases[index].specimens[i]);
    return cases[index].lie ? judged_with(evidence, cases[index].lie, &random) : judged();
}

static void check(size_t index, const struct judgement *judgement)
{
    const size_t count = judgement->explanation_count;
    if (cases[index].verdicts && !(cases[index].verdicts & (1u << judgement->verdict)))
        fail_msg("%s", verdict_names[judgement->verdict]);
    if (cases[index].caused)
        assert_cause(judgement, cases[index].cause);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < 3 && cases[index].never[j]; j++)
            assert_int_not_equal(judgement->explanations[i].cause, cases[index].never[j]);
    if (cases[index].never[0] == CAUSE_OTHER_DEFINITION)
        assert_null(judgement->fits);
    assert_true(!cases[index].unexplained || !count);
    if (cases[index].per) {
        assert_true(count > 0);
        assert_string_equal(judgement->explanations[0].per, cases[index].per);
    }
    const enum validate_why code = cases[index].said.code;
    if (code && cases[index].said.text)
        assert_string_equal(told(judgement, code, cases[index].said.at)->text,
                            cases[index].said.text);
    else if (code == WHY_ONE_RUN)
        (void)told(judgement, code, 0);
    else if (code)
        assert_true(fabs(figure_told(judgement, code, cases[index].said.at) -
                         cases[index].said.figure) < 1e-2);
}

TEST(what_deceives_does_not_deceive_the_judge)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (uint64_t seed = 0; seed < (cases[i].seeds ? cases[i].seeds : 1); seed++) {
            const struct judgement *judgement = judge_case_of(i, seed + 5);
            if (seed == 0)
                print_message("# %s: %s, %s: %s\n", cases[i].name,
                              verdict_names[judgement->verdict], cause_word(judgement->cause),
                              reasons_text(&judgement->why));
            check(i, judgement);
        }
}

/* Every ninth run of one path jumps, its null cell as well: nothing on it outweighs that overhead.
 */
TEST(a_path_that_is_right_does_not_excuse_one_that_is_wild)
{
    struct evidence *evidence = begin(9, INSTRUCTIONS);
    build_all(&built, evidence, &(struct built_way){.overhead = 2});
    build_all(&built, evidence, &(struct built_way){.path = "rdpmc"});
    assert_came(judged_with(evidence, jumps_by_rdpmc, NULL), VERDICT_NOISY, CAUSE_WRAP);
}

TEST(the_setting_that_counts_right_is_named)
{
    for (int pattern = 0; pattern < 2; pattern++) {
        struct evidence *evidence = begin(9, INSTRUCTIONS);
        const struct built_way ao = {.pattern = PATTERN_AO, .overhead = 3}, four = {.counters = 4};
        build_all(&built, evidence, &plain);
        build_all(&built, evidence, pattern ? &ao : &four);
        const struct judgement *all =
            judged_with(evidence, pattern ? wrong_in_ar : wrong_with_four, NULL);
        assert_verdict(all, VERDICT_BIASED);
        if (pattern) {
            assert_text(all, PATTERNS, 0, pattern_descriptions[PATTERN_AO]);
            assert_text(all, PATTERNS, 1, pattern_descriptions[PATTERN_AR]);
        } else {
            assert_figure(all, COUNTERS, 0, 1);
            assert_figure(all, COUNTERS, 1, 4);
        }
    }
}

/* A third of the runs has a switch or a fault that nobody asked for, or no counter. */
TEST(runs_left_aside_are_told)
{
    for (int what = 0; what < 3; what++) {
        struct evidence *evidence = begin(9, what == 1 ? "page-faults" : "instructions:u",
                                          what == 1 ? "page-faults" : "instructions");
        build_all(&built, evidence, &plain);
        EACH_RUN(evidence, point, run)
        if ((run - point->runs) % (what == 2 ? 2 : 3) == 0) {
            run->account.minor_faults += what == 1;
            run->account.involuntary += what == 0;
            run->value = what == 2 ? 0 : run->value + (what ? 1 : 3);
            run->running = what == 2 ? 0 : run->running;
        }
        const struct judgement *all = judged();
        assert_verdict(all, VERDICT_EXACT);
        static const double told_of[] = {35, 882, 882, 3};
        for (size_t at = 0; at < 4 && what == 0; at++)
            assert_figure(all, DISTURBED_WRONG, at, told_of[at]);
        if (what == 1)
            assert_said(all, DISTURBED_RIGHT);
        if (what == 2)
            assert_figure(all, UNSCHEDULED, 0, 50);
    }
}

/* --- lies of every kind --- */

#define SEEDS 3u

static uint64_t scaled(uint64_t value, double by)
{
    return (uint64_t)((double)value * by + 0.5);
}

static bool is_first(const struct point *point, size_t index)
{
    return index == 0 || point->runs[index - 1].process != point->runs[index].process;
}
LIE(stuck, 42)
LIE(stuck_at_all_ones, UINT64_MAX)
LIE(saturates, run->value > 5000 ? 5000 : run->value)
LIE(counts_down, 0 - run->value)
LIE(garbage, random_next(context))
LIE(small_garbage, random_below(context, 1000000))

/* Counts on one of two CPUs, and a run is on either. */
LIE(on_one_cpu, random_below(context, 2) ? run->value : 0)
LIE(processes_on_one_cpu, run->process % 2 ? run->value : 0)
LIE(all_halved, run->value / 2)

/* The work of somebody else comes along, now more, now less. */
LIE(counts_another, run->value + random_below(context, 200000))

/* Run k shows what run k - 1 did; the first of a process what nobody did. */
LIE(late, is_first(point, index) ? 0 : run->value)
LIE(first_run_more, is_first(point, index) ? scaled(run->value, 1.5) : run->value)
/* Whole processes are in one of two states. */
LIE(bimodal, run->process % 2 ? scaled(run->value, 1.06) : run->value)
LIE(two_percent_more, scaled(run->value, 1.02))
LIE(fifty_fewer, point->is_null ? run->value : run->value - 50)
LIE(counts_n_squared, point->n * point->n)
LIE(the_square_root, (uint64_t)sqrt((double)run->value))
LIE(random_and_drifting, run->value + 2 * random_below(context, 40) + point->n / 40)
LIE(sixteen_bits, run->value & 0xffff)
LIE(a_few_halved, random_below(context, 100) < 4 ? run->value / 2 : run->value)

static const struct {
    const char *name;
    built_lie *lie;
    unsigned verdicts;      /* that are right */
    enum validate_why code; /* that is said, and its first figure; WHY_COUNT: any */
    double figure;
} lies[] = {
    {"stuck", stuck, ONLY(BIASED), WHY_STUCK, 42},
    {"stuck at all ones", stuck_at_all_ones, ONLY(BIASED), WHY_STUCK, -1},
    {"saturates", saturates, ONLY(BIASED), WHY_COUNT, NAN},
    {"counts down", counts_down, ONLY(BIASED), WHY_FACTOR, -1},
    {"garbage", garbage, ONLY(NOISY), WHY_COUNT, NAN},
    {"small garbage", small_garbage, ONLY(NOISY), WHY_COUNT, NAN},
    {"on one CPU", on_one_cpu, EITHER(NOISY, BIASED), WHY_COUNT, NAN},
    {"processes on one CPU", processes_on_one_cpu, EITHER(NOISY, BIASED), WHY_COUNT, NAN},
    {"halved", all_halved, ONLY(BIASED), WHY_FACTOR, 0.5},
    {"doubled", doubled, ONLY(BIASED), WHY_FACTOR, 2},
    {"counts another process", counts_another, EITHER(NOISY, BIASED), WHY_COUNT, NAN},
    {"late", late, ONLY(BIASED), WHY_COUNT, NAN},
    {"first run more", first_run_more, ONLY(BIASED), WHY_COUNT, NAN},
    {"bimodal", bimodal, EITHER(NOISY, BIASED), WHY_PROCESSES, NAN},
    {"two percent more", two_percent_more, ONLY(BIASED), WHY_FACTOR, 1.02},
    {"fifty fewer", fifty_fewer, ONLY(BIASED), WHY_COUNT, NAN},
    {"N squared", counts_n_squared, ONLY(BIASED), WHY_COUNT, NAN},
    {"square root", the_square_root, ONLY(BIASED), WHY_COUNT, NAN},
    {"random and drifting", random_and_drifting, EITHER(NOISY, BIASED), WHY_COUNT, NAN},
    {"sixteen bits", sixteen_bits, ONLY(BIASED), WHY_COUNT, NAN},
    {"one specimen dead", one_specimen_dead, ONLY(BIASED), WHY_COUNT, NAN},
    {"4 % of the runs halved", a_few_halved, EITHER(NOISY, BIASED), WHY_COUNT, NAN},
};

static void try_lie(size_t index, uint64_t seed, const struct built_way *way)
{
    struct random random;
    random_seed(&random, seed + 1000);
    const struct judgement *judgement =
        judge_lie(seed, "instructions:u", "instructions", way, lies[index].lie, &random);
    if (!((1u << judgement->verdict) & lies[index].verdicts) || judgement->cause == CAUSE_NONE)
        fail_msg("%s, seed %u: %s, %s: %s", lies[index].name, (unsigned)seed,
                 verdict_names[judgement->verdict], cause_word(judgement->cause),
                 reasons_text(&judgement->why));
    if (way->relative != 0 || lies[index].code == WHY_COUNT)
        return;
    if (isnan(lies[index].figure))
        (void)told(judgement, lies[index].code, 0);
    else
        assert_true(fabs(figure_told(judgement, lies[index].code, 0) - lies[index].figure) < 1e-3);
}

/* Without noise; in many runs of one process; in noise and overhead. */
TEST(no_lie_passes)
{
    static const struct built_way ways[] = {
        {0},
        {.processes = 1, .runs = 100},
        {.overhead = 7, .relative = 0.001, .additive = 1, .processes = 4}};
    for (size_t way = 0; way < 3; way++)
        for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
            const bool about_processes =
                lies[i].lie == bimodal || lies[i].lie == processes_on_one_cpu;
            for (uint64_t seed = 0; seed < SEEDS && !(way == 1 && about_processes); seed++)
                try_lie(i, seed, &ways[way]);
        }
}

/* The other side: what is clean but noisy must pass, else the tests above prove nothing. */
TEST(what_tells_the_truth_passes)
{
    static const struct built_way ways[] = {
        {.relative = 0.001},
        {.relative = 0.01, .overhead = 3},
        {.additive = 1},
        {.additive = 5, .overhead = 100},
        {.relative = 0.001, .additive = 1, .overhead = 7, .processes = 4},
        {.relative = 0.001, .processes = 1, .runs = 100},
        {.stray_faults_percent = 5},
    };
    for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
        for (uint64_t seed = 0; seed < UINT64_C(10) * SEEDS; seed++) {
            const struct judgement *all =
                judge_lie(seed, "instructions:u", "instructions", &ways[i], NULL, NULL);
            enum verdict verdict = all->verdict;
            enum cause cause = all->cause;
            if ((verdict != VERDICT_ACCURATE && verdict != VERDICT_EXACT) ||
                (cause != CAUSE_NONE && cause != CAUSE_INTERFACE_OVERHEAD))
                fail_msg("way %zu, seed %u: %s, %s: %s", i, (unsigned)seed, verdict_names[verdict],
                         cause_word(cause), reasons_text(&all->why));
        }
}
