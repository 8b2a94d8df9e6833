/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Spans by their factors, in two walks: the first counts the spans of every cell, the second lays
 * each into its place. In a warm tour the cell of a span follows from its call, so that few are
 * looked up. */
#include "judge/overhead/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/overhead/passes.h"

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

static int number_tours(struct collection *collection)
{
    const struct overhead_case *file = collection->file;
    uint32_t processes = 0;
    collection->numbers = calloc(2 * file->tour_count + 1, sizeof(*collection->numbers));
    collection->first_process = calloc(file->tour_count + 1, sizeof(*collection->first_process));
    if (!collection->numbers || !collection->first_process)
        return -ENOMEM;
    for (size_t i = 0; i < file->tour_count; i++) {
        collection->numbers[2 * i] = number_of(file, i, true);
        collection->numbers[2 * i + 1] = number_of(file, i, false);
        collection->first_process[i] = processes;
        processes += (uint32_t)file->tours[i].processes;
    }
    return 0;
}

static struct overhead_factors factors_of(const struct collection *collection,
                                          const struct overhead_span *span)
{
    const struct overhead_tour *tour = &collection->file->tours[span->tour];
    const struct overhead_timer *timer =
        overhead_timer_of(collection->report, tour->machine, &tour->meters[span->meter]);
    return (struct overhead_factors){
        .machine = span->machine,
        .meter = (uint32_t)(timer - collection->report->timers),
        .operation = span->operation,
        .link = collection->numbers[2 * (size_t)span->tour],
        .counted = collection->numbers[2 * (size_t)span->tour + 1],
        .events = tour->open,
        .separate = tour->separate,
        .reads = span->times,
        .temperature = tour->cold ? TEMPERATURE_COLD : TEMPERATURE_WARM,
        .position = tour->cold ? span->position : 0,
        .predecessor = (uint32_t)(span->predecessor + 1),
        .predecessor_times = span->predecessor_times,
    };
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

static int grow(struct collection *collection)
{
    size_t room = collection->room ? 2 * collection->room : 256;
    struct overhead_cells *cells = collection->cells;
    struct overhead_cell *larger = reallocarray(cells->list, room, sizeof(*larger));
    if (!larger)
        return -ENOMEM;
    cells->list = larger;
    uint32_t *places = reallocarray(collection->places, 4 * room, sizeof(*places));
    if (!places)
        return -ENOMEM;
    collection->places = places;
    collection->place_count = 4 * room;
    collection->room = room;
    memset(places, 0xff, collection->place_count * sizeof(*places));
    for (size_t i = 0; i < cells->count; i++)
        places[place_of(collection, &cells->list[i].factors)] = (uint32_t)i;
    return 0;
}

/* Index of the cell, made where there is none; NOWHERE: out of memory. */
static uint32_t find_cell(struct collection *collection, const struct overhead_span *span)
{
    struct overhead_cells *cells = collection->cells;
    if (cells->count == collection->room && grow(collection) < 0)
        return NOWHERE;
    struct overhead_factors factors = factors_of(collection, span);
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

static int enter_tour(struct collection *collection, uint32_t index)
{
    const struct overhead_tour *tour = &collection->file->tours[index];
    size_t count = 2 * tour->length * tour->meter_count;
    uint32_t *known = reallocarray(collection->known, count + 1, sizeof(*known));
    if (!known)
        return -ENOMEM;
    memset(known, 0xff, count * sizeof(*known));
    collection->known = known;
    collection->tour = index;
    return 0;
}

static uint32_t cell_of(struct collection *collection, const struct overhead_span *span)
{
    const struct overhead_tour *tour = &collection->file->tours[span->tour];
    if (collection->tour != span->tour && enter_tour(collection, span->tour) < 0)
        return NOWHERE;
    if (tour->cold) /* its position is a factor */
        return find_cell(collection, span);
    uint32_t *known =
        &collection->known[2 * ((size_t)span->call * tour->meter_count + span->meter) +
                           (span->predecessor < 0)];
    if (*known == NOWHERE)
        *known = find_cell(collection, span);
    return *known;
}

static int count_span(void *context, const struct overhead_span *span)
{
    struct collection *collection = context;
    uint32_t index = cell_of(collection, span);
    if (index == NOWHERE)
        return -ENOMEM;
    struct overhead_cell *cell = &collection->cells->list[index];
    collection->cells->spans++;
    if (span->disturbed)
        cell->disturbed++;
    else
        cell->runs++;
    return 0;
}

static int lay_span(void *context, const struct overhead_span *span)
{
    struct collection *collection = context;
    struct overhead_cells *cells = collection->cells;
    uint32_t index = cell_of(collection, span);
    if (index == NOWHERE)
        return -ENOMEM;
    struct overhead_cell *cell = &cells->list[index];
    size_t at = cell->begin;
    at += span->disturbed ? cell->runs + collection->filled_disturbed[index]++
                          : collection->filled[index]++;
    cells->values[at] = span->raw;
    cells->groups[at] = collection->first_process[span->tour] + span->process;
    if (!span->account)
        return 0;
    uint64_t faults = span->account->minor_faults + span->account->major_faults;
    cells->flags[at] =
        (uint8_t)((faults ? SPAN_FAULTED : 0) | (span->account->involuntary ? SPAN_SWITCHED : 0));
    if (!span->disturbed)
        cell->faults += faults;
    return 0;
}

static int make_room(struct collection *collection)
{
    struct overhead_cells *cells = collection->cells;
    size_t begin = 0;
    for (size_t i = 0; i < cells->count; i++) {
        cells->list[i].begin = begin;
        begin += cells->list[i].runs + cells->list[i].disturbed;
    }
    cells->values = malloc((cells->spans + 1) * sizeof(*cells->values));
    cells->groups = malloc((cells->spans + 1) * sizeof(*cells->groups));
    cells->flags = calloc(cells->spans + 1, sizeof(*cells->flags));
    collection->filled = calloc(cells->count + 1, sizeof(*collection->filled));
    collection->filled_disturbed = calloc(cells->count + 1, sizeof(*collection->filled_disturbed));
    return cells->values && cells->groups && cells->flags && collection->filled &&
                   collection->filled_disturbed
               ? 0
               : -ENOMEM;
}

/* --- the order --- */

#define COMPARE(field) ((left->field > right->field) - (left->field < right->field))

/* Static first: it has least to do with the dynamic linker. */
static int link_rank(const char *link)
{
    static const char *const order[] = {"static", "lazy", "bind-now"};
    int rank = 0;
    while (rank < 3 && strcmp(order[rank], link) != 0)
        rank++;
    return rank;
}

static int compare_words(const struct overhead_case *file, const struct overhead_cell *one,
                         const struct overhead_cell *other)
{
    const struct overhead_operation *left = &file->operations[one->factors.operation];
    const struct overhead_operation *right = &file->operations[other->factors.operation];
    int order = strcmp(left->path, right->path);
    if (!order)
        order = strcmp(left->kind, right->kind);
    if (!order)
        order = link_rank(one->tour->link) - link_rank(other->tour->link);
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

bool overhead_cells_siblings(const struct overhead_cell *left, const struct overhead_cell *right)
{
    struct overhead_factors one = left->factors, other = right->factors;
    one.predecessor = other.predecessor = one.predecessor_times = other.predecessor_times = 0;
    return memcmp(&one, &other, sizeof(one)) == 0;
}

int overhead_cells_collect(const struct overhead_case *file, const struct overhead_report *report,
                           struct overhead_cells *cells)
{
    *cells = (struct overhead_cells){0};
    struct collection collection = {
        .file = file, .report = report, .cells = cells, .tour = UINT32_MAX};
    int error = number_tours(&collection);
    if (!error)
        error = overhead_each_span(file, report, count_span, &collection);
    if (!error)
        error = make_room(&collection);
    collection.tour = UINT32_MAX;
    if (!error)
        error = overhead_each_span(file, report, lay_span, &collection);
    if (!error && cells->count)
        qsort_r(cells->list, cells->count, sizeof(*cells->list), compare_cells,
                (void *)(uintptr_t)file);
    free(collection.places);
    free(collection.known);
    free(collection.numbers);
    free(collection.first_process);
    free(collection.filled);
    free(collection.filled_disturbed);
    return error;
}

void overhead_cells_release(struct overhead_cells *cells)
{
    free(cells->list);
    free(cells->values);
    free(cells->groups);
    free(cells->flags);
    *cells = (struct overhead_cells){0};
}
