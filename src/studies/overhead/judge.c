/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement of overhead: its calls one by one, put together by their factors, and as one figure
 * of every process, which sweeps, first calls, machines and peers compare; then its parts, one
 * after the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/overhead/study.h"

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

/* ----------------------------------------------------------------------------------------------
 * Calls by cell. How many calls a cell has follows from the tour, so every call has its place
 * before the first one is looked at, and calls of two meters that stand at the same place are the
 * same. */

/* One call, metered. */
struct seen {
    double cost; /* NaN: disturbed */
    int32_t slot_before, predecessor;
    uint32_t position;
    const struct account *account;
};

/* What is called in one pass, each (operation, times) once. */
struct slot {
    uint32_t operation, times;
    size_t occurrences; /* in a pass */
    size_t before;      /* occurrences of all slots before it */
};

struct sorted_tour {
    const struct overhead_tour *tour;
    struct slot *slots;
    size_t slot_count;
    struct seen *seen; /* by process, slot, meter */
    size_t *filled;    /* [(process * slot_count + slot) * meter_count + meter] */
    /* The sum of two of its meters; NULL: none. */
    const struct overhead_meter *total;
    uint32_t user, kernel;
};

struct sorted {
    struct sorted_tour *tours;
    size_t count;
};

static int slot_of(const struct sorted_tour *sorted, uint32_t operation, uint32_t times)
{
    for (size_t i = 0; i < sorted->slot_count; i++)
        if (sorted->slots[i].operation == operation && sorted->slots[i].times == times)
            return (int)i;
    return -1;
}

static struct sorted_tour sort_tour(const struct overhead_tour *tour)
{
    struct sorted_tour sorted = {.tour = tour,
                                 .slots = memory_new(tour->length + 1, sizeof(*sorted.slots))};
    for (size_t i = 0; i < tour->length; i++) {
        int slot = slot_of(&sorted, tour->calls[i], tour->times[i]);
        if (slot < 0) {
            slot = (int)sorted.slot_count++;
            sorted.slots[slot] = (struct slot){tour->calls[i], tour->times[i], 0, 0};
        }
        sorted.slots[slot].occurrences++;
    }
    for (size_t i = 1; i < sorted.slot_count; i++)
        sorted.slots[i].before = sorted.slots[i - 1].before + sorted.slots[i - 1].occurrences;
    sorted.seen = memory_new(overhead_calls_of(tour) * tour->meter_count + 1, sizeof(*sorted.seen));
    sorted.filled = memory_new(tour->processes * sorted.slot_count * tour->meter_count + 1,
                               sizeof(*sorted.filled));
    return sorted;
}

static size_t cell_of(const struct sorted_tour *sorted, size_t process, size_t slot, size_t meter)
{
    return (process * sorted->slot_count + slot) * sorted->tour->meter_count + meter;
}

/* Where the calls of a cell are: every process has its whole passes, and in these each slot as many
 * calls as it occurs, once for each meter. */
static struct seen *calls_of(const struct sorted_tour *sorted, size_t process, size_t slot,
                             size_t meter)
{
    const struct overhead_tour *tour = sorted->tour;
    const struct slot *of = &sorted->slots[slot];
    return sorted->seen + tour->begins[process] * tour->meter_count +
           tour->passes[process] * (of->before * tour->meter_count + meter * of->occurrences);
}

static void see(void *context, const struct overhead_span *span)
{
    struct sorted_tour *sorted = &((struct sorted *)context)->tours[span->tour];
    int slot = slot_of(sorted, span->operation, span->times);
    if (slot < 0)
        return;
    size_t *filled = &sorted->filled[cell_of(sorted, span->process, (size_t)slot, span->meter)];
    if (*filled >= sorted->tour->passes[span->process] * sorted->slots[slot].occurrences)
        return;
    struct seen *seen = calls_of(sorted, span->process, (size_t)slot, span->meter) + *filled;
    *seen = (struct seen){
        .cost = span->disturbed ? NAN : span->cost,
        .slot_before = span->predecessor < 0
                           ? -1
                           : slot_of(sorted, (uint32_t)span->predecessor, span->predecessor_times),
        .predecessor = span->predecessor,
        .position = (uint32_t)++ * filled,
        .account = span->account,
    };
}

static struct seen *sorted_cell(const struct sorted_tour *sorted, size_t process, size_t slot,
                                size_t meter, size_t *count)
{
    *count = sorted->filled[cell_of(sorted, process, slot, meter)];
    return calls_of(sorted, process, slot, meter);
}

static struct sorted sort_calls(const struct overhead_case *file,
                                const struct overhead_report *report)
{
    struct sorted sorted = {.tours = memory_new(file->tour_count + 1, sizeof(*sorted.tours)),
                            .count = file->tour_count};
    for (size_t i = 0; i < sorted.count; i++)
        sorted.tours[i] = sort_tour(&file->tours[i]);
    overhead_each_span(file, report, see, &sorted);
    return sorted;
}

