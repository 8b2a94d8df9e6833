/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictions from the probe's catalogue, and the samples of one cell summed up against them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/loading.h"
#include "engine/predict.h"

/* --- Judges the samples of a cell. Stands between store and show; touches no machine. --- */

bool reading_value(const struct reading *reading, uint64_t *value)
{
    *value = reading->value;
    if (reading->running >= reading->enabled)
        return true;
    if (reading->running == 0)
        return false;
    unsigned __int128 scaled =
        (unsigned __int128)reading->value * reading->enabled / reading->running;
    *value = scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
    return true;
}

static int by_value(const void *left, const void *right)
{
    uint64_t first = *(const uint64_t *)left, second = *(const uint64_t *)right;
    return (first > second) - (first < second);
}

/* The smallest value that at least numerator/4 of the sorted values do not exceed. */
static uint64_t quarter(const uint64_t *sorted, size_t count, size_t numerator)
{
    size_t rank = (count * numerator + 3) / 4;
    return sorted[rank ? rank - 1 : 0];
}

static struct quantiles quantiles_of(uint64_t *values, size_t count)
{
    if (!count)
        return (struct quantiles){0};
    qsort(values, count, sizeof(*values), by_value);
    return (struct quantiles){values[0], quarter(values, count, 1), quarter(values, count, 2),
                              quarter(values, count, 3), values[count - 1]};
}

/* Leaves difference unknown where it does not fit. */
static struct maybe minus(uint64_t value, struct maybe truth)
{
    struct maybe difference = {0};
    if (truth.known)
        difference.known = !__builtin_sub_overflow(value, truth.value, &difference.value);
    return difference;
}

static uint64_t faults(const struct reading *reading)
{
    return reading->account.minor_faults + reading->account.major_faults;
}

static uint64_t switches(const struct reading *reading)
{
    return reading->account.voluntary + reading->account.involuntary;
}

/* Where no truth tells, what most runs show. */
static void expect_usual(const struct reading *readings, size_t count, uint64_t *scratch,
                         uint64_t (*of)(const struct reading *), struct maybe *expected)
{
    if (expected->known)
        return;
    for (size_t i = 0; i < count; i++)
        scratch[i] = of(&readings[i]);
    uint64_t median = quantiles_of(scratch, count).median;
    *expected = (struct maybe){true, median > INT64_MAX ? INT64_MAX : (int64_t)median};
}

static bool beyond(uint64_t seen, struct maybe expected)
{
    return expected.value < 0 || seen > (uint64_t)expected.value;
}

static void judge(struct summary *summary, uint64_t *values, uint64_t *quiet)
{
    struct maybe truth = summary->expected.truth;
    summary->values = quantiles_of(values, summary->judged);
    for (size_t i = 0, length = 0; i < summary->judged; i++) { /* values are sorted now */
        length = i && values[i] == values[i - 1] ? length + 1 : 1;
        if (length > summary->common_runs) {
            summary->common_runs = length;
            summary->common = values[i];
        }
    }
    summary->quiet =
        summary->quiet_runs ? quantiles_of(quiet, summary->quiet_runs) : summary->values;
    summary->constant = summary->judged && summary->values.min == summary->values.max;
    if (!summary->judged || !truth.known)
        return;
    summary->error = minus(summary->values.median, truth);
    summary->error_min = minus(summary->values.min, truth);
    summary->error_max = minus(summary->values.max, truth);
    /* How far the runs are off that are not exact. */
    for (size_t i = 0; i < summary->judged; i++) {
        if (truth.value >= 0 && values[i] == (uint64_t)truth.value) {
            summary->exact_runs++;
            continue;
        }
        summary->wrong_max = minus(values[i], truth);
        if (i == summary->exact_runs) /* the first that is not exact */
            summary->wrong_min = summary->wrong_max;
    }
}

static struct maybe plus(struct maybe left, struct maybe right)
{
    struct maybe sum = {0};
    if (left.known && right.known)
        sum.known = !__builtin_add_overflow(left.value, right.value, &sum.value);
    return sum;
}

void expectation_add_null(struct expectation *expected, const struct summary *null)
{
    if (!null->judged)
        return;
    if (null->quiet.median <= INT64_MAX)
        expected->overhead = (struct maybe){true, (int64_t)null->quiet.median};
    expected->faults = plus(expected->faults, null->expected.faults);
    expected->switches = plus(expected->switches, null->expected.switches);
}

