/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plan of `assay clocks`: cells of watches in the order of their importance. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/random.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which pairs of CPUs are compared where there are too many for all: a choice that visits every
 * CPU. */

static struct cpu_pair in_order(int32_t one, int32_t other)
{
    return one < other ? (struct cpu_pair){one, other} : (struct cpu_pair){other, one};
}

void clocks_pairs(const int32_t *cpus, size_t count, size_t most, uint64_t seed,
                  struct cpu_pair **pairs, size_t *pair_count)
{
    size_t all = count < 2 ? 0 : count * (count - 1) / 2, fewest = (count + 1) / 2, made = 0;
    size_t wanted = most < fewest ? fewest : most;
    wanted = wanted > all ? all : wanted;
    struct cpu_pair *list = memory_new(wanted + 1, sizeof(*list));
    *pairs = list;
    *pair_count = wanted;
    if (wanted == all) {
        for (size_t i = 0; i < count; i++)
            for (size_t j = i + 1; j < count; j++)
                list[made++] = in_order(cpus[i], cpus[j]);
        return;
    }
    AUTO_MEMORY int32_t *order = memory_new(count, sizeof(*order));
    struct random random;
    random_seed(&random, seed);
    memcpy(order, cpus, count * sizeof(*order));
    for (size_t left = count; left > 1; left--) {
        size_t chosen = (size_t)random_below(&random, left);
        int32_t last = order[left - 1];
        order[left - 1] = order[chosen];
        order[chosen] = last;
    }
    /* First every CPU once, then random ones beyond those that are there. */
    for (size_t i = 0; i + 1 < count; i += 2)
        list[made++] = in_order(order[i], order[i + 1]);
    if (count % 2)
        list[made++] = in_order(order[count - 2], order[count - 1]);
    while (made < wanted) {
        size_t one = (size_t)random_below(&random, count);
        size_t other = (size_t)random_below(&random, count - 1);
        const struct cpu_pair pair = in_order(order[one], order[other + (other >= one)]);
        bool there = false;
        for (size_t i = 0; i < made && !there; i++)
            there = list[i].cpu == pair.cpu && list[i].partner == pair.partner;
        if (!there)
            list[made++] = pair;
    }
}

/* ----------------------------------------------------------------------------------------------
 * Which clocks a look holds and in which order: the slow ones outermost, so that the quick ones
 * stand close to what is timed, and innermost what all others are compared with. */

/* The CPU's counter, as it is; and read in order with the instructions around it. */
static const char *const counters[] = {"tsc", "cntvct", "rdtime"};
static const char *const fenced[] = {"tsc-fenced", "cntvct-fenced", "rdtime-fenced"};
/* Every other is compared with the first of these that is there. */
static const char *const references[] = {"monotonic-raw", "monotonic-raw-syscall"};
#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool is_among(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}

static bool kind_is(const struct catalogue_clock *clock, const char *kind)
{
    return strcmp(clock->kind, kind) == 0;
}

bool clocks_is_candidate(const struct catalogue_clock *clock)
{
    return !kind_is(clock, "place") && !kind_is(clock, "stolen");
}

/* A counter of seconds, of which only the steps tell anything. */
static bool clocks_has_edges(const struct catalogue_clock *clock)
{
    return strcmp(clock->hardware, "rtc") == 0 || (clock->hz > 0 && clock->hz <= 10);
}

/* Was it asked for by name, or nobody asked? */
static bool clocks_is_asked(const struct clocks_scope *study, const struct catalogue_clock *clock)
{
    return !study->name_count || is_among(clock->name, study->names, study->name_count);
}

static bool is_offered(const struct catalogue *catalogue, const char *name)
{
    return catalogue_clock(catalogue, name);
}

static const char *reference(const struct catalogue *catalogue)
{
    for (size_t i = 0; i < COUNT(references); i++)
        if (is_offered(catalogue, references[i]))
            return references[i];
    return "";
}

