/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts repeat, so equal values become one node with their number as weight; where too many
 * different ones remain, each is shared between the two nearest of evenly spaced nodes, far closer
 * to each other than a Gaussian is wide. */
#include "stats/density.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "stats/moments.h"

#define MOST_NODES 8192

/* A Gaussian further away than this many bandwidths adds less than a double can hold. */
static const double REACH = 8.5, MARGIN = 3;

struct nodes {
    double *values, *weights; /* values rising; weights sum up to 1 */
    size_t count;
};

static void release_nodes(struct nodes *nodes)
{
    free(nodes->values);
    free(nodes->weights);
}
#define AUTO_NODES __attribute__((cleanup(release_nodes)))

double density_bandwidth(const double *sorted, size_t count)
{
    if (count < 2)
        return 0;
    double deviation = moments_of(sorted, count).stdev;
    double quartiles = quantile(sorted, count, .75) - quantile(sorted, count, .25);
    double spread = fmin(deviation, quartiles / 1.34);
    return 0.9 * (spread > 0 ? spread : deviation) * pow((double)count, -0.2);
}

static size_t different(const double *sorted, size_t count)
{
    size_t result = 0;
    for (size_t i = 0; i < count; i++)
        result += !i || sorted[i] != sorted[i - 1];
    return result;
}

static void join_equal(const double *sorted, size_t count, struct nodes *nodes)
{
    nodes->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!i || sorted[i] != sorted[i - 1])
            nodes->values[nodes->count++] = sorted[i];
        nodes->weights[nodes->count - 1] += 1 / (double)count;
    }
}

static void share_out(const double *sorted, size_t count, struct nodes *nodes)
{
    nodes->count = MOST_NODES;
    double low = sorted[0], step = (sorted[count - 1] - low) / (MOST_NODES - 1);
    for (size_t i = 0; i < MOST_NODES; i++)
        nodes->values[i] = low + (double)i * step;
    for (size_t i = 0; i < count; i++) {
        double place = (sorted[i] - low) / step;
        size_t below = place < MOST_NODES - 2 ? (size_t)place : MOST_NODES - 2;
        double part = fmin(place - (double)below, 1);
        nodes->weights[below] += (1 - part) / (double)count;
        nodes->weights[below + 1] += part / (double)count;
    }
}

static int make_nodes(const double *sorted, size_t count, struct nodes *nodes)
{
    size_t needed = different(sorted, count), room = needed < MOST_NODES ? needed : MOST_NODES;
    nodes->values = calloc(room, sizeof *nodes->values);
    nodes->weights = calloc(room, sizeof *nodes->weights);
    if (!nodes->values || !nodes->weights)
        return -ENOMEM;
    if (needed <= MOST_NODES)
        join_equal(sorted, count, nodes);
    else
        share_out(sorted, count, nodes);
    return 0;
}

static void draw_curve(const struct nodes *nodes, const struct density *density, size_t points,
                       double *heights)
{
    double bandwidth = density->bandwidth, peak = 1 / (bandwidth * sqrt(2 * M_PI));
    size_t first = 0;
    for (size_t i = 0; i < points; i++) {
        double place = density->low + (double)i * density->step, sum = 0;
        while (first < nodes->count && nodes->values[first] < place - REACH * bandwidth)
            first++;
        for (size_t j = first; j < nodes->count; j++) {
            double distance = (nodes->values[j] - place) / bandwidth;
            if (distance > REACH)
                break;
            sum += nodes->weights[j] * exp(-distance * distance / 2);
        }
        heights[i] = peak * sum;
    }
}

int density_of(const double *values, size_t count, size_t points, struct density *density,
               double *heights)
{
    if (!count || points < 2 || count > SIZE_MAX / sizeof *values)
        return -EINVAL;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return -EINVAL;
    AUTO_FREE double *sorted = malloc(count * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, values, count * sizeof *sorted);
    sort_values(sorted, count);
    memset(heights, 0, points * sizeof *heights);
    *density = (struct density){.low = sorted[0], .bandwidth = density_bandwidth(sorted, count)};
    if (sorted[0] == sorted[count - 1]) {
        density->constant = true;
        return 0;
    }
    density->low -= MARGIN * density->bandwidth;
    density->step =
        (sorted[count - 1] + MARGIN * density->bandwidth - density->low) / (double)(points - 1);
    if (!isfinite(density->step) || !(density->bandwidth > 0))
        return -EINVAL;
    AUTO_NODES struct nodes nodes = {0};
    int error = make_nodes(sorted, count, &nodes);
    if (!error)
        draw_curve(&nodes, density, points, heights);
    return error;
}
