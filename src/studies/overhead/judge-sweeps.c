/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Cost by the number of events, as a group and opened one by one, and by the number of calls in one
 * span. What else a process calls changes what a call costs, so the points of one sweep are from
 * tours that call the same things. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/interval.h"
#include "stats/moments.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * Means at each count, and the error of a sum of them: after Welch and Satterthwaite where every
 * process measured one count (each count scatters in its own way), from each process's own sum
 * where it measured all. */

struct line_point {
    double count, mean;
    double variance, df; /* of the mean; df 0: nothing says it */
    size_t processes;
    double weight; /* in a fit */
};

struct line_points {
    struct line_point *list;
    size_t count;
    double *costs; /* of processes that measured every count, [process * count + point]; NULL: fewer
                      than two did, and every value counts for itself */
    size_t processes;
    double largest; /* of the means, without their signs */
    bool lonely;    /* no process has a fellow: only what a fit leaves says how they differ */
};

struct line_sum {
    double value, error, df; /* standard error; infinite where nothing says it */
};

/* Below this part of the largest mean a figure is rounding. */
static const double DUST = 1e-10;
/* Below this part of it a mean weighs no more. */
static const double CHEAP = 0.01;

static int by_count(const void *left, const void *right)
{
    const struct line_value *a = left, *b = right;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    return (a->process > b->process) - (a->process < b->process);
}

static int by_process(const void *left, const void *right)
{
    const struct line_value *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    return (a->count > b->count) - (a->count < b->count);
}

/* How many processes measured every count. Two or more are brought to the front and *count is how
 * many values these have. values: by process. */
static size_t keep_whole(struct line_value *values, size_t *count, size_t points)
{
    size_t kept = 0, whole = 0;
    for (int counting = 1; counting >= 0; counting--) {
        for (size_t begin = 0, end; begin < *count; begin = end) {
            for (end = begin; end < *count && values[end].process == values[begin].process;)
                end++;
            if (end - begin != points)
                continue;
            whole += (size_t)counting;
            for (size_t i = begin; i < end && !counting; i++)
                values[kept++] = values[i];
        }
        if (whole < 2)
            return whole;
    }
    *count = kept;
    return whole;
}

/* Sorts the values. */
static struct line_points line_points_of(struct line_value *values, size_t count)
{
    struct line_points points = {0};
    qsort(values, count, sizeof(*values), by_count);
    for (size_t i = 0; i < count; i++)
        points.count += i == 0 || values[i].count != values[i - 1].count;
    qsort(values, count, sizeof(*values), by_process);
    size_t whole = keep_whole(values, &count, points.count);
    points.processes = count;
    if (whole >= 2) {
        points.processes = whole;
        points.costs = memory_new(count, sizeof(*points.costs));
        for (size_t i = 0; i < count; i++)
            points.costs[i] = values[i].cost;
    }
    qsort(values, count, sizeof(*values), by_count);
    AUTO_MEMORY double *costs = memory_new(count + 1, sizeof(*costs));
    points.list = memory_new(points.count + 1, sizeof(*points.list));
    for (size_t begin = 0, end, point = 0; begin < count; begin = end, point++) {
        for (end = begin; end < count && values[end].count == values[begin].count; end++)
            costs[end - begin] = values[end].cost;
        struct moments moments = moments_of(costs, end - begin);
        points.list[point] = (struct line_point){
            .count = values[begin].count,
            .mean = moments.mean,
            .variance = moments.variance / (double)(end - begin),
            .df = (double)(end - begin - 1),
            .processes = end - begin,
        };
        points.largest = fmax(points.largest, fabs(moments.mean));
    }
    /* What is dear scatters more, about in proportion: a part of the cost counts the same at every
     * count. What costs next to nothing does not get all the weight. */
    for (size_t i = 0; i < points.count; i++) {
        struct line_point *point = &points.list[i];
        double scale = fmax(fabs(point->mean), CHEAP * points.largest);
        point->weight = (double)point->processes / (scale > 0 ? scale * scale : 1);
    }
    /* Where a count has one process, what the others differ by must do. */
    double squares = 0, df = 0;
    for (size_t i = 0; i < points.count; i++) {
        const struct line_point *lent = &points.list[i];
        squares += lent->df * lent->variance * (double)lent->processes;
        df += lent->df;
    }
    points.lonely = !(df > 0);
    for (size_t i = 0; i < points.count && !points.lonely; i++)
        if (!(points.list[i].df > 0)) {
            points.list[i].variance = squares / df;
            points.list[i].df = df;
        }
    return points;
}