/* Needed to judge others, whoever asked for what: references, devices that are none of the CPU's
 * counters, and columns that are no clocks. */
static bool is_needed(const struct clocks_scope *study, const struct catalogue_clock *clock)
{
    return !clocks_is_candidate(clock) || strcmp(clock->way, "device") == 0 ||
           strcmp(clock->name, reference(study->catalogue)) == 0 ||
           is_among(clock->name, counters, COUNT(counters));
}

/* --- the order --- */

struct place {
    const char *column;
    int rank; /* smaller: farther out */
    size_t index;
};

static const struct {
    const char *way;
    int rank;
} ways[] = {{"read", 20}, {"syscall", 21}, {"vdso", 22}, {"instruction", 23}};

static int rank_of(const struct clocks_scope *study, const struct catalogue_clock *clock)
{
    if (kind_is(clock, "place"))
        return 32;
    if (is_among(clock->name, counters, COUNT(counters)))
        return 31;
    if (strcmp(clock->name, reference(study->catalogue)) == 0)
        return 30;
    if (kind_is(clock, "stolen"))
        return 0;
    if (clock->slow)
        return 3;
    for (size_t i = 0; i < COUNT(ways); i++)
        if (strcmp(clock->way, ways[i].way) == 0)
            return ways[i].rank;
    return 10;
}

static int rank_of_own(const struct clocks_own *own)
{
    static const int ranks[CLOCKS_PACES] = {[PACE_GLACIAL] = 1, [PACE_SLOW] = 2, [PACE_QUICK] = 4};
    return ranks[own->pace];
}

static int compare(const void *left, const void *right)
{
    const struct place *one = left, *other = right;
    if (one->rank != other->rank)
        return one->rank < other->rank ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

/* Those of a look, or for `walls` the quick ones that go on whatever the CPU does. */
static size_t put_in_order(const struct clocks_scope *study, bool walls, const char **columns,
                           size_t most)
{
    const struct catalogue *catalogue = study->catalogue;
    AUTO_MEMORY struct place *places =
        memory_new(catalogue->clock_count + study->own_count + 1, sizeof(*places));
    size_t count = 0;
    for (size_t i = 0; i < catalogue->clock_count; i++) {
        const struct catalogue_clock *clock = &catalogue->clocks[i];
        if (!clocks_has_edges(clock) &&
            (clocks_is_asked(study, clock) || is_needed(study, clock)) &&
            (!walls || (kind_is(clock, "wall") && !clock->slow)))
            places[count++] = (struct place){clock->name, rank_of(study, clock), i};
    }
    for (size_t i = 0; i < study->own_count && !walls; i++)
        places[count++] = (struct place){study->own[i].text, rank_of_own(&study->own[i]), i};
    qsort(places, count, sizeof(*places), compare);
    for (size_t i = 0; i < count && i < most; i++)
        columns[i] = places[i].column;
    return count;
}

size_t clocks_look(const struct clocks_scope *study, const char **columns, size_t most)
{
    return put_in_order(study, false, columns, most);
}

size_t clocks_quick_walls(const struct clocks_scope *study, const char **columns, size_t most)
{
    return put_in_order(study, true, columns, most);
}

const char *clocks_meter(const struct catalogue *catalogue)
{
    static const char *const others[] = {"monotonic-raw-syscall", "monotonic-syscall",
                                         "monotonic-raw", "monotonic"};
    for (size_t i = 0; i < COUNT(fenced); i++)
        if (is_offered(catalogue, fenced[i]))
            return fenced[i];
    for (size_t i = 0; i < COUNT(others); i++)
        if (is_offered(catalogue, others[i]))
            return others[i];
    return NULL;
}

/* ----------------------------------------------------------------------------------------------
 * What the parts below make: a cell of a watch with what it is expected to cost, or a word on what
 * cannot be had here. */

#define MS_NS               UINT64_C(1000000)
#define PROCESS_NS          (8 * MS_NS) /* that every visit costs, whatever it does */
#define EMULATED_PROCESS_NS (400 * MS_NS)

struct clocks_wisher {
    const struct clocks_scope *study;
    struct clocks_plan *plan;
    const char *look[CELL_MAX_COUNTERS];
    size_t look_count;
};

/* How a cell is watched, besides its clocks. */
struct wished_watch {
    enum clocks_stage stage;
    struct cell_watch watch; /* texts are copied */
    uint32_t groups;         /* in a process: intervals, blocks, steps, trips, edges */
    uint32_t processes, least;
    bool ends;
    int32_t cpu;
    uint64_t expected_ns; /* of a visit, but for what every process costs */
};

/* What every process is expected to cost, whatever it does. */
static uint64_t clocks_process_ns(const struct clocks_scope *study)
{
    return study->emulated ? EMULATED_PROCESS_NS : PROCESS_NS;
}

/* Who brings a shared object along needs a harness that can load it. */
static const char *link_of(const char *const *columns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strchr(columns[i], '='))
            return "lazy";
    return "static";
}

