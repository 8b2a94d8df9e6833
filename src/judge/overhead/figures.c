/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One figure of every process for each of its cells: what sweeps, first calls, machines and peers
 * compare. Calls of one process depend on each other, so a process is one witness however often it
 * called. Where a tour metered an event in user and in kernel mode, their sum is a meter of its
 * own: it must be taken call by call, for medians do not add up. */
#include "judge/overhead/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

const char *overhead_variant(const struct overhead_operation *operation, const char *link)
{
    if (operation->page && *operation->page)
        return operation->page;
    return operation->binds ? link : "inline";
}

bool overhead_same_meter(const struct overhead_meter *left, const struct overhead_meter *right)
{
    return left == right ||
           (strcmp(left->event, right->event) == 0 && strcmp(left->mode, right->mode) == 0);
}

bool overhead_is_time(const struct overhead_meter *meter)
{
    return meter->unit == METER_TICKS || meter->unit == METER_NS;
}

bool overhead_is_own(const struct overhead_operation *operation)
{
    return strcmp(operation->instrument, "timer") == 0;
}

/* --- the calls of a tour, sorted by what was called --- */

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

static void sorted_release(struct sorted *sorted)
{
    for (size_t i = 0; sorted->tours && i < sorted->count; i++) {
        free(sorted->tours[i].slots);
        free(sorted->tours[i].seen);
        free(sorted->tours[i].filled);
    }
    free(sorted->tours);
}

static int slot_of(const struct sorted_tour *sorted, uint32_t operation, uint32_t times)
{
    for (size_t i = 0; i < sorted->slot_count; i++)
        if (sorted->slots[i].operation == operation && sorted->slots[i].times == times)
            return (int)i;
    return -1;
}

static int find_slots(struct sorted_tour *sorted)
{
    const struct overhead_tour *tour = sorted->tour;
    sorted->slots = calloc(tour->length + 1, sizeof(*sorted->slots));
    if (!sorted->slots)
        return -ENOMEM;
    for (size_t i = 0; i < tour->length; i++) {
        int slot = slot_of(sorted, tour->calls[i], tour->times[i]);
        if (slot < 0) {
            slot = (int)sorted->slot_count++;
            sorted->slots[slot] = (struct slot){tour->calls[i], tour->times[i], 0, 0};
        }
        sorted->slots[slot].occurrences++;
    }
    for (size_t i = 1; i < sorted->slot_count; i++)
        sorted->slots[i].before = sorted->slots[i - 1].before + sorted->slots[i - 1].occurrences;
    return 0;
}

static int sort_tour(const struct overhead_tour *tour, struct sorted_tour *sorted)
{
    sorted->tour = tour;
    size_t calls = tour->processes ? tour->begins[tour->processes] : 0;
    if (find_slots(sorted) < 0)
        return -ENOMEM;
    sorted->seen = calloc(calls * tour->meter_count + 1, sizeof(*sorted->seen));
    sorted->filled = calloc(tour->processes * sorted->slot_count * tour->meter_count + 1,
                            sizeof(*sorted->filled));
    return sorted->seen && sorted->filled ? 0 : -ENOMEM;
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

static int see(void *context, const struct overhead_span *span)
{
    struct sorted_tour *sorted = &((struct sorted *)context)->tours[span->tour];
    int slot = slot_of(sorted, span->operation, span->times);
    if (slot < 0)
        return 0;
    size_t *filled = &sorted->filled[cell_of(sorted, span->process, (size_t)slot, span->meter)];
    if (*filled >= sorted->tour->passes[span->process] * sorted->slots[slot].occurrences)
        return 0;
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
    return 0;
}

/* --- totals --- */

/* The event without its mode: how much of both names is the same. */
static bool same_but_mode(const struct overhead_meter *user, const struct overhead_meter *kernel)
{
    size_t user_length = strcspn(user->event, ":"), kernel_length = strcspn(kernel->event, ":");
    return strcmp(user->mode, "u") == 0 && strcmp(kernel->mode, "k") == 0 &&
           user->unit == kernel->unit && user_length == kernel_length &&
           strncmp(user->event, kernel->event, user_length) == 0;
}

static bool find_halves(struct sorted_tour *sorted)
{
    const struct overhead_tour *tour = sorted->tour;
    for (uint32_t user = 0; user < tour->meter_count; user++)
        for (uint32_t kernel = 0; kernel < tour->meter_count; kernel++)
            if (same_but_mode(&tour->meters[user], &tour->meters[kernel])) {
                sorted->user = user;
                sorted->kernel = kernel;
                return true;
            }
    return false;
}

static bool make_total(const struct overhead_meter *half, struct overhead_meter *total)
{
    size_t base = strcspn(half->event, ":");
    total->unit = half->unit;
    total->mode = strdup("uk");
    total->event = malloc(base + sizeof(":uk"));
    if (!total->mode || !total->event)
        return false;
    memcpy(total->event, half->event, base);
    memcpy(total->event + base, ":uk", sizeof(":uk"));
    return true;
}

/* Room for one of each tour, so that none moves. */
static int find_totals(struct sorted *sorted, struct overhead_report *report)
{
    report->totals = calloc(sorted->count + 1, sizeof(*report->totals));
    if (!report->totals)
        return -ENOMEM;
    for (size_t i = 0; i < sorted->count; i++) {
        struct sorted_tour *one = &sorted->tours[i];
        if (!find_halves(one))
            continue;
        struct overhead_meter *total = &report->totals[report->total_count++];
        if (!make_total(&one->tour->meters[one->user], total))
            return -ENOMEM;
        one->total = total;
        for (size_t earlier = 0; earlier + 1 < report->total_count; earlier++)
            if (overhead_same_meter(&report->totals[earlier], total)) {
                one->total = &report->totals[earlier];
                free(total->event);
                free(total->mode);
                *total = (struct overhead_meter){0};
                report->total_count--;
                break;
            }
    }
    return 0;
}

/* --- figures --- */

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
    size_t capacity;
    uint32_t tour;
    struct seen *calls; /* of the cell, sorted here */
    size_t *by_slot;    /* undisturbed calls by what was before them; the first: nothing */
};