/* ----------------------------------------------------------------------------------------------
 * Where a tour metered an event in user and in kernel mode, their sum is a meter of its own: it
 * must be taken call by call, for medians do not add up. */

/* Is it the event of `user`, in another mode? */
static bool is_mode_of(const struct overhead_meter *user, const struct overhead_meter *other,
                       const char *mode)
{
    size_t base = strcspn(user->event, ":"), other_base = strcspn(other->event, ":");
    return strcmp(user->mode, "u") == 0 && strcmp(other->mode, mode) == 0 &&
           user->unit == other->unit && base == other_base &&
           strncmp(user->event, other->event, base) == 0;
}

static const struct overhead_meter *other_mode(const struct overhead_tour *tour,
                                               const struct overhead_meter *user, const char *mode)
{
    for (uint32_t i = 0; i < tour->meter_count; i++)
        if (is_mode_of(user, &tour->meters[i], mode))
            return &tour->meters[i];
    return NULL;
}

/* Not where both modes were also metered together: that is the total, measured. */
static bool find_halves(struct sorted_tour *sorted)
{
    const struct overhead_tour *tour = sorted->tour;
    for (uint32_t user = 0; user < tour->meter_count; user++) {
        const struct overhead_meter *kernel = other_mode(tour, &tour->meters[user], "k");
        if (!kernel || other_mode(tour, &tour->meters[user], "uk"))
            continue;
        sorted->user = user;
        sorted->kernel = (uint32_t)(kernel - tour->meters);
        return true;
    }
    return false;
}

/* The total of that event, made where no tour before had it. */
static const struct overhead_meter *total_of(const struct overhead_meter *half,
                                             struct overhead_report *report)
{
    size_t base = strcspn(half->event, ":");
    for (size_t i = 0; i < report->total_count; i++)
        if (report->totals[i].unit == half->unit && strcspn(report->totals[i].event, ":") == base &&
            strncmp(report->totals[i].event, half->event, base) == 0)
            return &report->totals[i];
    report->totals[report->total_count] = (struct overhead_meter){
        memory_format("%.*s:uk", (int)base, half->event), memory_copy("uk"), half->unit, 0};
    return &report->totals[report->total_count++];
}

static bool same_factors(const struct overhead_tour *left, const struct overhead_tour *right)
{
    return left->machine == right->machine && left->open == right->open &&
           left->separate == right->separate && left->cold == right->cold &&
           strcmp(left->link, right->link) == 0 && strcmp(left->counted, right->counted) == 0;
}

static bool makes_call(const struct overhead_tour *tour, uint32_t operation, uint32_t times)
{
    for (size_t i = 0; i < tour->length; i++)
        if (tour->calls[i] == operation && tour->times[i] == times)
            return true;
    return false;
}

/* Did the clock of an emulated machine count the instructions of the same calls? It misses none,
 * and the counters do: there is one total, and that is the clock's. */
static bool is_clocked(const struct sorted *sorted, const struct overhead_tour *tour)
{
    for (size_t i = 0; i < sorted->count; i++) {
        const struct overhead_tour *other = sorted->tours[i].tour;
        bool clocked = other->processes && other->meter_count &&
                       overhead_is_clock(&other->meters[0]) && same_factors(tour, other);
        for (size_t j = 0; j < tour->length && clocked; j++)
            clocked = makes_call(other, tour->calls[j], tour->times[j]);
        if (clocked)
            return true;
    }
    return false;
}

static void find_totals(struct sorted *sorted, struct overhead_report *report)
{
    /* Room for one of each tour, so that none moves. */
    report->total_count = 0;
    report->totals = memory_new(sorted->count + 1, sizeof(*report->totals));
    for (size_t i = 0; i < sorted->count; i++) {
        struct sorted_tour *one = &sorted->tours[i];
        if (find_halves(one) && !is_clocked(sorted, one->tour))
            one->total = total_of(&one->tour->meters[one->user], report);
    }
}

/* ----------------------------------------------------------------------------------------------
 * One figure of every process for each of its cells: what sweeps, first calls, machines and peers
 * compare. Calls of one process depend on each other, so a process is one witness however often it
 * called. */

static int by_cost(const void *left, const void *right)
{
    double a = ((const struct seen *)left)->cost, b = ((const struct seen *)right)->cost;
    return (a > b) - (a < b);
}

/* The value up to which half of the weight lies, where each predecessor weighs the same; between
 * two of them where exactly half does. calls: sorted by cost, none NaN. */
static double balanced_median(const struct seen *calls, size_t count, const size_t *by_slot)
{
    double all = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        all += 1 / (double)by_slot[calls[i].slot_before + 1];
    for (size_t i = 0; i < count; i++) {
        sum += 1 / (double)by_slot[calls[i].slot_before + 1];
        if (fabs(sum - all / 2) < 1e-9 * all && i + 1 < count)
            return calls[i].cost / 2 + calls[i + 1].cost / 2;
        if (sum > all / 2)
            return calls[i].cost;
    }
    return calls[count - 1].cost;
}