void clocks_cell(struct cell *cell, const struct cell_watch *watch, uint32_t runs, int32_t cpu,
                 const char *const *columns, size_t count)
{
    *cell = (struct cell){.counters = (uint32_t)count,
                          .path = memory_copy("watch"),
                          .pattern = PATTERN_RR,
                          .specimen = memory_copy("null"),
                          .opt = memory_copy("O2"),
                          .link = memory_copy(link_of(columns, count)),
                          .runs = runs,
                          .cpu = cpu,
                          .watch = *watch};
    cell->watch.workload = memory_copy(watch->workload);
    for (size_t i = 0; i < count; i++)
        cell->events[i] = memory_copy(columns[i]);
}

static void clocks_wish(struct clocks_wisher *wisher, const struct wished_watch *watch,
                        const char *const *columns, size_t count)
{
    struct cell cell;
    const struct wish wish = {.stage = (unsigned)watch->stage,
                              .processes = watch->processes,
                              .least = watch->least,
                              .after = NO_WISH,
                              .ends = watch->ends,
                              .expected_ns = clocks_process_ns(wisher->study) + watch->expected_ns};
    if (!count)
        return;
    clocks_cell(&cell, &watch->watch,
                watch->groups * watch_group(watch->watch.kind, watch->watch.threads), watch->cpu,
                columns, count);
    wishes_add(wisher->plan->wishes, &wish, &cell);
}

static void clocks_lack(struct clocks_wisher *wisher, enum clocks_stage stage, const char *reason)
{
    *memory_add(wisher->plan->absences, wisher->plan->absence_count) =
        (struct watch_absence){clocks_stage_names[stage], reason, ENODEV};
}

/* ----------------------------------------------------------------------------------------------
 * The intervals of `assay clocks`: all clocks of a look around sleep, computation and other work,
 * alone and in threads, with moves between CPUs, and handed over. */

#define MS_US 1000u
#define US_NS UINT64_C(1000)
/* What a busy ms takes on an emulated machine, in ms of ours. */
#define EMULATED_BUSY 10u
#define MOST_THREADS  8u
#define MOVES         5u

const char *const clocks_workloads[] = {"sleep",  "compute", "spin", "yield",
                                        "faults", "pipe",    NULL};

/* Lengths in ms; each list ends with 0. Those of the paper are from 20 to 160 in steps of 10. */
static const uint32_t main_lengths[] = {20, 50, 80, 120, 160, 0};
static const uint32_t fine_lengths[] = {30, 40, 60, 70, 90, 100, 110, 130, 140, 150, 0};
static const uint32_t few_lengths[] = {40, 100, 0};
static const uint32_t wide_lengths[] = {20, 80, 160, 0};
static const uint32_t short_lengths[] = {20, 60, 100, 0};
static const uint32_t one_length[] = {40, 0};
static const uint32_t shortest[] = {20, 0};