static int put(struct writer *writer, const struct overhead_figure *figure)
{
    struct overhead_report *report = writer->report;
    if (report->figure_count == writer->capacity) {
        size_t capacity = writer->capacity ? 2 * writer->capacity : 256;
        void *grown = reallocarray(report->figures, capacity, sizeof(*report->figures));
        if (!grown)
            return -ENOMEM;
        report->figures = grown;
        writer->capacity = capacity;
    }
    report->figures[report->figure_count++] = *figure;
    return 0;
}

/* A cold call is a figure of its own. */
static int put_calls(struct writer *writer, struct overhead_figure figure, size_t count)
{
    int error = 0;
    for (size_t i = 0; i < count && !error; i++) {
        const struct seen *call = &writer->calls[i];
        if (isnan(call->cost))
            continue;
        figure.position = call->position;
        figure.predecessor = call->predecessor;
        figure.account = call->account;
        figure.value = call->cost;
        figure.runs = 1;
        error = put(writer, &figure);
    }
    return error;
}

static int put_median(struct writer *writer, struct overhead_figure figure, size_t slots,
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
        return 0;
    qsort(writer->calls, kept, sizeof(*writer->calls), by_cost);
    figure.predecessor = -1;
    figure.value = balanced_median(writer->calls, kept, writer->by_slot);
    figure.runs = kept;
    return put(writer, &figure);
}

/* meter: of the tour; meter_count stands for the total. */
static int put_cell(struct writer *writer, const struct sorted_tour *sorted, uint32_t process,
                    size_t slot, uint32_t meter)
{
    const struct overhead_tour *tour = sorted->tour;
    bool is_total = meter == tour->meter_count;
    uint32_t first = is_total ? sorted->user : meter;
    size_t count = sorted->filled[cell_of(sorted, process, slot, first)];
    const struct seen *calls = calls_of(sorted, process, slot, first);
    memcpy(writer->calls, calls, count * sizeof(*calls));
    if (is_total) {
        const struct seen *others = calls_of(sorted, process, slot, sorted->kernel);
        size_t other_count = sorted->filled[cell_of(sorted, process, slot, sorted->kernel)];
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
    return tour->cold ? put_calls(writer, figure, count)
                      : put_median(writer, figure, sorted->slot_count, count);
}

static int put_tour(struct writer *writer, const struct sorted_tour *sorted)
{
    const struct overhead_tour *tour = sorted->tour;
    size_t longest = 0;
    for (size_t i = 0; i < tour->processes; i++)
        longest = tour->passes[i] > longest ? tour->passes[i] : longest;
    AUTO_FREE struct seen *calls = calloc(longest * tour->length + 1, sizeof(*calls));
    AUTO_FREE size_t *by_slot = calloc(sorted->slot_count + 1, sizeof(*by_slot));
    if (!calls || !by_slot)
        return -ENOMEM;
    writer->calls = calls;
    writer->by_slot = by_slot;
    uint32_t meters = tour->meter_count + (sorted->total ? 1 : 0);
    int error = 0;
    for (uint32_t process = 0; process < tour->processes; process++)
        for (size_t slot = 0; slot < sorted->slot_count; slot++)
            for (uint32_t meter = 0; meter < meters && !error; meter++)
                error = put_cell(writer, sorted, process, slot, meter);
    return error;
}

int overhead_judge_figures(const struct overhead_case *file, struct overhead_report *report)
{
    __attribute__((cleanup(sorted_release))) struct sorted sorted = {.count = file->tour_count};
    sorted.tours = calloc(sorted.count + 1, sizeof(*sorted.tours));
    int error = sorted.tours ? 0 : -ENOMEM;
    for (size_t i = 0; i < sorted.count && !error; i++)
        error = sort_tour(&file->tours[i], &sorted.tours[i]);
    if (!error)
        error = find_totals(&sorted, report);
    if (!error)
        error = overhead_each_span(file, report, see, &sorted);
    struct writer writer = {.file = file, .report = report};
    for (size_t i = 0; i < sorted.count && !error; i++) {
        writer.tour = (uint32_t)i;
        error = put_tour(&writer, &sorted.tours[i]);
    }
    return error;
}

void overhead_release_figures(struct overhead_report *report)
{
    for (size_t i = 0; i < report->total_count; i++) {
        free(report->totals[i].event);
        free(report->totals[i].mode);
    }
    free(report->totals);
    free(report->figures);
}