/* Each mean times its factor. left: the weighted square sum that a fit with `fitted` parameters
 * leaves of lonely points. */
static struct line_sum line_sum_of(const struct line_points *points, const double *factors,
                                   double left, size_t fitted)
{
    struct line_sum sum = {0};
    if (points->costs) {
        /* From how far the sums of single processes lie apart. */
        double squares = 0, n = (double)points->processes;
        for (size_t process = 0; process < points->processes; process++) {
            double away = 0;
            for (size_t i = 0; i < points->count; i++)
                away += factors[i] *
                        (points->costs[process * points->count + i] - points->list[i].mean);
            squares += away * away;
        }
        sum.error = sqrt(squares / (n - 1) / n);
        sum.df = n - 1;
    } else if (points->lonely) {
        double misfit = 0;
        for (size_t i = 0; i < points->count; i++)
            misfit += factors[i] * factors[i] / points->list[i].weight;
        sum.df = points->count > fitted ? (double)(points->count - fitted) : 0;
        sum.error = sum.df > 0 ? sqrt(left / sum.df * misfit) : INFINITY;
    } else {
        double variance = 0, parts = 0;
        for (size_t i = 0; i < points->count; i++) {
            double part = factors[i] * factors[i] * points->list[i].variance;
            variance += part;
            parts += part * part / points->list[i].df;
        }
        sum.error = sqrt(variance);
        sum.df = parts > 0 ? variance * variance / parts : 1;
    }
    double scale = 0;
    for (size_t i = 0; i < points->count; i++) {
        sum.value += factors[i] * points->list[i].mean;
        scale = fmax(scale, fabs(factors[i]));
    }
    double dust = DUST * scale * points->largest;
    sum.value = fabs(sum.value) < dust ? 0 : sum.value;
    sum.error = sum.error < dust ? 0 : sum.error;
    return sum;
}

/* Half the width of its interval with that confidence. */
static double line_sum_reach(struct line_sum sum, double confidence)
{
    if (!(sum.error > 0))
        return 0;
    return sum.df > 0 ? sum.error * t_quantile((1 + confidence) / 2, sum.df) : INFINITY;
}

/* ----------------------------------------------------------------------------------------------
 * The straight line, what a square of the count would add to it, and the exponent with which the
 * cost grows above that of the least count. */

/* A line that misses no point by more is straight, whatever can be told apart. */
static const double MISS = 0.05;
static const double CONFIDENCE = 0.95;
/* A line is not called bent for chance: two tests are made of many sweeps. */
static const double CERTAIN = 0.99;
/* An increase tells of the exponent when it is this many standard errors above 0: the logarithm of
 * one that may be nothing says nothing. */
static const double CLEAR = 2;
/* Exact data give an exponent that is off by rounding. */
static const double EXPONENT_DUST = 1e-9;

static double weighted(const struct line_points *points, const double *left, const double *right)
{
    double sum = 0;
    for (size_t i = 0; i < points->count; i++)
        sum += points->list[i].weight * left[i] * right[i];
    return sum;
}

/* Takes out of x what `other` explains of it. */
static void take_out(const struct line_points *points, double *x, const double *other)
{
    double part = weighted(points, x, other) / weighted(points, other, other);
    for (size_t i = 0; i < points->count; i++)
        x[i] -= part * other[i];
}

