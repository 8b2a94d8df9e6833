/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of overhead: its parts, one after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/overhead/judge.h"

bool overhead_same_word(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "") == 0;
}

const char *overhead_variant(const struct overhead_operation *operation, const char *link)
{
    if (operation->page && *operation->page)
        return operation->page;
    return operation->binds ? link : "inline";
}

bool overhead_same_meter(const struct overhead_meter *left, const struct overhead_meter *right)
{
    return left == right || (left && right && overhead_same_word(left->event, right->event) &&
                             overhead_same_word(left->mode, right->mode));
}

bool overhead_has_one_mode(const struct overhead_meter *meter)
{
    return meter && (overhead_same_word(meter->mode, "u") || overhead_same_word(meter->mode, "k"));
}

bool overhead_is_time(const struct overhead_meter *meter)
{
    return meter->unit == METER_TICKS || meter->unit == METER_NS;
}
bool overhead_is_own(const struct overhead_operation *operation)
{
    return strcmp(operation->instrument, "timer") == 0;
}

bool overhead_same_group(const void *called, const void *other)
{
    const struct overhead_called *one = called, *two = other;
    return one->machine == two->machine && overhead_same_meter(one->meter, two->meter);
}

bool overhead_same_call(const void *called, const void *other)
{
    const struct overhead_called *one = called, *two = other;
    return one->operation == two->operation && overhead_same_group(one, two) &&
           overhead_same_word(one->variant, two->variant);
}

int overhead_operation_index(const struct overhead_case *file, const char *name)
{
    for (size_t index = 0; index < file->operation_count; index++)
        if (strcmp(file->operations[index].name, name) == 0)
            return (int)index;
    return -1;
}

/* ----------------------------------------------------------------------------------------------
 * Every call of the case once, with its factors. */

static double cost_of(const struct overhead_timer *timer)
{
    return timer && timer->known ? timer->cost : 0;
}

/* What metering costs by each meter of a tour, and what its gauge says. */
struct metering {
    const struct overhead_timer *timer;
    const struct overhead_gauge *gauge;
};

/* By the gauge of any meter, or by the account. */
static bool is_disturbed(const struct overhead_passes *passes, const struct metering *meterings,
                         size_t process, uint32_t pass)
{
    for (uint32_t meter = 0; meter < passes->tour->meter_count; meter++) {
        const struct overhead_gauge *gauge = meterings[meter].gauge;
        if (gauge && gauge->known &&
            overhead_pass_gauge(passes, process, pass, meter) - cost_of(meterings[meter].timer) >
                gauge->limit)
            return true;
    }
    return overhead_pass_unsettled(passes, process, pass);
}

static void walk_tour(const struct overhead_case *file, const struct overhead_report *report,
                      uint32_t index, overhead_span_each *each, void *context)
{
    const struct overhead_tour *tour = &file->tours[index];
    AUTO_MEMORY uint32_t *seen = memory_new(file->operation_count + 1, sizeof(*seen));
    /* How many-th of its operation in a pass, from 1. */
    AUTO_MEMORY uint32_t *ordinals = memory_new(tour->length + 1, sizeof(*ordinals));
    AUTO_MEMORY struct metering *meterings = memory_new(tour->meter_count + 1, sizeof(*meterings));
    for (uint32_t meter = 0; meter < tour->meter_count; meter++)
        meterings[meter] =
            (struct metering){overhead_timer_of(report, tour->machine, &tour->meters[meter]),
                              overhead_gauge_of(report, tour->machine, &tour->meters[meter])};
    for (size_t call = 0; call < tour->length; call++)
        ordinals[call] = ++seen[tour->calls[call]];
    AUTO_PASSES struct overhead_passes passes = overhead_passes_open(file, tour);
    struct overhead_span span = {.tour = index, .machine = tour->machine};
    for (span.process = 0; span.process < tour->processes; span.process++)
        for (span.pass = 0; span.pass < tour->passes[span.process]; span.pass++) {
            size_t first = tour->begins[span.process] + span.pass * tour->length;
            span.disturbed = is_disturbed(&passes, meterings, span.process, span.pass);
            for (span.call = 0; span.call < tour->length; span.call++) {
                size_t at = first + span.call;
                size_t before = span.call ? span.call - 1 : tour->length - 1;
                bool none = span.call == 0 && span.pass == 0;
                span.operation = tour->calls[span.call];
                span.times = tour->times[span.call];
                span.position = span.pass * seen[span.operation] + ordinals[span.call];
                span.account = tour->cold ? &tour->accounts[at] : NULL;
                span.predecessor = none ? -1 : (int32_t)tour->calls[before];
                span.predecessor_times = none ? 0 : tour->times[before];
                for (span.meter = 0; span.meter < tour->meter_count; span.meter++) {
                    span.raw = tour->values[at * tour->meter_count + span.meter];
                    span.cost = (double)span.raw - cost_of(meterings[span.meter].timer);
                    each(context, &span);
                }
            }
        }
}

