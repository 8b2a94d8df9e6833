/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to quantities: which way, and what an event's counts depend on. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "commands/compare/compare.h"
#include "engine/loading.h"
#include "stats/moments.h"
#include "studies/clocks/plan.h"
#include "studies/overhead/plan.h"

struct compare_loading {
    struct store *store;
    const char *study;
    size_t side;
    struct compare_case *file;
    struct failure *failure;
};

/* ----------------------------------------------------------------------------------------------
 * What an event's counts depend on. */

/* Parts of names by which events depend on time and on what else runs, and their units. */
static const struct {
    const char *part, *unit;
} timed_events[] = {
    {"clock/ticks", "ticks"},
    {"cycles", "cycles"},
    {"task-clock", "ns"},
    {"cpu-clock", "ns"},
    {RUN_NANOSECONDS, "ns"},
    {"context-switches", "events"},
    {"cgroup-switches", "events"},
    {"migrations", "events"},
    {"interrupts", "events"},
    {"tsc", "ticks"},
    {"aperf", "cycles"},
    {"mperf", "cycles"},
    {"irq", "events"},
    {"sched", "events"},
};

/* Fills in unit, timed and margin by what the event counts in a window or call. */
static void compare_classify(const char *event, struct compare_quantity *quantity)
{
    quantity->unit = (char *)(strstr(event, "instructions") ? "instructions" : "events");
    quantity->timed = false;
    quantity->margin = 0;
    for (size_t i = 0; i < sizeof(timed_events) / sizeof(*timed_events); i++)
        if (strstr(event, timed_events[i].part)) {
            quantity->unit = (char *)timed_events[i].unit;
            quantity->timed = true;
            quantity->margin = COMPARE_TIME_MARGIN;
            return;
        }
}

/* ----------------------------------------------------------------------------------------------
 * Windows and whole programs as quantities. Samples come by cell and process, so that no more than
 * one process is held at a time. */

/* Page faults of a whole program: a fault maps as many pages as the page cache holds in one piece,
 * which differs with how the file came into it, and stays so for a whole run. */
#define COMPARE_FAULT_MARGIN .25
/* How long a whole program takes: with as much to do as there are CPUs somebody else may have half
 * of each; and who runs on the other thread of a core, on a host also unseen, halves its speed, so
 * that its time on a CPU is no better. All executions of one invocation share that. */
#define COMPARE_PROGRAM_TIME_MARGIN 1.

#define NO_QUANTITY SIZE_MAX

/* Which quantities the counters of a cell are. */
struct known_cell {
    uint32_t id, counters;
    bool program;
    uint32_t status; /* column that says how a program ended; == counters: none */
    size_t quantity[CELL_MAX_COUNTERS];
};

struct reading {
    const struct compare_loading *loading;
    struct known_cell *cells;
    size_t cell_count;
    size_t current; /* cell of the samples that come */
    /* --- the process of the samples that come --- */
    uint32_t process;
    double *values[CELL_MAX_COUNTERS];
    size_t count[CELL_MAX_COUNTERS];
    bool timed_out;
};

/* --- cells --- */

/* Classified before. */
static size_t add_quantity(const struct reading *reading, struct compare_quantity *like,
                           const char *event)
{
    struct compare_case *file = reading->loading->file;
    like->study = (char *)reading->loading->study;
    like->event = (char *)event;
    return (size_t)(compare_add_quantity(file, like) - file->quantities);
}

