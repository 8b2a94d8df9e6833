/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Budgets, in simulated time: a machine that lies is planned round by round as `assay validate`
 * does it, every visit takes what it would take, and what is said when the budget has ended is set
 * against what was planted. The cause must not depend on the budget, nor on how many events share
 * it, as long as what shows it was measured; where it was not, the note says that time was short.
 * JUDGE_SEED=N draws others and tells every run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "case.h"
#include "engine/wishes.h"
#include "studies/validate/judge.h"
#include "studies/validate/plan.h"
#include "trial.h"

#define PROOF_SEEDS 7000000u
#define MS          UINT64_C(1000000)
#define SECOND      (1000 * MS)

/* As in measure.c. */
#define RESERVE     (1500 * MS)
#define LEAST       (8 * MS)
#define POINTS      8
#define FIRST_LEARN 2
#define MOST_LEARNT 5
#define ROUNDS_END  400 /* more would mean that it never ends */

/* --- the machine --- */

/* In the order in which they would be listed; the first is the one that lies. */
static const struct {
    const char *name, *kind, *class;
    bool user_code;
} listed[] = {
    {"instructions:u", "hardware", "instructions", true},
    {"cycles:u", "hardware", "cycles", true},
    {"branches:u", "hardware", "branches", true},
    {"loads:u", "hardware", "loads", true},
    {"stores:u", "hardware", "stores", true},
    {"cond-branches:u", "hardware", "cond-branches", true},
    {"calls:u", "hardware", "calls", true},
    {"returns:u", "hardware", "returns", true},
    {"jumps:u", "hardware", "jumps", true},
    {"indirect:u", "hardware", "indirect-branches", true},
    {"fp:u", "hardware", "fp-instructions", true},
    {"fp-adds:u", "hardware", "fp-adds", true},
    {"fp-muls:u", "hardware", "fp-muls", true},
    {"fp-divs:u", "hardware", "fp-divs", true},
    {"fp-sqrts:u", "hardware", "fp-sqrts", true},
    {"page-faults", "software", "page-faults", false},
    {"minor-faults", "software", "minor-faults", false},
    {"context-switches", "software", "context-switches", false},
    {"raw_syscalls:sys_enter", "tracepoint", "syscalls", false},
    {"syscalls:sys_enter_getppid", "tracepoint", "getppid-calls", false},
};
#define MANY (sizeof(listed) / sizeof(listed[0]))
#define MOST 64

struct tried {
    struct random random;
    struct machine machine;
    const struct plant *plant;
    struct planting planting;
    struct catalogue_specimen catalogue[MOST];
    struct catalogue_truth truths[MOST][32];
    struct validate_specimen specimens[MOST];
    struct validate_subject subjects[MANY];
    struct wishes wishes;
    struct validate_plan plan;
    struct case_file file;
    struct place {
        size_t event, point; /* of each cell */
    } * places;
    size_t place_count;
    uint64_t budget, spent;
    const char *interrupts;
};

static struct bench bench;

static const char *grade_name(enum truth_grade grade)
{
    return grade == TRUTH_PROVEN ? "proven" : grade == TRUTH_BOUNDED ? "bounded" : "model";
}

static void list_specimen(struct tried *tried, size_t at, const struct frozen_specimen *specimen)
{
    struct catalogue_specimen *known = &tried->catalogue[at];
    for (size_t i = 0; i < specimen->class_count; i++) {
        const struct law *law = &specimen->classes[i];
        tried->truths[at][i] = (struct catalogue_truth){.class = copy_of(law->name),
                                                        .base = law->base,
                                                        .each = law->each,
                                                        .high_base = law->high_base,
                                                        .high_each = law->high_each,
                                                        .grade = copy_of(grade_name(law->grade))};
    }
    *known = (struct catalogue_specimen){.name = copy_of(specimen->name),
                                         .parameters = copy_of(""),
                                         .min_n = 1,
                                         .max_n = UINT64_C(1000000000000),
                                         .truths = tried->truths[at],
                                         .truth_count = specimen->class_count};
    if (specimen_class_at(specimen, "page-faults", 1) > 0)
        known->max_n = 1000000;
    if (specimen_class_at(specimen, "context-switches", 1) > 0)
        known->max_n = 100000;
    tried->specimens[at] = (struct validate_specimen){.known = known, .name = known->name};
}