/* How often: intervals in a process, processes, and how many of these say something. */
struct often {
    uint32_t intervals, processes, least;
};
enum weight { MAIN, VARIATION, ASIDE, WEIGHTS };
static const struct often usual[WEIGHTS] = {{5, 4, 2}, {5, 3, 1}, {5, 2, 1}},
                          brief[WEIGHTS] = {{2, 3, 1}, {2, 2, 1}, {2, 2, 1}},
                          emulated[WEIGHTS] = {{3, 2, 1}, {2, 2, 1}, {2, 2, 1}};

static bool is_brief(const struct clocks_scope *study)
{
    return study->quick || study->emulated;
}

static struct often how_often(const struct clocks_scope *study, enum weight weight)
{
    return study->emulated ? emulated[weight] : study->quick ? brief[weight] : usual[weight];
}

static bool is_wanted(const struct clocks_scope *study, const char *workload)
{
    for (size_t i = 0; i < study->workload_count; i++)
        if (strcmp(study->workloads[i], workload) == 0)
            return true;
    return study->workload_count == 0;
}

/* A visit besides what every process costs. Work is measured out once before the first interval. */
static uint64_t expect(const struct clocks_scope *study, const struct cell_watch *watch,
                       uint32_t intervals)
{
    const uint64_t length = watch->length * US_NS;
    bool sleeps = strcmp(watch->workload, "sleep") == 0;
    bool measured_out = strcmp(watch->workload, "compute") == 0;
    uint64_t busy = study->emulated && !sleeps ? EMULATED_BUSY : 1;
    uint64_t crowd = 1;
    if (!sleeps && study->cpu_count && watch->threads > study->cpu_count)
        crowd = (watch->threads + study->cpu_count - 1) / study->cpu_count;
    return length * busy * (intervals * crowd + (measured_out ? 1 : 0));
}

/* Every length of a list. */
static void wish_lengths(struct clocks_wisher *wisher, enum clocks_stage stage,
                         struct cell_watch watch, const char *workload, const uint32_t *lengths,
                         struct often often)
{
    watch.kind = WATCH_INTERVAL;
    watch.partner = -1;
    watch.threads += !watch.threads;
    watch.workload = memory_copy(workload);
    const bool alone = watch.threads == 1 && !watch.moves && !watch.handover;
    for (; *lengths && is_wanted(wisher->study, workload); lengths++) {
        watch.length = (uint64_t)*lengths * MS_US;
        const struct wished_watch wished = {.stage = stage,
                                            .watch = watch,
                                            .groups = often.intervals,
                                            .processes = often.processes,
                                            .least = often.least,
                                            .cpu = alone ? wisher->study->cpu : -1,
                                            .expected_ns =
                                                expect(wisher->study, &watch, often.intervals)};
        clocks_wish(wisher, &wished, wisher->look, wisher->look_count);
    }
}

/* A variation of sleep and computation. */
static void wish_both(struct clocks_wisher *wisher, enum clocks_stage stage,
                      struct cell_watch watch, const uint32_t *lengths)
{
    const struct often often = how_often(wisher->study, VARIATION);
    lengths = is_brief(wisher->study) ? one_length : lengths;
    wish_lengths(wisher, stage, watch, "sleep", lengths, often);
    wish_lengths(wisher, stage, watch, "compute", lengths, often);
}

/* One thread and nothing else. Sleep lasts as long however busy the machine is: all points of the
 * paper's figure are there before anything else has more than it needs. */
static void wish_plain(struct clocks_wisher *wisher, enum clocks_stage stage,
                       const uint32_t *lengths)
{
    struct often often = how_often(wisher->study, MAIN), points = often;
    if (!is_brief(wisher->study))
        points.least = points.processes;
    wish_lengths(wisher, stage, (struct cell_watch){0}, "sleep", lengths, points);
    wish_lengths(wisher, stage, (struct cell_watch){0}, "compute", lengths, often);
}