/* Also those of kinds: the page cache moves them all. */
static bool is_page_fault(const char *event)
{
    static const char *const names[] = {"page-faults", "faults", "minor-faults", "major-faults",
                                        "exceptions:page_fault"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(event, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Swept ones and those that were watched more closely are no plain executions. */
static void know_program(const struct reading *reading, const struct cell *cell,
                         struct known_cell *known)
{
    char setting[256];
    AUTO_TEXT struct text factors = {0};
    known->program = true;
    if (cell->command.sweep != SWEEP_NONE || cell->command.detail != DETAIL_NONE)
        return;
    text_puts(&factors, setting_name(cell->command.controls, setting, sizeof(setting)));
    struct compare_quantity like = {.subject = cell->command.name, .factors = factors.bytes};
    for (uint32_t i = 0; i < cell->counters; i++) {
        const char *event = cell->events[i];
        if (strcmp(event, RUN_STATUS) == 0)
            known->status = i;
        if (run_column(event) && strcmp(event, RUN_NANOSECONDS) != 0)
            continue;
        compare_classify(event, &like);
        const bool faults = is_page_fault(event), lasting = strcmp(like.unit, "ns") == 0;
        if (faults)
            like.margin = COMPARE_FAULT_MARGIN;
        else if (lasting)
            like.margin = COMPARE_PROGRAM_TIME_MARGIN;
        like.program = cell->command.controls == CONTROLS_ALL && !faults && !lasting;

        known->quantity[i] = add_quantity(reading, &like, event);
    }
}

static int know_cell(void *context, const struct stored_cell *stored)
{
    struct reading *reading = context;
    const struct cell *cell = &stored->cell;
    struct known_cell *known = memory_add(reading->cells, reading->cell_count);
    *known =
        (struct known_cell){.id = cell->id, .counters = cell->counters, .status = cell->counters};
    for (size_t i = 0; i < CELL_MAX_COUNTERS; i++)
        known->quantity[i] = NO_QUANTITY;
    if (cell->tour.calls || cell->watch.kind != WATCH_NONE)
        return 0;
    if (cell->command.words)
        know_program(reading, cell, known);
    else {
        AUTO_TEXT struct text factors = {0};
        text_printf(&factors, "%s, %s", pattern_names[cell->pattern], cell->specimen);
        if (cell->n)
            text_printf(&factors, ", N %llu", (unsigned long long)cell->n);
        text_printf(&factors, ", %s, %s", cell->opt, cell->link);
        if (cell->counters > 1)
            text_printf(&factors, ", %u counters%s", cell->counters,
                        cell->separate ? " one by one" : "");
        for (uint32_t i = 1; i < cell->counters; i++)
            if (strcmp(cell->events[i], cell->events[0]) != 0)
                text_printf(&factors, ", with %s", cell->events[i]);

        struct compare_quantity like = {.subject = cell->path, .factors = factors.bytes};
        compare_classify(cell->events[0], &like);
        if (strcmp(cell->path, "perf-stat") == 0 && is_page_fault(cell->events[0]))
            like.margin = COMPARE_FAULT_MARGIN; /* its window is a whole program */
        known->quantity[0] = add_quantity(reading, &like, cell->events[0]);
    }

    return 0;
}

/* --- samples --- */

/* The process is complete: what it comes to. */
static void end_process(struct reading *reading)
{
    const struct compare_loading *loading = reading->loading;
    for (uint32_t i = 0; i < CELL_MAX_COUNTERS; i++) {
        if (reading->count[i] && !reading->timed_out) {
            size_t quantity = reading->cells[reading->current].quantity[i];
            compare_add_median(&loading->file->quantities[quantity], loading->side,
                               reading->values[i], reading->count[i]);
        }
        reading->count[i] = 0;
    }
    reading->timed_out = false;
}

static int keep_sample(void *context, const struct sample *sample)
{
    struct reading *reading = context;
    if (sample->process != reading->process ||
        sample->cell != reading->cells[reading->current].id) {
        end_process(reading);
        reading->process = sample->process;
        while (reading->current + 1 < reading->cell_count &&
               reading->cells[reading->current].id != sample->cell)
            reading->current++;
    }
    const struct known_cell *known = &reading->cells[reading->current];
    if (known->id != sample->cell || sample->counter >= known->counters)
        return 0;
    if (known->program && sample->counter == known->status && sample->value >= STATUS_TIMEOUT)
        reading->timed_out = true;
    const bool whole = !sample->enabled || sample->running >= sample->enabled;
    if (known->quantity[sample->counter] == NO_QUANTITY || !whole)
        return 0;
    /* Differences below zero are stored as counts near 2^64. */
    const uint32_t counter = sample->counter;
    *memory_add(reading->values[counter], reading->count[counter]) = (double)(int64_t)sample->value;
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Clocks as quantities: what reading one costs, and how it runs against the operating system's. */

/* Runs of one machine differ in the rate of clocks by so much without any difference of machines.
 */
#define COMPARE_RATE_MARGIN .001

struct watching {
    const struct compare_loading *loading;
    const struct clocks_case *file;
    const struct clock_watch *watch;
    int reference; /* column of the clock that others are held against; -1: none */
};

/* The mean of two looks in opposite orders is a reading at one moment (wire/watch.h). */
static double reading_at(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t first = watch->values[look * watch->columns + column],
                   second = watch->values[(look + 1) * watch->columns + column];
    return (double)first + (double)(int64_t)(second - first) / 2;
}

static double interval_of(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t begin = watch->values[look * watch->columns + column],
                   end = watch->values[(look + WATCH_SIDE_LOOKS) * watch->columns + column];
    /* Absolute readings have more digits than a double: their offsets do not. */
    const double before = reading_at(watching, look, column) - (double)begin,
                 after = reading_at(watching, look + WATCH_SIDE_LOOKS, column) - (double)end;
    return (double)(int64_t)(end - begin) + after - before;
}

/* How the clock ran against the reference in the interval that begins with this look; or what a
 * reading cost in this block. NaN: nothing that can be told. */
static double value_of(const struct watching *watching, size_t look, size_t column)
{
    const struct clock_watch *watch = watching->watch;
    const uint64_t *row = watch->values + look * watch->columns;
    if (watch->kind == WATCH_ROW)
        return watch->length
                   ? (double)(int64_t)(row[ROW_AFTER] - row[ROW_BEFORE]) / (double)watch->length
                   : (double)NAN;
    const double reference = interval_of(watching, look, (size_t)watching->reference);
    return reference > 0 ? interval_of(watching, look, column) / reference : (double)NAN;
}

static void add_processes(const struct watching *watching, size_t column,
                          const struct compare_quantity *like, double factor)
{
    const struct clock_watch *watch = watching->watch;
    const size_t step = watch->kind == WATCH_INTERVAL ? WATCH_INTERVAL_LOOKS : 1;
    const struct compare_loading *loading = watching->loading;
    struct compare_quantity *quantity = compare_add_quantity(loading->file, like);
    for (size_t process = 0; process < watch->processes; process++) {
        const size_t begin = watch->begins[process], end = watch->begins[process + 1];
        AUTO_MEMORY double *values = memory_new((end - begin) / step, sizeof(*values));
        size_t count = 0;
        for (size_t look = begin; look + step <= end; look += step) {
            const double value = value_of(watching, look, column) * factor;
            if (!isnan(value))
                values[count++] = value;
        }
        compare_add_median(quantity, loading->side, values, count);
    }
}

/* The operating system's clocks count ns. */
static int reference_of(const struct clocks_case *file, const struct clock_watch *watch)
{
    static const char *const names[] = {"monotonic-raw", "monotonic"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int clock = clocks_index(file, names[i]);
        int column = clock < 0 ? -1 : watch_column(watch, (uint32_t)clock);
        if (column >= 0)
            return column;
    }
    return -1;
}

static void add_watch(struct watching *watching)
{
    const struct clock_watch *watch = watching->watch;
    watching->reference = reference_of(watching->file, watch);
    if (watch->kind == WATCH_ROW && watch->columns == ROW_COLUMNS) {
        const struct clock_known *clock = &watching->file->clocks[watch->clocks[ROW_FIRST]],
                                 *meter = &watching->file->clocks[watch->clocks[ROW_BEFORE]];
        struct compare_quantity like = {.study = (char *)watching->loading->study,
                                        .event = (char *)"cost of a reading",
                                        .subject = clock->name,
                                        .factors = (char *)"",
                                        .unit = (char *)(meter->hz ? "ns" : "ticks"),
                                        .timed = true,
                                        .margin = COMPARE_TIME_MARGIN};
        add_processes(watching, ROW_FIRST, &like, meter->hz ? 1e9 / (double)meter->hz : 1);
    }

    if (watch->kind != WATCH_INTERVAL || watching->reference < 0)
        return;
    for (size_t column = 0; column < watch->columns; column++)
        if (column != (size_t)watching->reference) {
            /* Clocks that claim no rate are in ticks a nanosecond. Those of CPU time run as others
             * let them. */
            const struct clock_known *clock = &watching->file->clocks[watch->clocks[column]];
            AUTO_TEXT struct text factors = {0};
            if (clock->role != ROLE_WALL)
                continue;
            text_printf(&factors, "%s, %llu us, %u thread%s%s%s%s", watch->workload,
                        (unsigned long long)watch->length, watch->threads,
                        watch->threads == 1 ? "" : "s", watch->moves ? ", moved" : "",
                        watch->handover ? ", handed over" : "", watch->awake ? ", kept awake" : "");
            struct compare_quantity like = {.study = (char *)watching->loading->study,
                                            .event = (char *)"rate",
                                            .subject = clock->name,
                                            .factors = factors.bytes,
                                            .unit = (char *)(clock->hz ? "ratio" : "ticks/ns"),
                                            .timed = true,
                                            .margin = COMPARE_RATE_MARGIN};
            add_processes(watching, column, &like, clock->hz ? 1e9 / (double)clock->hz : 1);
        }
}

/* ----------------------------------------------------------------------------------------------
 * Calls of tours as quantities: what each operation costs in a process, apart for those that
 * follow themselves and those that follow another; of a cold tour the first call of each. */

enum follows { FOLLOWS_OTHER, FOLLOWS_ITSELF, FOLLOWS_NOTHING, FOLLOWS_COUNT };
static const char *const follow_words[FOLLOWS_COUNT] = {"warm, after another call",
                                                        "warm, after itself", "first call"};

struct touring {
    const struct compare_loading *loading;
    const struct overhead_case *file;
    const struct overhead_tour *tour;
    double *values; /* room for the calls of any process */
};

/* Which of the three is call `call` of a process; FOLLOWS_COUNT: none of them. */
static enum follows follows(const struct overhead_tour *tour, size_t call)
{
    const size_t place = call % tour->length;
    const uint32_t operation = tour->calls[place];
    if (tour->cold) {
        for (size_t i = 0; i < call && i < tour->length; i++)
            if (tour->calls[i] == operation)
                return FOLLOWS_COUNT;
        return call < tour->length ? FOLLOWS_NOTHING : FOLLOWS_COUNT;
    }
    if (!call)
        return FOLLOWS_COUNT;
    const size_t before = place ? place - 1 : tour->length - 1;
    return tour->calls[before] == operation ? FOLLOWS_ITSELF : FOLLOWS_OTHER;
}

/* The median of each process. */
static void tours_add_processes(const struct touring *touring, uint32_t operation, uint32_t meter,
                                enum follows kind)
{
    const struct overhead_tour *tour = touring->tour;
    struct compare_quantity *quantity = NULL;
    for (size_t process = 0; process < tour->processes; process++) {
        const size_t begin = tour->begins[process], calls = tour->begins[process + 1] - begin;
        size_t count = 0;
        for (size_t call = 0; call < calls; call++)
            if (tour->calls[call % tour->length] == operation &&
                tour->times[call % tour->length] == 1 && follows(tour, call) == kind)
                touring->values[count++] =
                    (double)tour->values[(begin + call) * tour->meter_count + meter];
        if (!count)
            continue;
        if (!quantity) {
            AUTO_TEXT struct text factors = {0};
            text_printf(&factors, "%s, %s, %u counter%s of %s%s", follow_words[kind], tour->link,
                        tour->open, tour->open == 1 ? "" : "s", tour->counted,
                        tour->separate ? ", one by one" : "");
            struct compare_quantity like = {.study = (char *)touring->loading->study,
                                            .event = tour->meters[meter].event,
                                            .subject = touring->file->operations[operation].name,
                                            .factors = factors.bytes};
            compare_classify(tour->meters[meter].event, &like);
            quantity = compare_add_quantity(touring->loading->file, &like);
        }

        compare_add_median(quantity, touring->loading->side, touring->values, count);
    }
}

static bool seen_before(const struct overhead_tour *tour, size_t place)
{
    for (size_t i = 0; i < place; i++)
        if (tour->calls[i] == tour->calls[place])
            return true;
    return false;
}

static void add_tour(struct touring *touring)
{
    const struct overhead_tour *tour = touring->tour;
    size_t most = 0;
    for (size_t i = 0; i < tour->processes; i++)
        most = tour->begins[i + 1] - tour->begins[i] > most ? tour->begins[i + 1] - tour->begins[i]
                                                            : most;
    AUTO_MEMORY double *values = memory_new(most, sizeof(*values));
    touring->values = values;
    for (size_t place = 0; place < tour->length; place++) {
        if (seen_before(tour, place))
            continue;
        for (uint32_t meter = 0; meter < tour->meter_count; meter++)
            for (int kind = 0; kind < FOLLOWS_COUNT; kind++)
                if ((kind == FOLLOWS_NOTHING) == tour->cold)
                    tours_add_processes(touring, tour->calls[place], meter, (enum follows)kind);
    }
}

/* ----------------------------------------------------------------------------------------------
 * From a store to quantities: which way. */

void compare_add_median(struct compare_quantity *quantity, size_t side, double *values,
                        size_t count)
{
    if (!count)
        return;
    sort_values(values, count);
    double *step = &quantity->sides[side].step;
    for (size_t i = 1; i < count && strcmp(quantity->unit, "ticks") == 0; i++)
        *step = compare_common_step(*step, values[i] - values[i - 1]);
    compare_add_value(quantity, side, quantile(values, count, .5));
}

int compare_load(struct store *store, size_t side, struct compare_case *file,
                 struct failure *failure)
{
    struct store_info info = {0};
    int error = store_info(store, &info, failure);
    if (error == 0) {
        const struct compare_loading loading = {store, info.command, side, file, failure};
        if (strcmp(info.command, "clocks") == 0) {
            struct clocks_case clocks = {0};
            error = clocks_load(loading.store, &clocks, loading.failure);
            for (size_t i = 0; i < clocks.watch_count && error == 0; i++) {
                struct watching watching = {
                    .loading = &loading, .file = &clocks, .watch = &clocks.watches[i]};
                add_watch(&watching);
            }
            clocks_case_release(&clocks);
        } else if (strcmp(info.command, "overhead") == 0) {
            struct overhead_case tours = {0};
            error = overhead_load(loading.store, &tours, loading.failure);
            for (size_t i = 0; error == 0 && i < tours.tour_count; i++) {
                struct touring touring = {
                    .loading = &loading, .file = &tours, .tour = &tours.tours[i]};
                add_tour(&touring);
            }
        } else {
            struct reading reading = {.loading = &loading};
            error = store_each_cell(loading.store, know_cell, &reading, loading.failure);
            if (error == 0 && reading.cell_count)
                error = store_each_sample(loading.store, 0, keep_sample, &reading, loading.failure);
            if (error == 0 && reading.cell_count)
                end_process(&reading);
        }
    }
    store_info_release(&info);
    return error;
}