static void begin(struct tried *tried, uint64_t seed, const char *plant, size_t events,
                  uint64_t budget)
{
    *tried = (struct tried){.budget = budget, .plant = plant_find(plant)};
    random_seed(&tried->random, seed);
    machine_draw(&tried->random, countable_find("instructions:u"),
                 (enum noise_kind)(seed % NOISE_KINDS), &tried->machine);
    machine_enter(&tried->random, &tried->machine, WORLD_USUAL);
    tried->machine.switches = random_log_between(&tried->random, 0.1, 5);
    for (size_t i = 1; i < bench.specimens.count; i++)
        list_specimen(tried, i - 1, &bench.specimens.list[i]);
    for (size_t i = 0; i < events; i++) {
        tried->subjects[i] =
            (struct validate_subject){.name = listed[i].name,
                                      .class = listed[i].class,
                                      .user_code = listed[i].user_code,
                                      .interrupts = listed[i].user_code,
                                      .ways = {{"perf-read", PATTERN_AO, "O2", "static"}},
                                      .way_count = 1,
                                      .cpus = {-1},
                                      .cpu_count = 1};
        if (strcmp(listed[i].name, "cycles:u") == 0)
            tried->subjects[i].unfiltered = "cycles";
        struct evidence *evidence = memory_add(tried->file.events, tried->file.event_count);
        evidence->event = copy_of(listed[i].name);
        evidence->kind = copy_of(listed[i].kind);
        evidence->class = copy_of(listed[i].class);
    }
    tried->plan = (struct validate_plan){.subjects = tried->subjects,
                                         .subject_count = events,
                                         .specimens = tried->specimens,
                                         .specimen_count = bench.specimens.count - 1,
                                         .interrupts = "irq_vectors:local_timer_entry",
                                         .wishes = &tried->wishes};
    tried->planting = (struct planting){.random = &tried->random, .noise = &tried->machine.noise};
}

/* --- what a visit takes and brings --- */

static void plant_in_runs(struct tried *tried, const struct point *point)
{
    const struct evidence *evidence = &tried->file.events[0];
    for (size_t i = 0; i < evidence->point_count; i++)
        if (evidence->points[i].is_null && evidence->points[i].run_count > 0)
            tried->planting.null = &evidence->points[i];
    for (size_t i = 0; tried->plant && i < point->run_count; i++) {
        struct evidence_run *run = &point->runs[i];
        const double told = tried->plant->count(&tried->planting, point, run, (double)run->value);
        run->value = told < 0 ? (uint64_t)(int64_t)told : random_round(&tried->random, told);
    }
}

static struct point *point_of(struct tried *tried, size_t at)
{
    while (tried->place_count <= at) {
        const size_t cell_at = tried->place_count;
        const struct cell *cell = &tried->wishes.cells[cell_at];
        const size_t subject = tried->plan.about[cell_at].subject;
        struct evidence *evidence = &tried->file.events[subject];
        struct point *point = evidence_add_point(evidence);
        point_describe(point, specimens_find(&bench.specimens, cell->specimen), cell->n,
                       evidence->class);
        point->counters = cell->counters;
        point->cpu = cell->cpu;
        point->has_unfiltered = cell->counters > 1 && tried->subjects[subject].unfiltered &&
                                strcmp(cell->events[1], tried->subjects[subject].unfiltered) == 0;
        point->has_interrupts = cell->counters > 1 && !point->has_unfiltered;
        *memory_add(tried->places, tried->place_count) =
            (struct place){subject, evidence->point_count - 1};
    }
    const struct place *place = &tried->places[at];
    return &tried->file.events[place->event].points[place->point];
}

static void visit(struct tried *tried, size_t at)
{
    const struct cell *cell = &tried->wishes.cells[at];
    struct point *point = point_of(tried, at);
    const struct place place = tried->places[at];
    const struct evidence *evidence = &tried->file.events[place.event];
    const struct frozen_specimen *specimen = specimens_find(&bench.specimens, cell->specimen);
    struct point drawn = *point;
    struct machine machine = tried->machine;
    machine.countable = countable_find(place.event == 0                          ? "instructions:u"
                                       : strcmp(evidence->kind, "hardware") == 0 ? "branches:u"
                                                                                 : "page-faults");
    if (!machine.countable->is_hardware) {
        machine.noise = (struct noise){0};
        machine.overhead = strcmp(evidence->class, "syscalls") == 0;
    }
    if (strcmp(evidence->class, "cycles") == 0)
        cycles_draw_runs(&tried->random, &machine, specimen, 1, cell->runs, &drawn);
    else
        point_draw_runs(&tried->random, &machine, specimen, 1, cell->runs, &drawn);
    if (place.event == 0)
        plant_in_runs(tried, &drawn);
    uint64_t inside = 0, process = 0;
    if (point->run_count)
        process = point->runs[point->run_count - 1].process + 1;
    for (size_t i = 0; i < drawn.run_count; i++) {
        struct evidence_run run = drawn.runs[i];
        inside += run.enabled;
        run.process = (uint32_t)process;
        if (!point->has_interrupts)
            run.interrupts = 0;
        *memory_add(point->runs, point->run_count) = run;
    }
    const uint64_t outside =
        (uint64_t)((double)(8 * MS) * random_between(&tried->random, 0.9, 1.3)) +
        drawn.run_count *
            (20000 + 300 * (uint64_t)specimen_class_at(specimen, "page-faults", cell->n));
    wishes_learn(tried->plan.wishes, cell->id, outside + inside, inside, cell->runs);
    tried->spent += outside + inside;
}

