/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums up a row of values for a picture. */
#include "cli/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/figure.h"
#include "stats/density.h"
#include "stats/moments.h"

double distribution_at(const double *sorted, size_t count, double share)
{
    size_t place = (size_t)ceil(share * (double)count);
    return sorted[place ? place - 1 : 0];
}

/* Four digits are more than a violin shows. */
static json_t *rough(double value)
{
    char text[32];
    snprintf(text, sizeof(text), "%.4g", value);
    return figure_number(strtod(text, NULL));
}

static json_t *density_json(const double *values, size_t count)
{
    double heights[DISTRIBUTION_POINTS];
    struct density density;
    if (density_of(values, count, DISTRIBUTION_POINTS, &density, heights) < 0 || density.constant)
        return json_null();
    json_t *list = json_array();
    json_array_append_new(list, figure_number(density.low));
    json_array_append_new(list, figure_number(density.step));
    for (size_t i = 0; i < DISTRIBUTION_POINTS; i++)
        json_array_append_new(list, rough(heights[i]));
    return list;
}

static json_t *samples_json(const double *values, size_t count, double min, double max)
{
    json_t *list = json_array();
    if (count <= DISTRIBUTION_SAMPLES) {
        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, figure_number(values[i]));
        return list;
    }
    json_array_append_new(list, figure_number(min));
    for (size_t i = 0; i < DISTRIBUTION_SAMPLES - 2; i++)
        json_array_append_new(list, figure_number(values[i * count / (DISTRIBUTION_SAMPLES - 2)]));
    json_array_append_new(list, figure_number(max));
    return list;
}

int distribution_of(const double *values, size_t count, struct distribution *distribution)
{
    *distribution = (struct distribution){.count = count};
    if (!count)
        return -EINVAL;
    AUTO_FREE double *sorted = malloc(count * sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, values, count * sizeof(*sorted));
    sort_values(sorted, count);
    distribution->min = sorted[0];
    distribution->q1 = distribution_at(sorted, count, 0.25);
    distribution->median = distribution_at(sorted, count, 0.5);
    distribution->q3 = distribution_at(sorted, count, 0.75);
    distribution->max = sorted[count - 1];
    distribution->density = density_json(values, count);
    distribution->samples = samples_json(values, count, distribution->min, distribution->max);
    return distribution->density && distribution->samples ? 0 : -ENOMEM;
}