/* One, the count and its square, each free of those before it; and room for factors. */
struct basis {
    double *one, *linear, *square, *factors;
};

/* Factors of the means whose sum is the coefficient of x. */
static void coefficient_of(const struct line_points *points, const double *x, double *factors)
{
    double squares = weighted(points, x, x);
    for (size_t i = 0; i < points->count; i++)
        factors[i] = points->list[i].weight * x[i] / squares;
}

static double coefficient(const struct line_points *points, const double *x)
{
    double sum = 0, squares = weighted(points, x, x);
    for (size_t i = 0; i < points->count; i++)
        sum += points->list[i].weight * x[i] * points->list[i].mean;
    return sum / squares;
}

/* Weighted square sum of what the line leaves, with the square of the count or without. */
static double left_by(const struct line_points *points, const struct basis *basis, bool with_square)
{
    double mean = coefficient(points, basis->one), slope = coefficient(points, basis->linear);
    double bend = with_square ? coefficient(points, basis->square) : 0, left = 0;
    for (size_t i = 0; i < points->count; i++) {
        double fitted = mean + slope * basis->linear[i] + bend * basis->square[i];
        double off = points->list[i].mean - fitted;
        left += points->list[i].weight * off * off;
    }
    return left;
}

static bool is_bent(const struct line_points *points, const struct basis *basis)
{
    if (points->count < 3)
        return false;
    coefficient_of(points, basis->square, basis->factors);
    struct line_sum bend = line_sum_of(points, basis->factors, left_by(points, basis, true), 3);
    return fabs(bend.value) > line_sum_reach(bend, CERTAIN);
}

/* --- the exponent: logarithm of the increase against that of the count above the least --- */

/* Weighted by the count above the least, because the logarithm of a small increase is known worst.
 * Factors of the means by the slope of the logarithm at each increase. False: fewer than two
 * increases are clear. */
static bool exponent_factors(const struct line_points *points, const double *increases,
                             double *factors, double *exponent)
{
    double weights = 0, center = 0, squares = 0;
    size_t clear = 0;
    for (size_t i = 1; i < points->count; i++) {
        double above = points->list[i].count - points->list[0].count;
        if (!(increases[i] > 0))
            continue;
        weights += above;
        center += above * log(above);
        clear++;
    }
    if (clear < 2)
        return false;
    center /= weights;
    for (size_t i = 1; i < points->count; i++) {
        double above = points->list[i].count - points->list[0].count;
        if (increases[i] > 0)
            squares += above * (log(above) - center) * (log(above) - center);
    }
    *exponent = factors[0] = 0;
    for (size_t i = 1; i < points->count; i++) {
        double above = points->list[i].count - points->list[0].count;
        factors[i] = 0;
        if (!(increases[i] > 0))
            continue;
        double factor = above * (log(above) - center) / squares;
        *exponent += factor * log(increases[i]);
        factors[i] = factor / increases[i];
        factors[0] -= factors[i];
    }
    return true;
}

/* bent: is the exponent certainly not 1? */
static void fit_exponent(const struct line_points *points, const struct basis *basis,
                         struct line *line, bool *bent)
{
    line->exponent = line->exponent_low = line->exponent_high = NAN;
    AUTO_MEMORY double *increases = memory_new(points->count + 1, sizeof(*increases));
    for (size_t i = 1; i < points->count; i++) {
        /* The increase over the first point, or 0 where it may be nothing. */
        for (size_t j = 0; j < points->count; j++)
            basis->factors[j] = j == i ? 1 : 0;
        basis->factors[0] = -1;
        struct line_sum increase =
            line_sum_of(points, basis->factors, left_by(points, basis, true), 3);
        increases[i] = increase.value > CLEAR * increase.error ? increase.value : 0;
    }
    double exponent;
    if (!exponent_factors(points, increases, basis->factors, &exponent))
        return;
    struct line_sum sum = line_sum_of(points, basis->factors, left_by(points, basis, true), 3);
    double reach = line_sum_reach(sum, CONFIDENCE);
    line->exponent = fabs(exponent - 1) < EXPONENT_DUST ? 1 : exponent;
    line->exponent_low = line->exponent - reach;
    line->exponent_high = line->exponent + reach;
    *bent |= fabs(line->exponent - 1) > line_sum_reach(sum, CERTAIN);
}