static uint64_t time_left(const struct tried *tried)
{
    const uint64_t gone = tried->spent + RESERVE;
    return gone < tried->budget ? tried->budget - gone : 0;
}

/* Who measures ends in the middle of a round when the time is up. */
static void measure_round(struct tried *tried, uint64_t seed)
{
    AUTO_MEMORY struct visit *visits = NULL;
    size_t count = 0;
    wishes_settle(tried->plan.wishes, 0);
    wishes_visits(tried->plan.wishes, 1, seed, &visits, &count);
    for (size_t i = 0; i < count && time_left(tried) > 0; i++)
        visit(tried, visits[i].cell - 1);
}

static bool further(struct tried *tried)
{
    const uint64_t least = tried->plan.count ? MS : LEAST;
    for (int share = SHARE_HALF; share < SHARE_COUNT && time_left(tried) >= least; share++) {
        const struct validate_round round = {.budget_ns = time_left(tried) / 10 * 8,
                                             .point_ns = tried->budget / POINTS,
                                             .share = (enum validate_share)share};
        if (validate_next(&tried->plan, &round))
            return true;
    }
    return false;
}

/* What was said in the end; in memory of the scope. */
static const struct judgement *try_budget(struct tried *tried)
{
    unsigned rounds = 0, learnt = 0;
    while (further(tried)) {
        measure_round(tried, 77 + rounds);
        if (++rounds >= FIRST_LEARN && learnt < MOST_LEARNT) {
            const struct judgements judgements = judge_case(&tried->file);
            learnt++;
            validate_surprises(&tried->plan, &judgements);
        }
        assert_in_range(rounds, 0, ROUNDS_END);
    }
    return judge_case(&tried->file).list;
}

/* --- what must be said --- */

static const struct {
    const char *plant;
    double size, share;
    const char *opcode;
    enum cause cause;
    bool is_quiet; /* too small for noise */
} lies[] = {
    {"kernel leak", 300, 0, NULL, CAUSE_KERNEL_LEAK, false},
    {"each page fault", 1, 0, NULL, CAUSE_FAULT_OVERCOUNT, true},
    {"each page fault", 20, 0, NULL, CAUSE_FAULT_OVERCOUNT, false},
    {"opcode counted more", 1, 0, "fldcw", CAUSE_OPCODE_OVERCOUNT, false},
    {"each interrupt", 1, 0, NULL, CAUSE_INTERRUPT_OVERCOUNT, true},
    {"offset", 3000, 0, NULL, CAUSE_UNKNOWN, false},
    {"factor up", 0.05, 0, NULL, CAUSE_UNKNOWN, false},
    {"threshold", 2000, 0, NULL, CAUSE_THRESHOLD, true},
    {"lost runs", 0.6, 0.25, NULL, CAUSE_LOST_COUNTS, false},
    {"scaled wrongly", 0.3, 0.5, NULL, CAUSE_MULTIPLEXING, false},
};
#define LIES (sizeof(lies) / sizeof(lies[0]))
static const uint64_t budgets[] = {20, 50, 60, 120, 300}; /* s */
#define BUDGETS (sizeof(budgets) / sizeof(budgets[0]))
static const size_t shared_by[] = {1, MANY};

static bool tells_short(const struct judgement *judgement)
{
    return reasons_find(&judgement->why, &validate_words[WHY_UNDIAGNOSED]) != NULL ||
           reasons_find(&judgement->why, &validate_words[WHY_STRAYED]) != NULL;
}

