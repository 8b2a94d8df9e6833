/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Watches of one clock alone: rows of readings, steps, trips between two CPUs, and edges of a clock
 * of seconds. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/clocks/plan.h"

#define MS_NS UINT64_C(1000000)
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
static const struct portion brief[CLOCKS_PACES] = {
    [PACE_QUICK] = {1000, 40, 300, 300, 200},
    [PACE_SLOW] = {20, 10, 30, 30, 20000},
    [PACE_GLACIAL] = {4, 3, 4, 4, 2000000},
};
static const struct portion emulated[CLOCKS_PACES] = {
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

static const struct portion *portion_of(const struct clocks_study *study, enum clocks_pace pace)
{
    return study->emulated ? &emulated[pace] : study->quick ? &brief[pace] : &full[pace];
}

static uint32_t processes_of(const struct clocks_study *study)
{
    return study->quick || study->emulated ? 1 : 3;
}

/* All candidates but those whose edges are waited for. */
struct singles {
    struct single list[CELL_MAX_COUNTERS];
    size_t count;
};

static struct singles singles_of(const struct clocks_study *study)
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

static uint64_t expect(const struct clocks_study *study, uint64_t readings, uint64_t ns)
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
        .expected_ns =
            expect(wisher->study, (uint64_t)portion->block * portion->blocks, portion->read_ns)};
    clocks_wish(wisher, &watch, columns, ROW_COLUMNS);
}

static bool lacks_meter(struct clocks_wisher *wisher, enum clocks_stage stage)
{
    if (!wisher->plan->meter)
        clocks_lack(wisher, clocks_stage_names[stage],
                    "neither the CPU's counter nor a clock of the operating system can be read, so "
                    "nothing tells how long a reading takes",
                    ENODEV);
    return !wisher->plan->meter;
}

void clocks_wish_rows(struct clocks_wisher *wisher)
{
    const struct singles singles = singles_of(wisher->study);
    bool lacks = lacks_meter(wisher, CLOCKS_ROWS);
    for (size_t i = 0; i < singles.count && !lacks; i++)
        wish_row(wisher, &singles.list[i]);
}

/* --- granularity --- */

static uint32_t steps_of(const struct clocks_study *study, const struct single *single)
{
    uint32_t steps = portion_of(study, single->pace)->steps, most = steps;
    bool is_brief = study->quick || study->emulated;
    if (single->own && !single->moves)
        most = is_brief ? BRIEF_OWN_STEPS : OWN_STEPS;
    else if (single->step_ns * 1000 >= COARSE_PS)
        most = is_brief ? BRIEF_COARSE_STEPS : COARSE_STEPS;
    return most < steps ? most : steps;
}

static void wish_steps(struct clocks_wisher *wisher, const struct single *single)
{
    const struct clocks_study *study = wisher->study;
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
        .expected_ns = expect(study, steps, step_ns)};
    clocks_wish(wisher, &watch, columns, 2);
}

void clocks_wish_steps(struct clocks_wisher *wisher)
{
    const struct singles singles = singles_of(wisher->study);
    bool lacks = lacks_meter(wisher, CLOCKS_STEPS);
    for (size_t i = 0; i < singles.count && !lacks; i++)
        wish_steps(wisher, &singles.list[i]);
}

/* --- two CPUs --- */

/* Of a slow clock both looks would be farther apart than any offset; a person's own is looked at
 * all the same. */
static bool makes_trips(const struct single *single)
{
    return single->wall && (single->own || single->pace == PACE_QUICK);
}

static uint64_t expect_trips(const struct clocks_study *study, const struct single *single)
{
    const struct portion *portion = portion_of(study, single->pace);
    return expect(study, 3 * (uint64_t)portion->trips, 5 * portion->read_ns);
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
static size_t most_pairs(const struct clocks_study *study, const struct singles *singles)
{
    uint64_t price = 0, time = study->budget * MS_NS / 100 * TRIP_SHARE;
    for (size_t i = 0; i < singles->count; i++)
        if (makes_trips(&singles->list[i]))
            price += clocks_process_ns(study) + expect_trips(study, &singles->list[i]);
    uint64_t most = study->budget && price ? time / price : MOST_PAIRS;
    return most < MOST_PAIRS ? (size_t)most : MOST_PAIRS;
}

void clocks_wish_trips(struct clocks_wisher *wisher)
{
    const struct clocks_study *study = wisher->study;
    const struct singles singles = singles_of(study);
    AUTO_FREE struct cpu_pair *pairs = NULL;
    size_t count = 0;
    if (study->cpu_count < 2) {
        clocks_lack(wisher, clocks_stage_names[CLOCKS_TRIPS], "there is one CPU that may be used",
                    ENODEV);
        return;
    }
    int error = clocks_pairs(study->cpus, study->cpu_count, most_pairs(study, &singles),
                             study->seed, &pairs, &count);
    if (error < 0)
        wisher->error = error;
    wisher->plan->pairs = count;
    wisher->plan->all_pairs = study->cpu_count * (study->cpu_count - 1) / 2;
    /* One pair after the other with all clocks: what the budget leaves out are whole pairs. */
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < singles.count; j++)
            if (makes_trips(&singles.list[j]))
                wish_trip(wisher, &singles.list[j], pairs[i]);
}

/* --- a clock of seconds --- */

void clocks_wish_edges(struct clocks_wisher *wisher)
{
    const struct clocks_study *study = wisher->study;
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
