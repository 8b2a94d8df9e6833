/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Machines side by side, in the order of their kernels' versions: what each call costs warm, with
 * the fewest events, and how that compares with the first machine that has it. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/overhead/clock.h"
#include "judge/overhead/figures.h"
#include "stats/medians.h"

struct entry {
    const struct overhead_figure *figure;
    const struct overhead_tour *tour;
    uint32_t rank; /* of its machine */
};

/* --- order --- */

static int compare(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

/* "6.9.3" before "6.12.1"; then by CPU, then as they came. */
static bool stands_before(const struct overhead_case *file, uint32_t left, uint32_t right)
{
    const struct overhead_machine *a = &file->machines[left], *b = &file->machines[right];
    int order = strverscmp(a->os ? a->os : "", b->os ? b->os : "");
    order = order ? order : strcmp(a->cpu ? a->cpu : "", b->cpu ? b->cpu : "");
    return order ? order < 0 : left < right;
}

static uint32_t rank_of(const struct overhead_case *file, uint32_t machine)
{
    uint32_t rank = 0;
    for (uint32_t other = 0; other < file->machine_count; other++)
        rank += other != machine && stands_before(file, other, machine);
    return rank;
}

/* User mode, kernel, both. */
static int mode_rank(const char *mode)
{
    static const char *const modes[] = {"", "u", "k", "uk"};
    int rank = 0;
    while (rank < 4 && strcmp(modes[rank], mode) != 0)
        rank++;
    return rank;
}

static int compare_meters(const struct overhead_meter *left, const struct overhead_meter *right)
{
    if (left->unit != right->unit)
        return left->unit < right->unit ? -1 : 1;
    int order = mode_rank(left->mode) - mode_rank(right->mode);
    return order ? order : strcmp(left->event, right->event);
}

/* The same call, by the same meter. */
static int compare_calls(const struct entry *left, const struct entry *right)
{
    const struct overhead_figure *a = left->figure, *b = right->figure;
    int order = compare(a->operation, b->operation);
    order = order ? order : strcmp(a->variant, b->variant);
    return order ? order : compare_meters(a->meter, b->meter);
}

static int by_call(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    int order = compare_calls(a, b);
    order = order ? order : compare(a->rank, b->rank);
    order = order ? order : compare(a->tour->open, b->tour->open);
    order = order ? order : compare(a->figure->tour, b->figure->tour);
    return order ? order : compare(a->figure->process, b->figure->process);
}

/* --- one call on one machine --- */

/* Code without a library is the same in every harness, but measured in several: in the static one,
 * where it was. */
static const char *link_of(const struct entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(entries[i].tour->link, "static") == 0)
            return "static";
    return entries->tour->link;
}

/* entries: of one call and machine, fewest events first. */
static struct overhead_median median_of(const struct entry *entries, size_t count, double *scratch)
{
    size_t fewest = 0, found = 0;
    while (fewest < count && entries[fewest].tour->open == entries->tour->open)
        fewest++;
    const char *link = link_of(entries, fewest);
    for (size_t i = 0; i < fewest; i++)
        if (strcmp(entries[i].tour->link, link) == 0)
            scratch[found++] = entries[i].figure->value;
    return overhead_median_of(scratch, found);
}

/* Against the first machine that has the call. */
static void compare_with(const struct overhead_median *reference, uint32_t machine,
                         const struct overhead_median *own, struct overhead_machine_row *row)
{
    row->reference = machine;
    row->ratio = row->ratio_low = row->ratio_high = NAN;
    if (row->machine == machine)
        return;
    struct overhead_median ratio = overhead_median_ratio(*own, *reference);
    row->has_ratio = isfinite(ratio.median);
    row->ratio = ratio.median;
    row->ratio_low = ratio.low;
    row->ratio_high = ratio.high;
    bool is_apart = ratio.low > 1 || ratio.high < 1;
    bool is_far = !overhead_is_time(row->meter) || fabs(ratio.median - 1) > OVERHEAD_ALIKE;
    /* Steps average out as far as spans begin anywhere within one: less than a step is nothing. */
    bool is_beyond = fabs(own->median - reference->median) > row->meter->step;
    row->differs = row->has_ratio && is_apart && is_far && is_beyond;
}

static void judge_call(const struct overhead_case *file, const struct overhead_report *report,
                       const struct entry *entries, size_t count, double *scratch,
                       struct overhead_machine_row *rows, size_t *filled)
{
    struct overhead_median reference = {0};
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && entries[end].rank == entries[begin].rank;)
            end++;
        const struct overhead_figure *figure = entries[begin].figure;
        const struct overhead_operation *operation = &file->operations[figure->operation];
        struct overhead_median own = median_of(entries + begin, end - begin, scratch);
        struct overhead_machine_row *row = &rows[(*filled)++];
        *row = (struct overhead_machine_row){
            .machine = figure->machine,
            .path = operation->path,
            .variant = figure->variant,
            .kind = operation->kind,
            .meter = figure->meter,
            .total = figure->meter >= report->totals &&
                     figure->meter < report->totals + report->total_count,
            .processes = own.count,
            .median = own.median,
            .low = own.low,
            .high = own.high,
            .seen = NAN,
        };
        if (begin == 0)
            reference = own;
        compare_with(&reference, entries->figure->machine, &own, row);
    }
}