/* Code with that opcode, large enough to tell. */
static bool was_measured(const struct judgement *judgement, const char *opcode)
{
    for (size_t i = 0; i < judgement->row_count; i++)
        for (size_t j = 0;
             strcmp(judgement->rows[i].specimen, opcode) == 0 && j < judgement->rows[i].point_count;
             j++)
            if (judgement->rows[i].points[j].outweighs)
                return true;
    return false;
}

struct tally {
    unsigned runs, right, short_of_time, other_verdicts;
    enum verdict verdict; /* of the first; all others are to be the same */
};

/* One lie with one budget. */
static void try_lie(size_t lie, uint64_t seed, size_t events, uint64_t budget, struct tally *tally)
{
    static struct tried tried;
    struct memory_scope scope;
    memory_scope_begin(&scope);
    begin(&tried, seed, lies[lie].plant, events, budget * SECOND);
    tried.planting.size = lies[lie].size;
    tried.planting.share = lies[lie].share;
    tried.planting.opcode = lies[lie].opcode;
    if (lies[lie].is_quiet)
        tried.machine.noise = (struct noise){.kind = NOISE_NONE};
    const struct judgement *said = try_budget(&tried);
    if (tally->runs++ == 0)
        tally->verdict = said->verdict;
    const bool right = said->cause == lies[lie].cause;
    tally->other_verdicts += right && said->verdict != tally->verdict;
    tally->right += right;
    const bool is_open = tells_short(said) || said->verdict == VERDICT_UNJUDGED ||
                         (lies[lie].opcode && verdict_is_trusted(said->verdict) &&
                          !was_measured(said, lies[lie].opcode));
    tally->short_of_time += !right && is_open;
    if (!right && (!is_open || getenv("JUDGE_SEED")))
        printf("# %s %g, %llu s, %zu events, seed %llu (%s): %s %s: %.300s\n", lies[lie].plant,
               lies[lie].size, (unsigned long long)budget, events, (unsigned long long)seed,
               noise_names[tried.machine.noise.kind], verdict_names[said->verdict],
               cause_names[said->cause] ? cause_names[said->cause] : "", reasons_text(&said->why));
    if (!right && getenv("JUDGE_SEED"))
        for (size_t i = 0; i < said->row_count; i++)
            if (said->rows[i].verdict != VERDICT_EXACT && said->rows[i].verdict != VERDICT_ACCURATE)
                printf("#   %s: %s %s\n", said->rows[i].specimen,
                       verdict_names[said->rows[i].verdict], reasons_text(&said->rows[i].why));
    memory_scope_end(&scope);
}

static uint64_t first_seed(void)
{
    const char *seed = getenv("JUDGE_SEED");
    return seed ? strtoull(seed, NULL, 10) : PROOF_SEEDS;
}

TEST(causes_do_not_depend_on_the_budget)
{
    struct tally all = {0};
    for (size_t lie = 0; lie < LIES; lie++) {
        struct tally tally = {0};
        for (size_t i = 0; i < BUDGETS; i++)
            for (size_t j = 0; j < 2; j++)
                try_lie(lie, first_seed() + lie, shared_by[j], budgets[i], &tally);
        printf("# %s %g: %u of %u right, %u said that time was short\n", lies[lie].plant,
               lies[lie].size, tally.right, tally.runs, tally.short_of_time);
        all.runs += tally.runs;
        all.right += tally.right;
        all.short_of_time += tally.short_of_time;
        all.other_verdicts += tally.other_verdicts;
    }
    printf("# all: %u of %u right, %u short of time, %u with another verdict\n", all.right,
           all.runs, all.short_of_time, all.other_verdicts);
    assert_true((all.right + all.short_of_time) * 100 >= all.runs * 98);
    /* Whether few runs are noisy or biased may be chance. */
    assert_true(all.other_verdicts * 50 <= all.runs);
}

/* With next to no time the cause may be missing, but then the note says so. */
TEST(time_that_was_short_is_said)
{
    struct tally all = {0};
    for (size_t lie = 0; lie < LIES; lie++)
        for (size_t j = 0; j < 2; j++) {
            struct tally tally = {0};
            try_lie(lie, first_seed() + lie, shared_by[j], j ? 10 : 3, &tally);
            all.runs += tally.runs;
            all.right += tally.right;
            all.short_of_time += tally.short_of_time;
        }
    printf("# with next to no time: %u of %u right, %u short of time\n", all.right, all.runs,
           all.short_of_time);
    assert_true((all.right + all.short_of_time) * 10 >= all.runs * 9);
}

static int set_up(void **state)
{
    (void)state;
    bench_set_up(&bench);
    return 0;
}

GROUP(set_up, NULL)