void overhead_each_span(const struct overhead_case *file, const struct overhead_report *report,
                        overhead_span_each *each, void *context)
{
    for (size_t i = 0; i < file->tour_count; i++)
        walk_tour(file, report, (uint32_t)i, each, context);
}

/* ----------------------------------------------------------------------------------------------
 * Spans by their factors, in two walks: the first counts the spans of every cell, the second lays
 * each into its place. In a warm tour the cell of a span follows from its call, so that few are
 * looked up. */

enum { NOWHERE = UINT32_MAX };

struct collection {
    const struct overhead_case *file;
    const struct overhead_report *report;
    struct overhead_cells *cells;
    size_t room;
    uint32_t *places; /* hash table of indices in the list; NOWHERE: free */
    size_t place_count;
    /* Of the tour under way. */
    uint32_t tour;
    uint32_t *known;   /* [(call * meters + meter) * 2 + first of all]; NOWHERE: not looked up */
    uint32_t *numbers; /* [tour * 2]: of its link, of its counted event */
    uint32_t *first_process;           /* [tour] */
    size_t *filled, *filled_disturbed; /* [cell] */
};

/* --- words as numbers --- */

static uint32_t number_of(const struct overhead_case *file, size_t tour, bool link)
{
    for (size_t i = 0; i < tour; i++)
        if (strcmp(link ? file->tours[i].link : file->tours[i].counted,
                   link ? file->tours[tour].link : file->tours[tour].counted) == 0)
            return (uint32_t)i;
    return (uint32_t)tour;
}

/* --- the hash --- */

static size_t place_of(const struct collection *collection, const struct overhead_factors *factors)
{
    uint64_t hash = 14695981039346656037u;
    uint32_t words[sizeof(*factors) / sizeof(uint32_t)];
    memcpy(words, factors, sizeof(words));
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        hash = (hash ^ words[i]) * 1099511628211u;
    size_t mask = collection->place_count - 1, place = (size_t)(hash ^ hash >> 32) & mask;
    while (collection->places[place] != NOWHERE &&
           memcmp(&collection->cells->list[collection->places[place]].factors, factors,
                  sizeof(*factors)) != 0)
        place = (place + 1) & mask;
    return place;
}

static void grow(struct collection *collection)
{
    struct overhead_cells *cells = collection->cells;
    collection->room = collection->room ? 2 * collection->room : 256;
    collection->place_count = 4 * collection->room;
    cells->list = memory_resize(cells->list, collection->room, sizeof(*cells->list));
    uint32_t *places = memory_resize(collection->places, collection->place_count, sizeof(*places));
    collection->places = places;
    memset(places, 0xff, collection->place_count * sizeof(*places));
    for (size_t i = 0; i < cells->count; i++)
        places[place_of(collection, &cells->list[i].factors)] = (uint32_t)i;
}

