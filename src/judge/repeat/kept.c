/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sets runs apart that ended otherwise than most, were counted in part, or wrote something else. */
#include "judge/repeat/kept.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/repeat/limits.h"
#include "stats/moments.h"

uint64_t kept_status(const struct repeat_cell *cell)
{
    uint64_t usual = 0;
    size_t most = 0;
    for (size_t i = 0; i < cell->runs; i++) {
        const uint64_t status = cell->list[i].status;
        size_t times = 0;
        for (size_t j = 0; j < cell->runs; j++)
            times += cell->list[j].status == status;
        if (times > most || (times == most && status < usual)) {
            most = times;
            usual = status;
        }
    }
    return usual;
}

static bool wrote_alike(const struct repeat_run *one, const struct repeat_run *other)
{
    return one->output_bytes == other->output_bytes && one->output_sum == other->output_sum;
}

const struct repeat_run *kept_output(const struct repeat_cell *cell, uint64_t status)
{
    size_t of = 0;
    for (size_t i = 0; i < cell->runs; i++)
        of += cell->list[i].status == status;
    for (size_t i = 0; i < cell->runs; i++) {
        size_t times = 0;
        for (size_t j = 0; j < cell->runs; j++)
            times += cell->list[j].status == status && wrote_alike(&cell->list[i], &cell->list[j]);
        if (cell->list[i].status == status && (double)times >= REPEAT_USUAL_OUTPUT * (double)of)
            return &cell->list[i];
    }
    return NULL;
}

/* Only perf_event shares its counters between events; what a source counts it counts whole. */
static bool was_scheduled(const struct repeat_cell *cell, size_t run, uint32_t event)
{
    return !cell->scheduled || strcmp(cell->source, "perf_event") != 0 ||
           cell->scheduled[run * cell->events + event] >= REPEAT_SCHEDULED;
}

static void subtract_base(const struct repeat_cell *cell, uint32_t event, struct kept *kept)
{
    kept->base = UINT64_MAX;
    for (size_t i = 0; i < kept->count; i++) {
        const uint64_t count = cell->counts[kept->runs[i] * cell->events + event];
        kept->base = count < kept->base ? count : kept->base;
        kept->top = count > kept->top ? count : kept->top;
    }
    for (size_t i = 0; i < kept->count; i++)
        kept->values[i] = (double)(cell->counts[kept->runs[i] * cell->events + event] - kept->base);
    if (!kept->count)
        kept->base = 0;
}

int kept_counts(const struct repeat_cell *cell, uint32_t event, struct kept *kept)
{
    *kept = (struct kept){0};
    if (!cell || event >= cell->events || !cell->runs)
        return 0;
    kept->values = calloc(cell->runs, sizeof(*kept->values));
    kept->runs = calloc(cell->runs, sizeof(*kept->runs));
    if (!kept->values || !kept->runs)
        return -ENOMEM;
    const uint64_t status = kept_status(cell);
    const struct repeat_run *usual = kept_output(cell, status);
    for (size_t run = 0; run < cell->runs; run++)
        if (cell->list[run].status == status && status < STATUS_TIMEOUT &&
            was_scheduled(cell, run, event) && (!usual || wrote_alike(usual, &cell->list[run])))
            kept->runs[kept->count++] = run;
    kept->apart = cell->runs - kept->count;
    subtract_base(cell, event, kept);
    return 0;
}

void kept_release(struct kept *kept)
{
    free(kept->values);
    free(kept->runs);
    *kept = (struct kept){0};
}

double kept_mean(const struct kept *kept)
{
    return (double)kept->base + moments_of(kept->values, kept->count).mean;
}

double kept_variance(const struct kept *kept)
{
    return kept->count < 2 ? (double)NAN : moments_of(kept->values, kept->count).variance;
}

double kept_shift(const struct kept *from, const struct kept *to)
{
    const double bases =
        to->base >= from->base ? (double)(to->base - from->base) : -(double)(from->base - to->base);
    return bases + moments_of(to->values, to->count).mean -
           moments_of(from->values, from->count).mean;
}

size_t kept_distinct(const struct kept *kept)
{
    size_t distinct = 0;
    for (size_t i = 0; i < kept->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = !(kept->values[i] < kept->values[j]) && !(kept->values[i] > kept->values[j]);
        distinct += !seen;
    }
    return distinct;
}

/* Mean of the half of the values that lie closest together. Unlike the median it does not fall
 * between two levels, where every run would seem to be off. */
static double centre_of(double *values, size_t count)
{
    const size_t half = (count + 1) / 2;
    size_t best = 0;
    double sum = 0;
    sort_values(values, count);
    for (size_t begin = 1; begin + half <= count; begin++)
        if (values[begin + half - 1] - values[begin] < values[best + half - 1] - values[best])
            best = begin;
    for (size_t i = best; i < best + half; i++)
        sum += values[i];
    return sum / (double)half;
}

void kept_residuals(const struct kept *kept, double *values)
{
    if (!kept->count)
        return;
    memcpy(values, kept->values, kept->count * sizeof(*values));
    const double centre = centre_of(values, kept->count);
    for (size_t i = 0; i < kept->count; i++)
        values[i] = kept->values[i] - centre;
}

static int by_size(const void *left, const void *right)
{
    const double one = fabs(*(const double *)left), other = fabs(*(const double *)right);
    return (one > other) - (one < other);
}

int kept_trimmed(const struct kept *kept, double *variance)
{
    const size_t left_over = kept->count - kept->count / KEPT_TRIMMED;
    *variance = (double)NAN;
    if (left_over < 2)
        return 0;
    AUTO_FREE double *residuals = malloc(kept->count * sizeof(*residuals));
    if (!residuals)
        return -ENOMEM;
    kept_residuals(kept, residuals);
    qsort(residuals, kept->count, sizeof(*residuals), by_size);
    *variance = moments_of(residuals, left_over).variance;
    return 0;
}
