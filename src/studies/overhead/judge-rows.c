/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One row a cell, and one over all predecessors before those of each; and the first calls of fresh
 * processes against later ones. Intervals are by ranks of processes: nothing is drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * The figures of a row of one cell. */

/* What the rows share while they are figured out. */
struct row_figures {
    const struct overhead_cells *cells;
    int64_t *sorted; /* [span]: as cells->values; of a cell, undisturbed and disturbed in order */
    int64_t *by_process; /* [span]: … undisturbed of each process in order */
    /* [the largest row] */
    int64_t *scratch, *pooled, *by_value;
    double *values, *ordered; /* costs by process, and by value */
    uint32_t *groups;
    double *medians; /* of processes */
};

static double quantile_of(const int64_t *sorted, size_t count, double share)
{
    double place = share * (double)(count - 1);
    size_t below = (size_t)place;
    double value = (double)sorted[below];
    if (below + 1 < count)
        value += (place - (double)below) * ((double)sorted[below + 1] - value);
    return value;
}

/* From the medians of its processes, sorted in place; the row's median, which is of all runs, is
 * never outside. */
static void row_take_interval(const struct row_figures *figures, struct overhead_row *row)
{
    struct overhead_median median = overhead_median_of(figures->medians, row->processes);
    row->low = fmin(median.low, row->median);
    row->high = fmax(median.high, row->median);
}

/* Counts the runs of the cell that are above the row's limit, and what the account says of them.
 * cost: of metering. */
static void row_count_outliers(const struct row_figures *figures, const struct overhead_cell *cell,
                               double cost, struct overhead_row *row)
{
    double limit = fmax(row->q3 + 3 * (row->q3 - row->q1), 1.5 * row->median) + cost;
    const int64_t *values = figures->cells->values + cell->begin;
    const uint8_t *flags = figures->cells->flags + cell->begin;
    for (size_t i = 0; i < cell->runs; i++)
        if ((double)values[i] > limit) {
            row->outliers++;
            row->outliers_faulted += (flags[i] & SPAN_FAULTED) != 0;
            row->outliers_switched += (flags[i] & SPAN_SWITCHED) != 0;
        }
}

/* Puts the spans of every process in order, and takes their medians. */
static size_t take_medians(struct row_figures *figures, const struct overhead_cell *cell,
                           const struct overhead_timer *timer)
{
    int64_t *values = figures->by_process + cell->begin;
    const uint32_t *groups = figures->cells->groups + cell->begin;
    size_t processes = 0;
    memcpy(values, figures->cells->values + cell->begin, cell->runs * sizeof(*values));
    for (size_t begin = 0, end; begin < cell->runs; begin = end) {
        for (end = begin + 1; end < cell->runs && groups[end] == groups[begin];)
            end++;
        error_sort(values + begin, end - begin, figures->scratch);
        figures->medians[processes++] =
            overhead_middle_by(timer->meter, values + begin, end - begin) - timer->cost;
    }
    return processes;
}

static void take_disturbed(const struct row_figures *figures, const struct overhead_cell *cell,
                           double cost, struct overhead_row *row)
{
    int64_t *sorted = figures->sorted + cell->begin + cell->runs;
    row->disturbed = cell->disturbed;
    row->disturbed_median = NAN;
    if (!cell->disturbed)
        return;
    memcpy(sorted, figures->cells->values + cell->begin + cell->runs,
           cell->disturbed * sizeof(*sorted));
    error_sort(sorted, cell->disturbed, figures->scratch);
    row->disturbed_median = quantile_of(sorted, cell->disturbed, 0.5) - cost;
}

/* Quantiles as they were found, less what metering costs. Quartiles on either side of the median: a
 * middle between two steps may lie outside of quartiles that are steps. */
static void row_take_quantiles(const double quantiles[6], double cost, struct overhead_row *row)
{
    row->min = quantiles[0] - cost;
    row->median = quantiles[2] - cost;
    row->q1 = fmin(quantiles[1] - cost, row->median);
    row->q3 = fmax(quantiles[3] - cost, row->median);
    row->p99 = quantiles[4] - cost;
    row->max = quantiles[5] - cost;
}

/* values: process after process, as metered; sorted: the same in order. */
static void find_levels(struct row_figures *figures, const int64_t *values, const int64_t *sorted,
                        const uint32_t *groups, size_t count, const struct overhead_timer *timer,
                        struct overhead_row *row)
{
    for (size_t i = 0; i < count; i++) {
        figures->values[i] = (double)values[i] - timer->cost;
        figures->ordered[i] = (double)sorted[i] - timer->cost;
    }
    struct level_sample sample = {figures->values, groups, figures->ordered, count,
                                  timer->resolution};
    row->level_count = overhead_levels_sorted(&sample, row->levels, &row->levels_kind);
}