/* Index of the cell, made where there is none. */
static uint32_t find_cell(struct collection *collection, const struct overhead_span *span)
{
    struct overhead_cells *cells = collection->cells;
    if (cells->count == collection->room)
        grow(collection);
    const struct overhead_tour *of = &collection->file->tours[span->tour];
    const struct overhead_timer *timer =
        overhead_timer_of(collection->report, of->machine, &of->meters[span->meter]);
    struct overhead_factors factors = (struct overhead_factors){
        .machine = span->machine,
        .meter = (uint32_t)(timer - collection->report->timers),
        .operation = span->operation,
        .link = collection->numbers[2 * (size_t)span->tour],
        .counted = collection->numbers[2 * (size_t)span->tour + 1],
        .events = of->open,
        .separate = of->separate,
        .reads = span->times,
        .temperature = of->cold ? TEMPERATURE_COLD : TEMPERATURE_WARM,
        .position = of->cold ? span->position : 0,
        .predecessor = (uint32_t)(span->predecessor + 1),
        .predecessor_times = span->predecessor_times,
    };
    size_t place = place_of(collection, &factors);
    if (collection->places[place] == NOWHERE) {
        const struct overhead_tour *tour = &collection->file->tours[span->tour];
        cells->list[cells->count] = (struct overhead_cell){
            .factors = factors, .tour = tour, .meter = &tour->meters[span->meter]};
        collection->places[place] = (uint32_t)cells->count++;
    }
    return collection->places[place];
}

/* --- the walks --- */

static uint32_t cells_cell_of(struct collection *collection, const struct overhead_span *span)
{
    const struct overhead_tour *tour = &collection->file->tours[span->tour];
    if (collection->tour != span->tour) {
        size_t count = 2 * tour->length * tour->meter_count;
        collection->known = memory_resize(collection->known, count + 1, sizeof(*collection->known));
        memset(collection->known, 0xff, count * sizeof(*collection->known));
        collection->tour = span->tour;
    }
    if (tour->cold) /* its position is a factor */
        return find_cell(collection, span);
    uint32_t *known =
        &collection->known[2 * ((size_t)span->call * tour->meter_count + span->meter) +
                           (span->predecessor < 0)];
    if (*known == NOWHERE)
        *known = find_cell(collection, span);
    return *known;
}

static void count_span(void *context, const struct overhead_span *span)
{
    struct collection *collection = context;
    uint32_t index = cells_cell_of(collection, span);
    struct overhead_cell *cell = &collection->cells->list[index];
    collection->cells->spans++;
    if (span->disturbed)
        cell->disturbed++;
    else
        cell->runs++;
}

static void lay_span(void *context, const struct overhead_span *span)
{
    struct collection *collection = context;
    struct overhead_cells *cells = collection->cells;
    uint32_t index = cells_cell_of(collection, span);
    struct overhead_cell *cell = &cells->list[index];
    size_t at = cell->begin;
    at += span->disturbed ? cell->runs + collection->filled_disturbed[index]++
                          : collection->filled[index]++;
    cells->values[at] = span->raw;
    cells->groups[at] = collection->first_process[span->tour] + span->process;
    if (!span->account)
        return;
    uint64_t faults = span->account->minor_faults + span->account->major_faults;
    cells->flags[at] =
        (uint8_t)((faults ? SPAN_FAULTED : 0) | (span->account->involuntary ? SPAN_SWITCHED : 0));
    if (!span->disturbed)
        cell->faults += faults;
}

/* --- the order --- */

#define COMPARE(field) ((left->field > right->field) - (left->field < right->field))

size_t overhead_rank(const char *word, const char *const *order, size_t count)
{
    size_t rank = 0;
    while (rank < count && strcmp(order[rank], word) != 0)
        rank++;
    return rank;
}

/* Static first: it has least to do with the dynamic linker. */
static const char *const links[] = {"static", "lazy", "bind-now"};

static int compare_words(const struct overhead_case *file, const struct overhead_cell *one,
                         const struct overhead_cell *other)
{
    const struct overhead_operation *left = &file->operations[one->factors.operation];
    const struct overhead_operation *right = &file->operations[other->factors.operation];
    int order = strcmp(left->path, right->path);
    if (!order)
        order = strcmp(left->kind, right->kind);
    if (!order)
        order = (int)overhead_rank(one->tour->link, links, 3) -
                (int)overhead_rank(other->tour->link, links, 3);
    if (!order)
        order = strcmp(one->tour->link, other->tour->link);
    return order ? order : strcmp(one->tour->counted, other->tour->counted);
}

