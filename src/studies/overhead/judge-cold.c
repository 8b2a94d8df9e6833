/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * First calls of fresh processes, against the second and against warm ones. What was called before
 * the first call matters most of all (a read after a start finds its file in the caches), so it is
 * part of the cell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/overhead/judge.h"

/* ----------------------------------------------------------------------------------------------
 * A call is wild among the calls of other processes at the same position. A fault explains it only
 * where such calls usually have none: every first call of new code may take one. */

/* With fewer calls nothing is usual. */
enum { FEWEST = 8 };

static double overhead_faults(const struct account *account)
{
    return account ? (double)account->minor_faults + (double)account->major_faults : 0;
}

/* Switches to other tasks. */
static double overhead_switches(const struct account *account)
{
    return account ? (double)account->voluntary + (double)account->involuntary : 0;
}

static int by_position(const void *left, const void *right)
{
    const struct overhead_figure *a = *(const struct overhead_figure *const *)left;
    const struct overhead_figure *b = *(const struct overhead_figure *const *)right;
    return (a->position > b->position) - (a->position < b->position);
}

/* In order, one of each call. */
static void sort_by(const struct overhead_figure *const *figures, size_t count,
                    double (*figure)(const struct account *account), double *sorted)
{
    for (size_t i = 0; i < count; i++)
        sorted[i] = figure ? figure(figures[i]->account) : figures[i]->value;
    sort_values(sorted, count);
}

/* How many of the wild calls are explained. */
static size_t judge_position(const struct overhead_figure *const *figures, size_t count,
                             double *scratch, struct overhead_cold *cold)
{
    size_t explained = 0;
    cold->runs += count;
    if (count < FEWEST)
        return 0;
    sort_by(figures, count, NULL, scratch);
    double q1 = quantile(scratch, count, .25), q3 = quantile(scratch, count, .75);
    double limit = fmax(q3 + 3 * (q3 - q1), 1.5 * quantile(scratch, count, .5)); /* as of rows */
    sort_by(figures, count, overhead_faults, scratch);
    double faults = quantile(scratch, count, .5);
    sort_by(figures, count, overhead_switches, scratch);
    double switches = quantile(scratch, count, .5);
    for (size_t i = 0; i < count; i++) {
        if (!(figures[i]->value > limit))
            continue;
        cold->outlier_count++;
        explained += overhead_faults(figures[i]->account) > faults ||
                     overhead_switches(figures[i]->account) > switches;
    }
    return explained;
}

static void overhead_judge_outliers(const struct overhead_figure **figures, size_t count,
                                    struct overhead_cold *cold)
{
    AUTO_MEMORY double *scratch = memory_new(count + 1, sizeof(*scratch));
    size_t explained = 0;
    qsort(figures, count, sizeof(struct overhead_figure *), by_position);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && figures[end]->position == figures[begin]->position;)
            end++;
        explained += judge_position(figures + begin, end - begin, scratch, cold);
    }
    cold->outliers = cold->runs ? (double)cold->outlier_count / (double)cold->runs : 0;
    cold->outliers_explained =
        cold->outlier_count ? (double)explained / (double)cold->outlier_count : NAN;
}

/* ----------------------------------------------------------------------------------------------
 * Does a call get cheaper when it is made again and again? By process: its later calls against its
 * own first, and the second half of them against its second call. The median of a process's later
 * calls stands for them, because one interrupt is dearer than all the others together. */

/* One process: its calls from the first on, each right after the one before. */
struct row {
    const struct overhead_figure *const *calls;
    uint32_t length;
};

/* As far as nothing stands between; disturbed calls end it. */
static uint32_t length_of(const struct overhead_figure *const *figures, size_t count)
{
    uint32_t length = 0;
    if (count && figures[0]->position == 1)
        for (length = 1; length < count; length++) {
            const struct overhead_figure *call = figures[length];
            if (call->tour != figures[0]->tour || call->process != figures[0]->process ||
                call->position != length + 1 || call->predecessor != (int32_t)call->operation)
                break;
        }
    return length;
}

/* Rows as long as the longest; shorter ones lack calls and would weigh differently. */
static size_t find_rows(const struct overhead_figure *const *figures, size_t count,
                        struct row *rows, uint32_t *length)
{
    size_t found = 0;
    *length = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t own = figures[i]->position == 1 ? length_of(figures + i, count - i) : 0;
        if (own < OVERHEAD_ROW_SHORTEST || own < *length)
            continue;
        if (own > *length)
            found = 0;
        *length = own;
        rows[found++] = (struct row){figures + i, own};
    }
    return found;
}

static double median_from(const struct row *row, uint32_t begin, double *scratch)
{
    for (uint32_t i = begin; i < row->length; i++)
        scratch[i - begin] = row->calls[i]->value;
    sort_values(scratch, row->length - begin);
    return quantile(scratch, row->length - begin, .5);
}

/* Of each process the median of its calls from `begin` on over its call `base`. Processes whose
 * base costs nothing say nothing. */
