/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Predictions: what the probe's catalogue says a specimen makes of an event. The controller knows
 * no specimen by itself. */
#include <string.h>

#include "engine/predict.h"
#include "study/mode.h"

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
