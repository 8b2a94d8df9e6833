/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cost by the number of events, as a group and opened one by one, and by the number of calls in one
 * span. What else a process calls changes what a call costs, so the points of one sweep are from
 * tours that call the same things. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/overhead/companies.h"
#include "judge/overhead/figures.h"
#include "judge/overhead/line.h"
#include "stats/medians.h"

/* A figure as a point of one sweep. */
struct entry {
    const struct overhead_figure *figure;
    const struct overhead_tour *tour;
    bool by_reads, separate;
    uint32_t fixed, count;
    uint32_t company;
};

static int compare_numbers(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static int compare_meters(const struct overhead_meter *left, const struct overhead_meter *right)
{
    if (left->unit != right->unit)
        return left->unit < right->unit ? -1 : 1;
    return strcmp(left->event, right->event);
}

/* Everything that is the same along a sweep, but the company. */
static int compare_sweeps(const struct entry *left, const struct entry *right)
{
    int order = compare_numbers(left->figure->machine, right->figure->machine);
    order = order ? order : compare_meters(left->figure->meter, right->figure->meter);
    order = order ? order : compare_numbers(left->by_reads, right->by_reads);
    order = order ? order : compare_numbers(left->figure->operation, right->figure->operation);
    order = order ? order : strcmp(left->figure->variant, right->figure->variant);
    order = order ? order : strcmp(left->tour->link, right->tour->link);
    order = order ? order : strcmp(left->tour->counted, right->tour->counted);
    order = order ? order : compare_numbers(left->separate, right->separate);
    return order ? order : compare_numbers(left->fixed, right->fixed);
}

static int by_sweep(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_sweeps(a, b);
    order = order ? order : compare_numbers(a->company, b->company);
    order = order ? order : compare_numbers(a->count, b->count);
    order = order ? order : compare_numbers(a->figure->tour, b->figure->tour);
    return order ? order : compare_numbers(a->figure->process, b->figure->process);
}

/* One counter is a group of one and opened by itself at once: it begins both sweeps. */
static size_t enter(const struct overhead_case *file, const struct companies *companies,
                    const struct overhead_figure *figure, struct entry *entries)
{
    const struct overhead_tour *tour = &file->tours[figure->tour];
    if (tour->cold || overhead_is_own(&file->operations[figure->operation]))
        return 0;
    size_t count = 0;
    for (int separate = 0; separate < 2; separate++)
        if (tour->open == 1 || tour->separate == (bool)separate)
            entries[count++] = (struct entry){figure,
                                              tour,
                                              false,
                                              (bool)separate,
                                              figure->times,
                                              tour->open,
                                              companies->with_times[figure->tour]};
    entries[count++] = (struct entry){figure,
                                      tour,
                                      true,
                                      tour->open > 1 && tour->separate,
                                      tour->open,
                                      figure->times,
                                      companies->operations[figure->tour]};
    return count;
}

static size_t end_of(const struct entry *entries, size_t begin, size_t end, bool same_company)
{
    size_t next = begin + 1;
    while (next < end && compare_sweeps(&entries[begin], &entries[next]) == 0 &&
           (!same_company || entries[begin].company == entries[next].company))
        next++;
    return next;
}

static size_t counts_of(const struct entry *entries, size_t begin, size_t end)
{
    size_t counts = 0;
    for (size_t i = begin; i < end; i++)
        counts += i == begin || entries[i].count != entries[i - 1].count;
    return counts;
}

/* The company in which most counts were measured, by most processes. */
static size_t choose_company(const struct entry *entries, size_t *begin, size_t *end)
{
    size_t best_begin = *begin, best_end = *begin, most = 0;
    for (size_t at = *begin, next; at < *end; at = next) {
        next = end_of(entries, at, *end, true);
        size_t counts = counts_of(entries, at, next);
        if (counts > most || (counts == most && next - at > best_end - best_begin)) {
            best_begin = at;
            best_end = next;
            most = counts;
        }
    }
    *begin = best_begin;
    *end = best_end;
    return most;
}

static void fill_medians(const struct entry *entries, size_t begin, size_t end, double *scratch,
                         struct overhead_slope *slope)
{
    for (size_t next; begin < end && slope->points < OVERHEAD_MOST_POINTS; begin = next) {
        for (next = begin; next < end && entries[next].count == entries[begin].count; next++)
            scratch[next - begin] = entries[next].figure->value;
        slope->counts[slope->points] = entries[begin].count;
        slope->medians[slope->points++] = overhead_median_of(scratch, next - begin).median;
    }
    slope->one = slope->medians[0];
    slope->most = slope->medians[slope->points - 1];
    slope->most_count = slope->counts[slope->points - 1];
}

static void fill_line(const struct line *line, struct overhead_slope *slope)
{
    slope->processes = line->processes;
    slope->base = line->base;
    slope->slope = line->slope;
    slope->low = line->low;
    slope->high = line->high;
    slope->exact = line->exact;
    slope->paired = line->paired;
    slope->exponent = line->exponent;
    slope->exponent_low = line->exponent_low;
    slope->exponent_high = line->exponent_high;
    slope->miss = line->miss;
    slope->straight = line->straight;
}

static int fit(const struct entry *entries, size_t begin, size_t end, struct line *line)
{
    AUTO_FREE struct line_value *values = calloc(end - begin, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = begin; i < end; i++)
        values[i - begin] = (struct line_value){
            .count = entries[i].count,
            .process = (uint64_t)entries[i].figure->tour << 32 | entries[i].figure->process,
            .cost = entries[i].figure->value,
        };
    return line_fit(values, end - begin, line);
}

/* Two counts lie on a line anyway, so three others must be there. */
static int try_without_first(const struct entry *entries, size_t begin, size_t end,
                             struct overhead_slope *slope)
{
    size_t second = begin;
    slope->step = slope->rest_slope = slope->rest_low = slope->rest_high = NAN;
    if (slope->straight || slope->points < 4)
        return 0;
    while (entries[second].count == entries[begin].count)
        second++;
    struct line rest;
    int error = fit(entries, second, end, &rest);
    slope->first_apart = !error && rest.straight;
    if (!slope->first_apart)
        return error;
    slope->step = rest.base + rest.slope * slope->counts[0] - slope->one;
    slope->rest_slope = rest.slope;
    slope->rest_low = rest.low;
    slope->rest_high = rest.high;
    return 0;
}

static int judge_sweep(const struct entry *entries, size_t begin, size_t end,
                       struct overhead_slope *slope)
{
    AUTO_FREE double *scratch = calloc(end - begin, sizeof(*scratch));
    struct line line;
    int error = scratch ? fit(entries, begin, end, &line) : -ENOMEM;
    if (error)
        return error;
    const struct entry *first = &entries[begin];
    *slope = (struct overhead_slope){
        .machine = first->figure->machine,
        .operation = first->figure->operation,
        .variant = first->figure->variant,
        .link = first->tour->link,
        .counted = first->tour->counted,
        .meter = first->figure->meter,
        .separate = first->separate,
        .by_reads = first->by_reads,
        .fixed = first->fixed,
    };
    fill_medians(entries, begin, end, scratch, slope);
    fill_line(&line, slope);
    return try_without_first(entries, begin, end, slope);
}

static int judge_entries(struct entry *entries, size_t count, struct overhead_report *report)
{
    size_t sweeps = 0;
    int error = 0;
    qsort(entries, count, sizeof(*entries), by_sweep);
    for (size_t at = 0; at < count; at = end_of(entries, at, count, false))
        sweeps++;
    report->slopes = calloc(sweeps + 1, sizeof(*report->slopes));
    if (!report->slopes)
        return -ENOMEM;
    for (size_t at = 0, next; at < count && !error; at = next) {
        next = end_of(entries, at, count, false);
        size_t begin = at, end = next;
        if (choose_company(entries, &begin, &end) >= 2)
            error = judge_sweep(entries, begin, end, &report->slopes[report->slope_count++]);
    }
    return error;
}

int overhead_judge_sweeps(const struct overhead_case *file, uint64_t seed,
                          struct overhead_report *report)
{
    (void)seed;
    AUTO_COMPANIES struct companies companies;
    int error = companies_of(file, &companies);
    AUTO_FREE struct entry *entries = calloc(3 * report->figure_count + 1, sizeof(*entries));
    if (error || !entries)
        return -ENOMEM;
    size_t count = 0;
    for (size_t i = 0; i < report->figure_count; i++)
        count += enter(file, &companies, &report->figures[i], entries + count);
    return judge_entries(entries, count, report);
}
