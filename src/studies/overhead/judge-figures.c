/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every process showed of each of its cells: its calls sorted, both modes added up, and one
 * figure, which sweeps, first calls, machines and peers compare. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "studies/overhead/judge.h"

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
        if (!isnan(writer->calls[i].cost)) {
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