static void clocks_wish_intervals(struct clocks_wisher *wisher)
{
    wish_plain(wisher, CLOCKS_INTERVALS, main_lengths);
}

static void clocks_wish_fine(struct clocks_wisher *wisher)
{
    if (!wisher->study->quick)
        wish_plain(wisher, CLOCKS_FINE, fine_lengths);
}

static void clocks_wish_moves(struct clocks_wisher *wisher)
{
    if (wisher->study->cpu_count < 2) {
        clocks_lack(wisher, CLOCKS_MOVES, "there is one CPU that may be used");
        return;
    }
    wish_both(wisher, CLOCKS_MOVES, (struct cell_watch){.moves = MOVES}, few_lengths);
}

static void clocks_wish_threads(struct clocks_wisher *wisher)
{
    const size_t cpus = wisher->study->cpu_count;
    const uint32_t most = cpus < MOST_THREADS ? (uint32_t)cpus : MOST_THREADS;
    wish_both(wisher, CLOCKS_THREADS, (struct cell_watch){.threads = 2}, wide_lengths);
    if (most > 2)
        wish_both(wisher, CLOCKS_THREADS, (struct cell_watch){.threads = most}, wide_lengths);
}

static void clocks_wish_handover(struct clocks_wisher *wisher)
{
    wish_both(wisher, CLOCKS_HANDOVER, (struct cell_watch){.handover = true}, few_lengths);
}

static void clocks_wish_others(struct clocks_wisher *wisher)
{
    for (const char *const *workload = clocks_workloads; *workload; workload++)
        if (strcmp(*workload, "sleep") != 0 && strcmp(*workload, "compute") != 0)
            wish_lengths(wisher, CLOCKS_OTHERS, (struct cell_watch){0}, *workload,
                         is_brief(wisher->study) ? shortest : short_lengths,
                         how_often(wisher->study, ASIDE));
}

static void clocks_wish_awake(struct clocks_wisher *wisher)
{
    wish_lengths(wisher, CLOCKS_AWAKE, (struct cell_watch){.awake = true}, "sleep",
                 is_brief(wisher->study) ? one_length : wide_lengths,
                 how_often(wisher->study, ASIDE));
}

/* ----------------------------------------------------------------------------------------------
 * Watches of one clock alone: rows of readings, steps, trips between two CPUs, and edges of a
 * clock of seconds. */

/* A clock that stands still for longer has no steps that could be waited for. */
#define STEP_WAIT_US 1500000u
#define EDGE_WAIT_US 3000000u
#define EMULATED     20u /* times dearer than here */
/* Percent of the time that trips may take; what no budget limits has as many pairs as this. */
#define TRIP_SHARE 10u
#define MOST_PAIRS 1500u
#define COARSE_PS  UINT64_C(100000000) /* claimed resolutions from here on are waited for */

/* What a visit holds, by how long a reading takes. */
struct portion {
    uint32_t block, blocks; /* readings, and how often */
    uint32_t steps, trips;
    uint64_t read_ns; /* as expected */
};
static const struct portion full[CLOCKS_PACES] = {
    [PACE_QUICK] = {1000, 100, 1000, 1000, 200},
    [PACE_SLOW] = {50, 20, 100, 100, 20000},
    [PACE_GLACIAL] = {5, 5, 8, 10, 2000000},
};
static const struct portion singles_brief[CLOCKS_PACES] = {
    [PACE_QUICK] = {1000, 40, 300, 300, 200},
    [PACE_SLOW] = {20, 10, 30, 30, 20000},
    [PACE_GLACIAL] = {4, 3, 4, 4, 2000000},
};
static const struct portion singles_emulated[CLOCKS_PACES] = {
    [PACE_QUICK] = {200, 20, 100, 100, 200},
    [PACE_SLOW] = {10, 5, 10, 10, 20000},
    [PACE_GLACIAL] = {2, 2, 2, 2, 2000000},
};
/* Steps of clocks that stand still for long, or may do. */
#define COARSE_STEPS       50u
#define BRIEF_COARSE_STEPS 20u
#define OWN_STEPS          12u
#define BRIEF_OWN_STEPS    4u