/* The row of one cell; puts its spans in order. */
static void row_of_cell(struct row_figures *figures, const struct overhead_cell *cell,
                        const struct overhead_timer *timer, struct overhead_row *row)
{
    const int64_t *values = figures->cells->values + cell->begin;
    int64_t *sorted = figures->sorted + cell->begin;
    row->runs = cell->runs;
    row->faults = cell->faults;
    take_disturbed(figures, cell, timer->cost, row);
    if (!cell->runs)
        return;
    memcpy(sorted, values, cell->runs * sizeof(*sorted));
    error_sort(sorted, cell->runs, figures->scratch);
    const double quantiles[] = {(double)sorted[0],
                                quantile_of(sorted, cell->runs, 0.25),
                                overhead_middle_by(timer->meter, sorted, cell->runs),
                                quantile_of(sorted, cell->runs, 0.75),
                                quantile_of(sorted, cell->runs, 0.99),
                                (double)sorted[cell->runs - 1]};
    row_take_quantiles(quantiles, timer->cost, row);
    row_count_outliers(figures, cell, timer->cost, row);
    row->processes = take_medians(figures, cell, timer);
    row_take_interval(figures, row);
    find_levels(figures, values, sorted, figures->cells->groups + cell->begin, cell->runs, timer,
                row);
}

/* ----------------------------------------------------------------------------------------------
 * The row over all predecessors. Each weighs the same however many of its runs are left, so a
 * quantile is where the mean of the cells' distributions reaches a share; it is found by halving
 * the range of values, for the cells are in order already. */

/* Values in order that weigh as much as any other part. */
struct part {
    const int64_t *sorted;
    size_t count;
};

/* Rounding of a mean of shares. */
static const double SLACK = 1e-12;