static int compare_predecessors(const struct overhead_case *file,
                                const struct overhead_factors *left,
                                const struct overhead_factors *right)
{
    if (left->predecessor && right->predecessor && left->predecessor != right->predecessor)
        return strcmp(file->operations[left->predecessor - 1].name,
                      file->operations[right->predecessor - 1].name);
    return left->predecessor == right->predecessor ? COMPARE(predecessor_times)
                                                   : COMPARE(predecessor);
}

static int compare_cells(const void *left_cell, const void *right_cell, void *context)
{
    const struct overhead_case *file = context;
    const struct overhead_cell *one = left_cell, *other = right_cell;
    const struct overhead_factors *left = &one->factors, *right = &other->factors;
    int order = COMPARE(machine);
    if (!order)
        order = COMPARE(meter);
    if (!order)
        order = compare_words(file, one, other);
    const int orders[] = {COMPARE(operation), COMPARE(separate),    COMPARE(events),
                          COMPARE(reads),     COMPARE(temperature), COMPARE(position)};
    for (size_t i = 0; !order && i < sizeof(orders) / sizeof(*orders); i++)
        order = orders[i];
    return order ? order : compare_predecessors(file, left, right);
}
struct overhead_cells overhead_cells_collect(const struct overhead_case *file,
                                             const struct overhead_report *report)
{
    struct overhead_cells cells = {0};
    struct collection collection = {
        .file = file, .report = report, .cells = &cells, .tour = UINT32_MAX};
    collection.numbers = memory_new(2 * file->tour_count + 1, sizeof(*collection.numbers));
    collection.first_process = memory_new(file->tour_count + 1, sizeof(*collection.first_process));
    uint32_t processes = 0;
    for (size_t i = 0; i < file->tour_count; i++) {
        collection.numbers[2 * i] = number_of(file, i, true);
        collection.numbers[2 * i + 1] = number_of(file, i, false);
        collection.first_process[i] = processes;
        processes += (uint32_t)file->tours[i].processes;
    }
    overhead_each_span(file, report, count_span, &collection);
    size_t begin = 0;
    for (size_t i = 0; i < cells.count; i++) {
        cells.list[i].begin = begin;
        begin += cells.list[i].runs + cells.list[i].disturbed;
    }
    cells.values = memory_new(cells.spans + 1, sizeof(*cells.values));
    cells.groups = memory_new(cells.spans + 1, sizeof(*cells.groups));
    cells.flags = memory_new(cells.spans + 1, sizeof(*cells.flags));
    collection.filled = memory_new(cells.count + 1, sizeof(*collection.filled));
    collection.filled_disturbed = memory_new(cells.count + 1, sizeof(*collection.filled_disturbed));
    collection.tour = UINT32_MAX;
    overhead_each_span(file, report, lay_span, &collection);
    if (cells.count)
        qsort_r(cells.list, cells.count, sizeof(*cells.list), compare_cells,
                (void *)(uintptr_t)file);
    return cells;
}

/* --- all parts --- */

const char *const meter_unit_names[METER_UNITS] = {
    [METER_TICKS] = "ticks",   [METER_NS] = "ns",         [METER_INSTRUCTIONS] = "instructions",
    [METER_CYCLES] = "cycles", [METER_EVENTS] = "events",
};
const char *const temperature_names[TEMPERATURES] = {
    [TEMPERATURE_WARM] = "warm",
    [TEMPERATURE_COLD] = "cold",
};

void overhead_judge(const struct overhead_case *file, struct overhead_report *report)
{
    *report = (struct overhead_report){0};
    overhead_judge_timers(file, report);
    overhead_judge_gauges(file, report);
    overhead_judge_rows(file, report);
    overhead_judge_figures(file, report);
    overhead_judge_sweeps(file, report);
    overhead_judge_cold(file, report);
    overhead_judge_machines(file, report);
    overhead_judge_peers(file, report);
    overhead_judge_advice(file, report);
    overhead_judge_findings(file, report);
}