static struct overhead_median ratio_of(const struct row *rows, size_t count, uint32_t begin,
                                       uint32_t base, double *scratch, double *ratios)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double under = rows[i].calls[base]->value;
        if (under > 0)
            ratios[known++] = median_from(&rows[i], begin, scratch) / under;
    }
    return overhead_median_of(ratios, known);
}

static void overhead_judge_in_a_row(const struct overhead_figure *const *figures, size_t count,
                                    struct overhead_cold *cold)
{
    AUTO_MEMORY struct row *rows = memory_new(count + 1, sizeof(*rows));
    AUTO_MEMORY double *scratch = memory_new(count + 1, sizeof(*scratch));
    AUTO_MEMORY double *of_each = memory_new(count + 1, sizeof(*of_each));
    cold->later = cold->later_ratio = cold->later_low = cold->later_high = NAN;
    cold->settled_ratio = cold->settled_low = cold->settled_high = NAN;
    size_t found = find_rows(figures, count, rows, &cold->row_length);
    cold->row_processes = found;
    if (!found)
        return;
    for (uint32_t i = 0; i < cold->row_length && i < OVERHEAD_MOST_POINTS; i++) {
        for (size_t j = 0; j < found; j++)
            of_each[j] = rows[j].calls[i]->value;
        cold->row[i] = overhead_median_of(of_each, found).median;
    }
    for (size_t i = 0; i < found; i++)
        of_each[i] = median_from(&rows[i], 1, scratch);
    cold->later = overhead_median_of(of_each, found).median;
    struct overhead_median later = ratio_of(rows, found, 1, 0, scratch, of_each);
    cold->later_ratio = later.median;
    cold->later_low = later.low;
    cold->later_high = later.high;
    cold->declines = later.high < 1;
    struct overhead_median settled =
        ratio_of(rows, found, cold->row_length / 2, 1, scratch, of_each);
    cold->settled_ratio = settled.median;
    cold->settled_low = settled.low;
    cold->settled_high = settled.high;
    cold->goes_on = settled.high < 1;
}

/* ----------------------------------------------------------------------------------------------
 * The cells. */

/* A figure with what its cell is told by. */
struct entry {
    const struct overhead_figure *figure;
    const struct overhead_tour *tour;
    int32_t predecessor; /* of the first call in its process */
    bool opening;
};

static struct entry entry_of(const struct overhead_case *file, const struct overhead_figure *figure)
{
    struct entry entry = {figure, &file->tours[figure->tour], -1, true};
    for (size_t i = 0; i < entry.tour->length; i++) {
        uint32_t call = entry.tour->calls[i];
        if (call == figure->operation && entry.tour->times[i] == figure->times)
            break;
        entry.predecessor = (int32_t)call;
        entry.opening &= strcmp(file->operations[call].instrument,
                                file->operations[figure->operation].instrument) != 0;
    }
    return entry;
}

static int compare_cells(const struct entry *left, const struct entry *right)
{
    const struct overhead_figure *a = left->figure, *b = right->figure;
    int order = compare_numbers(a->machine, b->machine);
    order = order ? order : compare_numbers(a->meter->unit, b->meter->unit);
    order = order ? order : strcmp(a->meter->event, b->meter->event);
    order = order ? order : compare_numbers(a->operation, b->operation);
    order = order ? order : strcmp(a->variant, b->variant);
    order = order ? order : strcmp(left->tour->link, right->tour->link);
    order = order ? order : strcmp(left->tour->counted, right->tour->counted);
    order = order ? order : compare_numbers(left->tour->open, right->tour->open);
    order = order ? order : compare_numbers(right->opening, left->opening);
    return order ? order : compare_numbers(left->predecessor, right->predecessor);
}

static int by_cell(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_cells(a, b);
    order = order ? order : compare_numbers(a->figure->tour, b->figure->tour);
    order = order ? order : compare_numbers(a->figure->process, b->figure->process);
    return order ? order : compare_numbers(a->figure->position, b->figure->position);
}

static struct overhead_median at_position(const struct overhead_figure *const *figures,
                                          size_t count, uint32_t position, double *scratch)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (figures[i]->position == position)
            scratch[found++] = figures[i]->value;
    return overhead_median_of(scratch, found);
}

/* The same call in processes that made it before. */
static struct overhead_median warm_of(const struct overhead_case *file,
                                      const struct overhead_report *report,
                                      const struct entry *entry, double *scratch)
{
    const struct overhead_figure *cold = entry->figure;
    size_t found = 0;
    for (size_t i = 0; i < report->figure_count; i++) {
        const struct overhead_figure *warm = &report->figures[i];
        const struct overhead_tour *tour = &file->tours[warm->tour];
        if (!tour->cold && warm->machine == cold->machine && warm->operation == cold->operation &&
            warm->times == cold->times && tour->open == entry->tour->open &&
            (tour->open == 1 || tour->separate == entry->tour->separate) &&
            strcmp(tour->link, entry->tour->link) == 0 &&
            strcmp(tour->counted, entry->tour->counted) == 0 &&
            overhead_same_meter(warm->meter, cold->meter))
            scratch[found++] = warm->value;
    }
    return overhead_median_of(scratch, found);
}