static size_t count_up_to(const struct part *part, int64_t limit)
{
    size_t low = 0, high = part->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->sorted[middle] <= limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static double share_up_to(const struct part *parts, size_t count, int64_t limit)
{
    double share = 0;
    for (size_t i = 0; i < count; i++)
        share += (double)count_up_to(&parts[i], limit) / (double)parts[i].count;
    return share / (double)count;
}

/* The smallest value up to which at least (above: more than) that share lies. */
static int64_t value_at(const struct part *parts, size_t count, double share, bool above)
{
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        int64_t least = parts[i].sorted[0], most = parts[i].sorted[parts[i].count - 1];
        low = least < low ? least : low;
        high = most > high ? most : high;
    }
    double wanted = above ? share + SLACK : share - SLACK;
    while (low < high) {
        int64_t middle = low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
        if (share_up_to(parts, count, middle) >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double median_of(const struct part *parts, size_t count)
{
    return ((double)value_at(parts, count, 0.5, false) +
            (double)value_at(parts, count, 0.5, true)) /
           2;
}

/* As overhead_middle_by: the mean of what lies within a step of the median. */
static double middle_of(const struct overhead_meter *meter, const struct part *parts, size_t count)
{
    double median = median_of(parts, count), sum = 0, weight = 0;
    for (size_t i = 0; i < count && meter->step > 0; i++)
        for (size_t j = 0; j < parts[i].count; j++)
            if (fabs((double)parts[i].sorted[j] - median) <= meter->step) {
                sum += (double)parts[i].sorted[j] / (double)parts[i].count;
                weight += 1 / (double)parts[i].count;
            }
    return weight > 0 ? sum / weight : median;
}

/* --- process by process --- */

struct siblings {
    struct row_figures *figures;
    const struct overhead_cell *cells;
    size_t count;
    size_t *taken;      /* [cell]: spans taken so far */
    struct part *parts; /* [cell] */
    size_t runs, processes;
};

/* UINT32_MAX: all are taken. */
static uint32_t next_process(const struct siblings *siblings)
{
    uint32_t next = UINT32_MAX;
    for (size_t i = 0; i < siblings->count; i++) {
        const struct overhead_cell *cell = &siblings->cells[i];
        if (siblings->taken[i] == cell->runs)
            continue;
        uint32_t group = siblings->figures->cells->groups[cell->begin + siblings->taken[i]];
        next = group < next ? group : next;
    }
    return next;
}

/* --- the row --- */

/* Levels are told by predecessor where fewer runs than this part of what chance would place are off
 * the level on which most runs after the same call are. */
static const double OFF_LEVEL = 1.0 / 3;

static bool predecessor_decides(const struct siblings *siblings, const struct overhead_row *row)
{
    const struct row_figures *figures = siblings->figures;
    int64_t firsts[OVERHEAD_MOST_LEVELS];
    double largest = 0, runs = (double)siblings->runs;
    size_t first = 0, off = 0;
    for (size_t level = 0; level < row->level_count; level++) {
        firsts[level] = figures->by_value[first < siblings->runs ? first : siblings->runs - 1];
        first += (size_t)lround(row->levels[level].share * runs);
        largest = fmax(largest, row->levels[level].share);
    }
    for (size_t i = 0; i < siblings->count; i++) {
        const struct overhead_cell *cell = &siblings->cells[i];
        struct part part = {figures->sorted + cell->begin, cell->runs};
        /* Runs of one cell that are on another level than most of them. firsts: where levels begin.
         */
        size_t most = 0, below = 0;
        for (size_t level = 0; level < row->level_count; level++) {
            size_t end = level + 1 < row->level_count ? count_up_to(&part, firsts[level + 1] - 1)
                                                      : part.count;
            most = end - below > most ? end - below : most;
            below = end;
        }
        off += part.count - most;
    }
    return (double)off < OFF_LEVEL * (1 - largest) * runs;
}

/* The row over cells that are in order already, each weighing the same. */
static void row_of_siblings(struct row_figures *figures, const struct overhead_cell *cells,
                            size_t count, const struct overhead_timer *timer,
                            struct overhead_row *row)
{
    AUTO_MEMORY size_t *taken = memory_new(count + 1, sizeof(*taken));
    AUTO_MEMORY struct part *parts = memory_new(count + 1, sizeof(*parts));
    struct siblings siblings = {figures, cells, count, taken, parts, 0, 0};
    size_t usable = 0;
    size_t disturbed_parts = 0;
    row->disturbed_median = NAN;
    for (size_t i = 0; i < siblings.count; i++) {
        const struct overhead_cell *cell = &siblings.cells[i];
        row->disturbed += cell->disturbed;
        row->faults += cell->faults;
        if (cell->disturbed)
            siblings.parts[disturbed_parts++] =
                (struct part){siblings.figures->sorted + cell->begin + cell->runs, cell->disturbed};
    }
    if (disturbed_parts)
        row->disturbed_median = median_of(siblings.parts, disturbed_parts) - timer->cost;
    for (size_t i = 0; i < count; i++)
        if (cells[i].runs)
            parts[usable++] = (struct part){figures->sorted + cells[i].begin, cells[i].runs};
    if (!usable)
        return;
    const double quantiles[] = {
        (double)value_at(parts, usable, 0, true),     (double)value_at(parts, usable, 0.25, false),
        middle_of(timer->meter, parts, usable),       (double)value_at(parts, usable, 0.75, false),
        (double)value_at(parts, usable, 0.99, false), (double)value_at(parts, usable, 1, false)};
    row_take_quantiles(quantiles, timer->cost, row);
    for (size_t i = 0; i < count; i++)
        row_count_outliers(figures, &cells[i], timer->cost, row);
    for (uint32_t process; (process = next_process(&siblings)) != UINT32_MAX;) {
        size_t of_process = 0;
        for (size_t i = 0; i < siblings.count; i++) {
            /* Lays the spans of the process of one cell behind the others. */
            struct row_figures *shared = siblings.figures;
            const struct overhead_cell *own = &siblings.cells[i];
            size_t begin = siblings.taken[i], end = begin;
            while (end < own->runs && shared->cells->groups[own->begin + end] == process) {
                shared->pooled[siblings.runs] = shared->cells->values[own->begin + end++];
                shared->groups[siblings.runs++] = process;
            }
            siblings.taken[i] = end;
            if (end > begin)
                siblings.parts[of_process++] =
                    (struct part){shared->by_process + own->begin + begin, end - begin};
        }
        siblings.figures->medians[siblings.processes++] =
            middle_of(timer->meter, siblings.parts, of_process) - timer->cost;
    }
    row->runs = siblings.runs;
    row->processes = siblings.processes;
    row_take_interval(figures, row);
    memcpy(figures->by_value, figures->pooled, row->runs * sizeof(*figures->pooled));
    error_sort(figures->by_value, row->runs, figures->scratch);
    find_levels(figures, figures->pooled, figures->by_value, figures->groups, row->runs, timer,
                row);
    if (row->levels_kind != LEVELS_ONE && predecessor_decides(&siblings, row))
        row->levels_kind = LEVELS_BY_PREDECESSOR;
}

/* --- the rows --- */

static struct overhead_row describe(const struct overhead_case *file,
                                    const struct overhead_cell *cell,
                                    const struct overhead_timer *timer)
{
    const struct overhead_factors *factors = &cell->factors;
    return (struct overhead_row){
        .machine = factors->machine,
        .operation = factors->operation,
        .predecessor = (int32_t)factors->predecessor - 1,
        .predecessor_times = factors->predecessor_times,
        .variant = overhead_variant(&file->operations[factors->operation], cell->tour->link),
        .link = cell->tour->link,
        .meter = timer->meter,
        .counted = cell->tour->counted,
        .events = factors->events,
        .separate = factors->separate,
        .reads = factors->reads,
        .temperature = (enum temperature)factors->temperature,
        .position = factors->position,
        .min = NAN,
        .q1 = NAN,
        .median = NAN,
        .q3 = NAN,
        .p99 = NAN,
        .max = NAN,
        .low = NAN,
        .high = NAN,
        .disturbed_median = NAN,
    };
}

static bool are_siblings(const struct overhead_cell *left, const struct overhead_cell *right)
{
    struct overhead_factors one = left->factors, other = right->factors;
    one.predecessor = other.predecessor = one.predecessor_times = other.predecessor_times = 0;
    return memcmp(&one, &other, sizeof(one)) == 0;
}

static size_t siblings_end(const struct overhead_cells *cells, size_t begin)
{
    size_t end = begin + 1;
    while (end < cells->count && are_siblings(&cells->list[begin], &cells->list[end]))
        end++;
    return end;
}

/* Spans of the largest stretch of siblings, disturbed ones besides. */
static size_t largest_row(const struct overhead_cells *cells)
{
    size_t most = 0;
    for (size_t begin = 0, end; begin < cells->count; begin = end) {
        size_t spans = 0;
        end = siblings_end(cells, begin);
        for (size_t i = begin; i < end; i++)
            spans += cells->list[i].runs + cells->list[i].disturbed;
        most = spans > most ? spans : most;
    }
    return most;
}

/* Cells begin … end - 1 differ in their predecessor alone. The very first call of a warm process
 * has none, and one run a process, behind the account and not behind a call: where there is more,
 * it has no row and no part in the summary. */
static void judge_siblings(const struct overhead_case *file, struct row_figures *figures,
                           size_t begin, size_t end, struct overhead_report *report)
{
    const struct overhead_cell *cells = figures->cells->list;
    begin += !cells[begin].factors.predecessor &&
             cells[begin].factors.temperature == TEMPERATURE_WARM && end - begin > 1;
    const struct overhead_timer *timer = &report->timers[cells[begin].factors.meter];
    struct overhead_row *summary = &report->rows[report->row_count++];
    *summary = describe(file, &cells[begin], timer);
    summary->all_predecessors = true;
    summary->predecessor = -1;
    summary->predecessor_times = 0;
    for (size_t i = begin; i < end; i++) {
        struct overhead_row *row = &report->rows[report->row_count++];
        *row = describe(file, &cells[i], timer);
        row_of_cell(figures, &cells[i], timer, row);
    }
    row_of_siblings(figures, &cells[begin], end - begin, timer, summary);
}

void overhead_judge_rows(const struct overhead_case *file, struct overhead_report *report)
{
    for (size_t i = 0; i < file->tour_count; i++) {
        report->processes += file->tours[i].processes;
        report->calls += overhead_calls_of(&file->tours[i]);
    }
    report->rows = memory_new(1, sizeof(*report->rows));
    /* The rows alone are in the scope outside. */
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct overhead_cells cells = overhead_cells_collect(file, report);
    size_t spans = cells.spans + 1, most = largest_row(&cells) + 1;
    struct row_figures figures = {
        .cells = &cells,
        .sorted = memory_new(spans, sizeof(*figures.sorted)),
        .by_process = memory_new(spans, sizeof(*figures.by_process)),
        .scratch = memory_new(most, sizeof(*figures.scratch)),
        .pooled = memory_new(most, sizeof(*figures.pooled)),
        .by_value = memory_new(most, sizeof(*figures.by_value)),
        .values = memory_new(most, sizeof(*figures.values)),
        .ordered = memory_new(most, sizeof(*figures.ordered)),
        .groups = memory_new(most, sizeof(*figures.groups)),
        .medians = memory_new(most, sizeof(*figures.medians)),
    };
    report->rows = memory_resize(report->rows, 2 * cells.count + 1, sizeof(*report->rows));
    for (size_t begin = 0, end; begin < cells.count; begin = end) {
        end = siblings_end(&cells, begin);
        judge_siblings(file, &figures, begin, end, report);
    }
    memory_scope_end(&scope);
}

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