/* A clock as these watches see it. */
struct single {
    const char *column;
    enum clocks_pace pace;
    uint64_t step_ns; /* that it claims; 0: it does not */
    bool own, wall;
    bool moves; /* an own one, within a few readings */
};

static const struct portion *portion_of(const struct clocks_scope *study, enum clocks_pace pace)
{
    return study->emulated ? &singles_emulated[pace]
           : study->quick  ? &singles_brief[pace]
                           : &full[pace];
}

static uint32_t processes_of(const struct clocks_scope *study)
{
    return is_brief(study) ? 1 : 3;
}

/* All candidates but those whose edges are waited for. */
struct singles {
    struct single list[CELL_MAX_COUNTERS];
    size_t count;
};

static struct singles singles_of(const struct clocks_scope *study)
{
    struct singles singles = {.count = 0};
    for (size_t i = 0; i < study->catalogue->clock_count; i++) {
        const struct catalogue_clock *clock = &study->catalogue->clocks[i];
        if (clocks_is_candidate(clock) && clocks_is_asked(study, clock) &&
            !clocks_has_edges(clock) && singles.count < CELL_MAX_COUNTERS)
            singles.list[singles.count++] =
                (struct single){.column = clock->name,
                                .pace = clock->slow ? PACE_SLOW : PACE_QUICK,
                                .step_ns = clock->resolution_ps / 1000,
                                .wall = strcmp(clock->kind, "wall") == 0};
    }
    for (size_t i = 0; i < study->own_count && singles.count < CELL_MAX_COUNTERS; i++)
        singles.list[singles.count++] = (struct single){.column = study->own[i].text,
                                                        .pace = study->own[i].pace,
                                                        .own = true,
                                                        .wall = true,
                                                        .moves = study->own[i].moves};
    return singles;
}

static uint64_t singles_expect(const struct clocks_scope *study, uint64_t readings, uint64_t ns)
{
    return readings * ns * (study->emulated ? EMULATED : 1);
}

/* --- what a reading costs --- */

static void wish_row(struct clocks_wisher *wisher, const struct single *single)
{
    const struct portion *portion = portion_of(wisher->study, single->pace);
    const char *x = single->column, *m = wisher->plan->meter;
    const char *const columns[ROW_COLUMNS] = {x, x, x, x, m, m};
    const struct wished_watch watch = {
        .stage = CLOCKS_ROWS,
        .watch = {.kind = WATCH_ROW, .length = portion->block, .threads = 1, .partner = -1},
        .groups = portion->blocks,
        .processes = processes_of(wisher->study) + !wisher->study->emulated,
        .least = 1,
        .cpu = wisher->study->cpu,
        .expected_ns = singles_expect(wisher->study, (uint64_t)portion->block * portion->blocks,
                                      portion->read_ns)};
    clocks_wish(wisher, &watch, columns, ROW_COLUMNS);
}

/* Of every single clock, where something tells how long a reading takes. */
static void wish_singles(struct clocks_wisher *wisher, enum clocks_stage stage,
                         void (*wish)(struct clocks_wisher *, const struct single *))
{
    const struct singles singles = singles_of(wisher->study);
    if (!wisher->plan->meter)
        clocks_lack(wisher, stage,
                    "neither the CPU's counter nor a clock of the operating system can be read, so "
                    "nothing tells how long a reading takes");
    for (size_t i = 0; i < singles.count && wisher->plan->meter; i++)
        wish(wisher, &singles.list[i]);
}