void measure_summarise(const struct reading *readings, size_t count,
                       const struct expectation *expected, struct summary *summary)
{
    *summary =
        (struct summary){.runs = count, .expected = *expected, .scaling_min = 1, .scaling_max = 1};
    struct expectation *usual = &summary->expected;
    AUTO_MEMORY uint64_t *values = memory_new(count + 1, sizeof(*values));
    AUTO_MEMORY uint64_t *quiet = memory_new(count + 1, sizeof(*quiet));
    expect_usual(readings, count, values, faults, &usual->faults);
    expect_usual(readings, count, values, switches, &usual->switches);
    for (size_t i = 0; i < count; i++) {
        const struct reading *reading = &readings[i];
        bool disturbed =
            beyond(faults(reading), usual->faults) || beyond(switches(reading), usual->switches);
        summary->disturbed += disturbed;
        uint64_t value;
        if (!reading_value(reading, &value)) {
            summary->unscheduled++;
            continue;
        }
        if (reading->running < reading->enabled) {
            /* One more run whose counter had the PMU for part of the time. */
            double scaling = (double)reading->enabled / (double)reading->running;
            bool first = summary->multiplexed++ == 0;
            if (first || scaling < summary->scaling_min)
                summary->scaling_min = scaling;
            if (first || scaling > summary->scaling_max)
                summary->scaling_max = scaling;
        } else {
            summary->counted++;
        }
        values[summary->judged++] = value;
        if (!disturbed)
            quiet[summary->quiet_runs++] = value;
    }
    judge(summary, values, quiet);
}

void measure_limit(const struct reading *readings, size_t count, const struct limits *limits,
                   struct summary *summary)
{
    summary->limits = *limits;
    summary->below = summary->above = 0;
    for (size_t i = 0; limits->known && i < count; i++) {
        uint64_t value;
        if (!reading_value(&readings[i], &value))
            continue;
        summary->below += limits->low > 0 && value < (uint64_t)limits->low;
        summary->above += limits->high < 0 || value > (uint64_t)limits->high;
    }
}

/* ----------------------------------------------------------------------------------------------
 * Predictions: what the probe's catalogue says a specimen makes of an event. The controller knows
 * no specimen by itself. */

static const struct catalogue_truth *find_truth(const struct catalogue_specimen *specimen,
                                                const char *class)
{
    for (size_t i = 0; specimen && i < specimen->truth_count; i++) {
        if (strcmp(specimen->truths[i].class, class) == 0)
            return &specimen->truths[i];
    }
    return NULL;
}

/* base + each * N, unknown where that leaves 64 bits. */
static struct maybe evaluate(int64_t base, int64_t each, uint64_t n)
{
    struct maybe count = {0};
    int64_t product;
    if (!__builtin_mul_overflow(each, n, &product))
        count.known = !__builtin_add_overflow(base, product, &count.value);
    return count;
}

struct maybe predict_class(const struct catalogue *catalogue, const char *class,
                           const char *specimen, uint64_t n, const char **grade)
{
    const struct catalogue_truth *truth =
        class ? find_truth(catalogue_specimen(catalogue, specimen), class) : NULL;
    if (!truth)
        return (struct maybe){0};
    if (grade)
        *grade = truth->grade;
    if (strcmp(truth->grade, "bounded") == 0)
        return (struct maybe){0}; /* limits are no count */
    return evaluate(truth->base, truth->each, n);
}

struct maybe predict(const struct catalogue *catalogue, const struct counted_event *event,
                     const char *specimen, uint64_t n, const char **grade)
{
    if (event_counts_beyond_specimen(event->kind, event->name))
        return (struct maybe){0};
    return predict_class(catalogue, event->class, specimen, n, grade);
}

struct limits predict_limits(const struct catalogue *catalogue, const struct counted_event *event,
                             const char *specimen, uint64_t n, const char **why)
{
    const struct catalogue_truth *truth =
        event->class ? find_truth(catalogue_specimen(catalogue, specimen), event->class) : NULL;
    if (!truth || strcmp(truth->grade, "bounded") != 0 ||
        event_counts_beyond_specimen(event->kind, event->name))
        return (struct limits){0};
    struct maybe low = evaluate(truth->base, truth->each, n);
    struct maybe high = evaluate(truth->high_base, truth->high_each, n);
    *why = truth->why;
    return (struct limits){low.known && high.known, low.value > 0 ? low.value : 0, high.value};
}

const char *predict_specimen(const struct catalogue *catalogue, const struct counted_event *event)
{
    const char *second = "loop";
    for (size_t i = catalogue->specimen_count; event->class && i-- > 0;) {
        const struct catalogue_specimen *specimen = &catalogue->specimens[i];
        const struct catalogue_truth *truth = find_truth(specimen, event->class);
        if (truth && truth->each != 0 && strcmp(truth->grade, "proven") != 0)
            second = specimen->name;
    }
    for (size_t i = 0; event->class && i < catalogue->specimen_count; i++) {
        const struct catalogue_specimen *specimen = &catalogue->specimens[i];
        const struct catalogue_truth *truth = find_truth(specimen, event->class);
        if (truth && truth->each != 0 && strcmp(truth->grade, "proven") == 0)
            return specimen->name;
    }
    return second;
}