/* --- what counters missed, by the clock --- */

static struct overhead_machine_row *
find_mode(struct overhead_report *report, const struct overhead_machine_row *like, const char *mode)
{
    for (size_t i = 0; i < report->machine_row_count; i++) {
        struct overhead_machine_row *row = &report->machines[i];
        if (row->machine == like->machine && row->meter && row->meter->unit == METER_INSTRUCTIONS &&
            strcmp(row->meter->mode, mode) == 0 && strcmp(row->path, like->path) == 0 &&
            strcmp(row->kind, like->kind) == 0 && strcmp(row->variant, like->variant) == 0)
            return row;
    }
    return NULL;
}

/* Where the counters saw all, their sum is exact; else what they missed is kernel code, for they
 * are halted by it alone. */
static void complete(struct overhead_machine_row *clock, const struct overhead_machine_row *user,
                     struct overhead_machine_row *kernel)
{
    double sum = user->median + kernel->median, step = clock->meter ? clock->meter->step : 0;
    if (fabs(clock->median - sum) <= step) {
        clock->median = sum;
        clock->low = user->low + kernel->low;
        clock->high = user->high + kernel->high;
        return;
    }
    if (clock->median < sum) /* by counters the call costs more, for they are open beside it */
        return;
    clock->hidden = kernel->hidden = true;
    clock->seen = sum;
    kernel->seen = kernel->median;
    kernel->median = clock->median - user->median;
    kernel->low = clock->low - user->high;
    kernel->high = clock->high - user->low;
}

static void compare_again(const struct overhead_report *report, struct overhead_machine_row *row)
{
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *other = &report->machines[i];
        if (other->machine != row->reference || !overhead_same_meter(other->meter, row->meter) ||
            strcmp(other->path, row->path) != 0 || strcmp(other->kind, row->kind) != 0 ||
            strcmp(other->variant, row->variant) != 0)
            continue;
        const struct overhead_median own = {row->median, row->low, row->high, row->processes};
        const struct overhead_median reference = {other->median, other->low, other->high,
                                                  other->processes};
        compare_with(&reference, other->machine, &own, row);
        return;
    }
}

static void complete_rows(struct overhead_report *report)
{
    bool any = false;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        struct overhead_machine_row *clock = &report->machines[i];
        if (!clock->meter || !overhead_is_clock(clock->meter))
            continue;
        struct overhead_machine_row *user = find_mode(report, clock, "u");
        struct overhead_machine_row *kernel = find_mode(report, clock, "k");
        any |= user && kernel;
        if (user && kernel)
            complete(clock, user, kernel);
    }
    for (size_t i = 0; i < report->machine_row_count && any; i++)
        compare_again(report, &report->machines[i]);
}

/* --- all --- */

static size_t gather(const struct overhead_case *file, const struct overhead_report *report,
                     struct entry *entries)
{
    size_t count = 0;
    for (size_t i = 0; i < report->figure_count; i++) {
        const struct overhead_figure *figure = &report->figures[i];
        const struct overhead_tour *tour = &file->tours[figure->tour];
        if (!tour->cold && figure->times == 1 && overhead_means_something(file, figure) &&
            !overhead_is_own(&file->operations[figure->operation]))
            entries[count++] = (struct entry){figure, tour, rank_of(file, figure->machine)};
    }
    qsort(entries, count, sizeof(*entries), by_call);
    return count;
}

int overhead_judge_machines(const struct overhead_case *file, uint64_t seed,
                            struct overhead_report *report)
{
    (void)seed;
    AUTO_FREE struct entry *entries = calloc(report->figure_count + 1, sizeof(*entries));
    AUTO_FREE double *scratch = calloc(report->figure_count + 1, sizeof(*scratch));
    if (!entries || !scratch)
        return -ENOMEM;
    size_t count = gather(file, report, entries), rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += i == 0 || compare_calls(&entries[i - 1], &entries[i]) != 0 ||
                entries[i - 1].rank != entries[i].rank;
    report->machines = calloc(rows + 1, sizeof(*report->machines));
    if (!report->machines)
        return -ENOMEM;
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && compare_calls(&entries[begin], &entries[end]) == 0;)
            end++;
        judge_call(file, report, entries + begin, end - begin, scratch, report->machines,
                   &report->machine_row_count);
    }
    complete_rows(report);
    return 0;
}