struct writer {
    const struct overhead_case *file;
    struct overhead_report *report;
    uint32_t tour;
    struct seen *calls; /* of the cell, sorted here */
    size_t *by_slot;    /* undisturbed calls by what was before them; the first: nothing */
};

static void put(struct writer *writer, struct overhead_figure figure)
{
    *memory_add(writer->report->figures, writer->report->figure_count) = figure;
}

static void put_median(struct writer *writer, struct overhead_figure figure, size_t slots,
                       size_t count)
{
    size_t kept = 0;
    memset(writer->by_slot, 0, (slots + 1) * sizeof(*writer->by_slot));
    for (size_t i = 0; i < count; i++)
        /* The very first call of a process has no predecessor, and no part where there are more. */
        if (!isnan(writer->calls[i].cost) && (writer->calls[i].slot_before >= 0 || count == 1)) {
            writer->by_slot[writer->calls[i].slot_before + 1]++;
            writer->calls[kept++] = writer->calls[i];
        }
    if (!kept)
        return;
    qsort(writer->calls, kept, sizeof(*writer->calls), by_cost);
    figure.predecessor = -1;
    /* The same between the steps of a meter that counts in such: the mean of what is next to it. */
    double median = balanced_median(writer->calls, kept, writer->by_slot), sum = 0, all = 0;
    for (size_t i = 0; i < kept && figure.meter->step > 0; i++)
        if (fabs(writer->calls[i].cost - median) <= figure.meter->step) {
            double weight = 1 / (double)writer->by_slot[writer->calls[i].slot_before + 1];
            sum += weight * writer->calls[i].cost;
            all += weight;
        }
    figure.value = all > 0 ? sum / all : median;
    figure.runs = kept;
    put(writer, figure);
}

/* meter: of the tour; meter_count stands for the total. */
static void put_cell(struct writer *writer, const struct sorted_tour *sorted, uint32_t process,
                     size_t slot, uint32_t meter)
{
    const struct overhead_tour *tour = sorted->tour;
    bool is_total = meter == tour->meter_count;
    uint32_t first = is_total ? sorted->user : meter;
    size_t count, other_count;
    const struct seen *calls = sorted_cell(sorted, process, slot, first, &count);
    memcpy(writer->calls, calls, count * sizeof(*calls));
    if (is_total) {
        const struct seen *others =
            sorted_cell(sorted, process, slot, sorted->kernel, &other_count);
        count = other_count < count ? other_count : count;
        for (size_t i = 0; i < count; i++)
            writer->calls[i].cost += others[i].cost;
    }
    const struct slot *of = &sorted->slots[slot];
    struct overhead_figure figure = {
        .machine = tour->machine,
        .tour = writer->tour,
        .process = process,
        .operation = of->operation,
        .times = of->times,
        .meter = is_total ? sorted->total : &tour->meters[meter],
        .variant = overhead_variant(&writer->file->operations[of->operation], tour->link),
    };
    if (tour->cold) {
        /* A cold call is a figure of its own. */
        for (size_t i = 0; i < count; i++) {
            const struct seen *call = &writer->calls[i];
            if (isnan(call->cost))
                continue;
            figure.position = call->position;
            figure.predecessor = call->predecessor;
            figure.account = call->account;
            figure.value = call->cost;
            figure.runs = 1;
            put(writer, figure);
        }
    } else
        put_median(writer, figure, sorted->slot_count, count);
}

void overhead_judge_figures(const struct overhead_case *file, struct overhead_report *report)
{
    struct sorted sorted = sort_calls(file, report);
    find_totals(&sorted, report);
    struct writer writer = {.file = file, .report = report};
    for (size_t i = 0; i < sorted.count; i++) {
        writer.tour = (uint32_t)i;
        const struct overhead_tour *tour = sorted.tours[i].tour;
        size_t longest = 0;
        for (size_t j = 0; j < tour->processes; j++)
            longest = tour->passes[j] > longest ? tour->passes[j] : longest;
        AUTO_MEMORY struct seen *calls = memory_new(longest * tour->length + 1, sizeof(*calls));
        AUTO_MEMORY size_t *by_slot = memory_new(sorted.tours[i].slot_count + 1, sizeof(*by_slot));
        writer.calls = calls;
        writer.by_slot = by_slot;
        uint32_t meters = tour->meter_count + (sorted.tours[i].total ? 1 : 0);
        for (uint32_t process = 0; process < tour->processes; process++)
            for (size_t slot = 0; slot < sorted.tours[i].slot_count; slot++)
                for (uint32_t meter = 0; meter < meters; meter++)
                    put_cell(&writer, &sorted.tours[i], process, slot, meter);
        memory_give_back(sorted.tours[i].seen);
    }
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