static void judge_cell(const struct overhead_case *file, const struct overhead_report *report,
                       const struct entry *entries, size_t count, double *scratch,
                       struct overhead_cold *cold)
{
    AUTO_MEMORY const struct overhead_figure **figures = memory_new(count, sizeof(*figures));
    for (size_t i = 0; i < count; i++)
        figures[i] = entries[i].figure;
    *cold = (struct overhead_cold){
        .machine = entries->figure->machine,
        .operation = entries->figure->operation,
        .variant = entries->figure->variant,
        .link = entries->tour->link,
        .counted = entries->tour->counted,
        .events = entries->tour->open,
        .meter = entries->figure->meter,
        .predecessor = entries->predecessor,
        .opening = entries->opening,
    };
    double faults = 0, faulted = 0, firsts = 0;
    for (size_t i = 0; i < count; i++) {
        if (figures[i]->position != 1)
            continue;
        double own = overhead_faults(figures[i]->account);
        faults += own;
        faulted += own > 0 ? 1 : 0;
        firsts++;
    }
    cold->processes = (size_t)firsts;
    cold->faults = firsts > 0 ? faults / firsts : NAN;
    cold->faulted = firsts > 0 ? faulted / firsts : NAN;
    /* scratch: room for all figures of the report. */
    struct overhead_median first = at_position(figures, count, 1, scratch);
    struct overhead_median second = at_position(figures, count, 2, scratch);
    struct overhead_median warm = warm_of(file, report, entries, scratch);
    struct overhead_median against = warm.count ? warm : second;
    struct overhead_median extra = overhead_median_difference(first, against);
    struct overhead_median ratio = overhead_median_ratio(first, against);
    cold->first = first.median;
    cold->second = second.median;
    cold->warm = warm.median;
    cold->extra = extra.median;
    cold->low = extra.low;
    cold->high = extra.high;
    cold->ratio = ratio.median;
    cold->ratio_low = ratio.low;
    cold->ratio_high = ratio.high;
    overhead_judge_in_a_row(figures, count, cold);
    overhead_judge_outliers(figures, count, cold);
}

/* --- first calls that a clock counts in steps --- */

static const struct overhead_cold *find_mode(const struct overhead_report *report,
                                             const struct overhead_cold *like, const char *mode)
{
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (cold->meter->unit == METER_INSTRUCTIONS && strcmp(cold->meter->mode, mode) == 0 &&
            cold->machine == like->machine && cold->operation == like->operation &&
            cold->events == like->events && cold->predecessor == like->predecessor &&
            cold->opening == like->opening && strcmp(cold->link, like->link) == 0 &&
            strcmp(cold->counted, like->counted) == 0)
            return cold;
    }
    return NULL;
}

/* What counters of both modes say, where that is within the step. */
static double finer(double clock, double user, double kernel, double step)
{
    return fabs(clock - user - kernel) <= step ? user + kernel : clock;
}

/* All fresh processes may begin a call at the same place within a step: then nothing averages out,
 * and counters that agree are exact. Intervals move with their middle. */
static void refine(const struct overhead_report *report, struct overhead_cold *cold)
{
    const struct overhead_cold *user = find_mode(report, cold, "u");
    const struct overhead_cold *kernel = find_mode(report, cold, "k");
    if (!user || !kernel)
        return;
    double step = cold->meter->step, ratio = cold->ratio, extra = cold->extra;
    cold->first = finer(cold->first, user->first, kernel->first, step);
    cold->second = finer(cold->second, user->second, kernel->second, step);
    cold->warm = finer(cold->warm, user->warm, kernel->warm, step);
    double against = isnan(cold->warm) ? cold->second : cold->warm;
    cold->extra = cold->first - against;
    cold->low += cold->extra - extra;
    cold->high += cold->extra - extra;
    if (!(against > 0) || isnan(ratio))
        return;
    cold->ratio = cold->first / against;
    cold->ratio_low *= cold->ratio / ratio;
    cold->ratio_high *= cold->ratio / ratio;
}

void overhead_judge_cold(const struct overhead_case *file, struct overhead_report *report)
{
    AUTO_MEMORY struct entry *entries = memory_new(report->figure_count + 1, sizeof(*entries));
    AUTO_MEMORY double *scratch = memory_new(report->figure_count + 1, sizeof(*scratch));
    /* Single calls of cold tours; several in one span have no first. */
    size_t count = 0;
    for (size_t i = 0; i < report->figure_count; i++) {
        const struct overhead_figure *figure = &report->figures[i];
        if (file->tours[figure->tour].cold && figure->times == 1 &&
            !overhead_is_own(&file->operations[figure->operation]))
            entries[count++] = entry_of(file, figure);
    }
    qsort(entries, count, sizeof(*entries), by_cell);
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && compare_cells(&entries[begin], &entries[end]) == 0;)
            end++;
        struct overhead_cold *cold = memory_add(report->cold, report->cold_count);
        judge_cell(file, report, entries + begin, end - begin, scratch, cold);
        report->cold_count -= cold->processes == 0;
    }
    for (size_t i = 0; i < report->cold_count; i++)
        if (overhead_is_clock(report->cold[i].meter))
            refine(report, &report->cold[i]);
}
