/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One figure of every process for each of its cells: what sweeps, first calls, machines and peers
 * compare. Calls of one process depend on each other, so a process is one witness however often it
 * called. */
#include "judge/overhead/figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "studies/overhead/judge.h"

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

bool overhead_means_something(const struct overhead_case *file,
                              const struct overhead_figure *figure)
{
    return !file->machines[figure->machine].emulated ||
           !(overhead_is_time(figure->meter) || figure->meter->unit == METER_CYCLES);
}

bool overhead_is_own(const struct overhead_operation *operation)
{
    return strcmp(operation->instrument, "timer") == 0;
}

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

/* The same between the steps of a meter that counts in such: the mean of what is next to it. */
static double balanced_middle(const struct overhead_meter *meter, const struct seen *calls,
                              size_t count, const size_t *by_slot)
{
    double median = balanced_median(calls, count, by_slot), sum = 0, all = 0;
    for (size_t i = 0; i < count && meter->step > 0; i++)
        if (fabs(calls[i].cost - median) <= meter->step) {
            double weight = 1 / (double)by_slot[calls[i].slot_before + 1];
            sum += weight * calls[i].cost;
            all += weight;
        }
    return all > 0 ? sum / all : median;
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
    figure.value = balanced_middle(figure.meter, writer->calls, kept, writer->by_slot);
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
    AUTO_SORTED struct sorted sorted;
    int error = overhead_sort_calls(file, report, &sorted);
    if (!error)
        error = overhead_find_totals(&sorted, report);
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