static void clocks_wish_rows(struct clocks_wisher *wisher)
{
    wish_singles(wisher, CLOCKS_ROWS, wish_row);
}

/* --- granularity --- */

static uint32_t steps_of(const struct clocks_scope *study, const struct single *single)
{
    uint32_t steps = portion_of(study, single->pace)->steps, most = steps;
    if (single->own && !single->moves)
        most = is_brief(study) ? BRIEF_OWN_STEPS : OWN_STEPS;
    else if (single->step_ns * 1000 >= COARSE_PS)
        most = is_brief(study) ? BRIEF_COARSE_STEPS : COARSE_STEPS;
    return most < steps ? most : steps;
}

static void wish_steps(struct clocks_wisher *wisher, const struct single *single)
{
    const struct clocks_scope *study = wisher->study;
    const char *const columns[] = {single->column, wisher->plan->meter};
    const struct portion *portion = portion_of(study, single->pace);
    uint32_t steps = steps_of(study, single);
    uint64_t step_ns = single->step_ns > portion->read_ns ? single->step_ns : 2 * portion->read_ns;
    const struct wished_watch watch = {
        .stage = CLOCKS_STEPS,
        .watch = {.kind = WATCH_STEPS, .length = STEP_WAIT_US, .threads = 1, .partner = -1},
        .groups = steps,
        .processes = processes_of(study),
        .least = 1,
        .cpu = study->cpu,
        .expected_ns = singles_expect(study, steps, step_ns)};
    clocks_wish(wisher, &watch, columns, 2);
}

static void clocks_wish_steps(struct clocks_wisher *wisher)
{
    wish_singles(wisher, CLOCKS_STEPS, wish_steps);
}

/* --- two CPUs --- */

/* Of a slow clock both looks would be farther apart than any offset; a person's own is looked at
 * all the same. */
static bool makes_trips(const struct single *single)
{
    return single->wall && (single->own || single->pace == PACE_QUICK);
}

static uint64_t expect_trips(const struct clocks_scope *study, const struct single *single)
{
    const struct portion *portion = portion_of(study, single->pace);
    return singles_expect(study, 3 * (uint64_t)portion->trips, 5 * portion->read_ns);
}

static void wish_trip(struct clocks_wisher *wisher, const struct single *single,
                      struct cpu_pair pair)
{
    const char *const columns[] = {single->column};
    const struct wished_watch watch = {
        .stage = CLOCKS_TRIPS,
        .watch = {.kind = WATCH_TRIPS, .threads = 1, .partner = pair.partner},
        .groups = portion_of(wisher->study, single->pace)->trips,
        .processes = processes_of(wisher->study),
        .least = 1,
        .cpu = pair.cpu,
        .expected_ns = expect_trips(wisher->study, single)};
    clocks_wish(wisher, &watch, columns, 1);
}

/* How many pairs fit into the share of the time that trips may take, one process each. */
static size_t most_pairs(const struct clocks_scope *study, const struct singles *singles)
{
    uint64_t price = 0, time = study->budget * MS_NS / 100 * TRIP_SHARE;
    for (size_t i = 0; i < singles->count; i++)
        if (makes_trips(&singles->list[i]))
            price += clocks_process_ns(study) + expect_trips(study, &singles->list[i]);
    uint64_t most = study->budget && price ? time / price : MOST_PAIRS;
    return most < MOST_PAIRS ? (size_t)most : MOST_PAIRS;
}