struct line line_fit(struct line_value *values, size_t count)
{
    struct line_points points = line_points_of(values, count);
    AUTO_MEMORY double *room = memory_new(4 * (points.count + 1), sizeof(*room));
    struct basis basis = {room, room + points.count, room + 2 * points.count,
                          room + 3 * points.count};
    for (size_t i = 0; i < points.count; i++) {
        basis.one[i] = 1;
        basis.linear[i] = points.list[i].count;
    }
    take_out(&points, basis.linear, basis.one);
    /* Of the count about its mean, which costs no digits. */
    for (size_t i = 0; i < points.count; i++)
        basis.square[i] = basis.linear[i] * basis.linear[i];
    take_out(&points, basis.square, basis.one);
    take_out(&points, basis.square, basis.linear);
    struct line line = {
        .points = points.count, .processes = points.processes, .paired = points.costs != NULL};
    coefficient_of(&points, basis.linear, basis.factors);
    struct line_sum slope = line_sum_of(&points, basis.factors, left_by(&points, &basis, false), 2);
    double reach = line_sum_reach(slope, CONFIDENCE);
    line.slope = slope.value;
    line.low = slope.value - reach;
    line.high = slope.value + reach;
    line.exact = !(slope.error > 0);
    double mean = coefficient(&points, basis.one);
    double middle = points.list[0].count - basis.linear[0];
    line.base = mean - line.slope * middle;
    for (size_t i = 0; i < points.count; i++) {
        double off = fabs(line.base + line.slope * points.list[i].count - points.list[i].mean);
        line.miss = fmax(line.miss, off > 0 ? off / fabs(points.list[i].mean) : 0);
    }
    bool bent = is_bent(&points, &basis);
    fit_exponent(&points, &basis, &line, &bent);
    line.straight = !(bent && line.miss > MISS);
    memory_give_back(points.list);
    memory_give_back(points.costs);
    return line;
}

/* ----------------------------------------------------------------------------------------------
 * Tours by the set of what they call, in whatever order: what a call costs depends on the others
 * that its process makes. */

struct companies {
    uint32_t *with_times; /* [tour]; tours with the same number make the same calls … */
    uint32_t *operations; /* … or the same but for how often in a row */
};

/* Sets of calls, each as sorted numbers. */
struct set {
    uint64_t *members;
    size_t count;
};

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The number of a company is that of its first tour. */
static uint32_t *number(const struct overhead_case *file, bool with_times)
{
    uint32_t *numbers = memory_new(file->tour_count + 1, sizeof(*numbers));
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct set *sets = memory_new(file->tour_count + 1, sizeof(*sets));
    for (size_t i = 0; i < file->tour_count; i++) {
        struct set set = {.members = memory_new(file->tours[i].length + 1, sizeof(*set.members))};
        for (size_t j = 0; j < file->tours[i].length; j++)
            set.members[j] = (uint64_t)file->tours[i].calls[j] << 32 |
                             (with_times ? file->tours[i].times[j] : 0);
        qsort(set.members, file->tours[i].length, sizeof(*set.members), by_number);
        for (size_t j = 0; j < file->tours[i].length; j++)
            if (j == 0 || set.members[j] != set.members[j - 1])
                set.members[set.count++] = set.members[j];
        sets[i] = set;
        while (sets[numbers[i]].count != sets[i].count ||
               memcmp(sets[numbers[i]].members, sets[i].members,
                      sets[i].count * sizeof(*sets[i].members)) != 0)
            numbers[i]++;
    }
    memory_scope_end(&scope);
    return numbers;
}