static void clocks_wish_trips(struct clocks_wisher *wisher)
{
    const struct clocks_scope *study = wisher->study;
    const struct singles singles = singles_of(study);
    struct cpu_pair *pairs;
    size_t count;
    if (study->cpu_count < 2) {
        clocks_lack(wisher, CLOCKS_TRIPS, "there is one CPU that may be used");
        return;
    }
    clocks_pairs(study->cpus, study->cpu_count, most_pairs(study, &singles), study->seed, &pairs,
                 &count);
    wisher->plan->pairs = count;
    wisher->plan->all_pairs = study->cpu_count * (study->cpu_count - 1) / 2;
    /* One pair after the other with all clocks: what the budget leaves out are whole pairs. */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < singles.count; j++)
            if (makes_trips(&singles.list[j]))
                wish_trip(wisher, &singles.list[j], pairs[i]);
}

/* --- a clock of seconds --- */

static void clocks_wish_edges(struct clocks_wisher *wisher)
{
    const struct clocks_scope *study = wisher->study;
    const struct catalogue *catalogue = study->catalogue;
    const char *columns[CELL_MAX_COUNTERS];
    size_t count = clocks_quick_walls(study, columns + 1, CELL_MAX_COUNTERS - 1) + 1;
    uint32_t edges = study->quick ? 1 : study->emulated ? 2 : 3;
    const struct wished_watch watch = {
        .stage = CLOCKS_EDGES,
        .watch = {.kind = WATCH_EDGES, .length = EDGE_WAIT_US, .threads = 1, .partner = -1},
        .groups = edges,
        .processes = 2,
        .least = 1,
        .ends = true,
        .cpu = study->cpu,
        .expected_ns = 1000 * MS_NS * edges};
    for (size_t i = 0; i < catalogue->clock_count; i++) {
        columns[0] = catalogue->clocks[i].name;
        if (clocks_has_edges(&catalogue->clocks[i]))
            clocks_wish(wisher, &watch, columns,
                        count < CELL_MAX_COUNTERS ? count : CELL_MAX_COUNTERS);
    }
}

const char *const clocks_stage_names[CLOCKS_STAGES] = {
    [CLOCKS_INTERVALS] = "sleep and computation",
    [CLOCKS_ROWS] = "cost of a reading",
    [CLOCKS_STEPS] = "granularity",
    [CLOCKS_EDGES] = "edges of a clock of seconds",
    [CLOCKS_TRIPS] = "trips between CPUs",
    [CLOCKS_MOVES] = "moves between CPUs",
    [CLOCKS_THREADS] = "several threads",
    [CLOCKS_HANDOVER] = "begun by one thread and ended by another",
    [CLOCKS_OTHERS] = "other workloads",
    [CLOCKS_AWAKE] = "sleep with CPUs kept awake",
    [CLOCKS_FINE] = "sleep and computation at the lengths between",
};

/* The most important first. */
typedef void clocks_wish_part(struct clocks_wisher *wisher);
static clocks_wish_part *const parts[] = {
    clocks_wish_intervals, clocks_wish_rows,  clocks_wish_steps,   clocks_wish_edges,
    clocks_wish_trips,     clocks_wish_moves, clocks_wish_threads, clocks_wish_handover,
    clocks_wish_others,    clocks_wish_awake, clocks_wish_fine,
};

enum clocks_pace clocks_pace_of(double ns)
{
    return ns < 3000 ? PACE_QUICK : ns < 200000 ? PACE_SLOW : PACE_GLACIAL;
}

int clocks_plan_make(const struct clocks_scope *scope, struct clocks_plan *plan,
                     struct wishes *wishes, struct failure *failure)
{
    struct clocks_wisher wisher = {.study = scope, .plan = plan};
    *plan = (struct clocks_plan){.wishes = wishes, .meter = clocks_meter(scope->catalogue)};
    wisher.look_count = clocks_look(scope, wisher.look, CELL_MAX_COUNTERS);
    if (wisher.look_count > CELL_MAX_COUNTERS)
        return fail_with(failure, -E2BIG,
                         "%zu clocks are more than the %d that are read around one interval: name "
                         "those that matter with --clock",
                         wisher.look_count, CELL_MAX_COUNTERS);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](&wisher);
    return 0;
}