static struct companies companies_of(const struct overhead_case *file)
{
    return (struct companies){.with_times = number(file, true), .operations = number(file, false)};
}

/* ----------------------------------------------------------------------------------------------
 * The sweeps. */

/* A figure as a point of one sweep. */
struct entry {
    const struct overhead_figure *figure;
    const struct overhead_tour *tour;
    bool by_reads, separate;
    uint32_t fixed, count;
    uint32_t company;
};

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

/* The company in which most counts were measured, by most processes. */
static size_t choose_company(const struct entry *entries, size_t *begin, size_t *end)
{
    size_t best_begin = *begin, best_end = *begin, most = 0;
    for (size_t at = *begin, next; at < *end; at = next) {
        next = end_of(entries, at, *end, true);
        size_t counts = 0;
        for (size_t i = at; i < next; i++)
            counts += i == at || entries[i].count != entries[i - 1].count;
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
        slope->measured[slope->points++] = (struct overhead_point){
            entries[begin].count, overhead_median_of(scratch, next - begin).median};
    }
    slope->one = slope->measured[0].median;
    slope->most = slope->measured[slope->points - 1].median;
    slope->most_count = slope->measured[slope->points - 1].count;
}

static struct line fit(const struct entry *entries, size_t begin, size_t end)
{
    AUTO_MEMORY struct line_value *values = memory_new(end - begin, sizeof(*values));
    for (size_t i = begin; i < end; i++)
        values[i - begin] = (struct line_value){
            .count = entries[i].count,
            .process = (uint64_t)entries[i].figure->tour << 32 | entries[i].figure->process,
            .cost = entries[i].figure->value,
        };
    return line_fit(values, end - begin);
}

/* Two counts lie on a line anyway, so three others must be there. */
static void try_without_first(const struct entry *entries, size_t begin, size_t end,
                              struct overhead_slope *slope)
{
    size_t second = begin;
    slope->step = slope->rest_slope = slope->rest_low = slope->rest_high = NAN;
    if (slope->straight || slope->points < 4)
        return;
    while (entries[second].count == entries[begin].count)
        second++;
    struct line rest = fit(entries, second, end);
    slope->first_apart = rest.straight;
    if (!slope->first_apart)
        return;
    slope->step = rest.base + rest.slope * slope->measured[0].count - slope->one;
    slope->rest_slope = rest.slope;
    slope->rest_low = rest.low;
    slope->rest_high = rest.high;
}

static void judge_sweep(const struct entry *entries, size_t begin, size_t end,
                        struct overhead_slope *slope)
{
    AUTO_MEMORY double *scratch = memory_new(end - begin, sizeof(*scratch));
    struct line line = fit(entries, begin, end);
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
        .processes = line.processes,
        .base = line.base,
        .slope = line.slope,
        .low = line.low,
        .high = line.high,
        .exact = line.exact,
        .paired = line.paired,
        .exponent = line.exponent,
        .exponent_low = line.exponent_low,
        .exponent_high = line.exponent_high,
        .miss = line.miss,
        .straight = line.straight,
    };
    fill_medians(entries, begin, end, scratch, slope);
    try_without_first(entries, begin, end, slope);
}

void overhead_judge_sweeps(const struct overhead_case *file, struct overhead_report *report)
{
    struct companies companies = companies_of(file);
    AUTO_MEMORY struct entry *entries = memory_new(3 * report->figure_count + 1, sizeof(*entries));
    size_t count = 0;
    for (size_t i = 0; i < report->figure_count; i++)
        count += enter(file, &companies, &report->figures[i], entries + count);
    qsort(entries, count, sizeof(*entries), by_sweep);
    for (size_t at = 0, next; at < count; at = next) {
        next = end_of(entries, at, count, false);
        size_t begin = at, end = next;
        if (choose_company(entries, &begin, &end) >= 2)
            judge_sweep(entries, begin, end, memory_add(report->slopes, report->slope_count));
    }
}
