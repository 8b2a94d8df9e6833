/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same bytes at many offsets: what an iteration costs at each, by what factor the dearest place
 * is dearer than the cheapest, and how much of all variance the places explain. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "judge/error/placement.h"
#include "stats/anova.h"
#include "stats/moments.h"
#include "stats/random.h"

/* Draws of what noise alone would make of the factor. */
static const size_t DRAWS = 500;

struct places {
    struct fastest *list; /* by place */
    size_t count, places;
    double *scratch; /* room for count */
};

static void add_place(const struct places *places, size_t begin, size_t end,
                      const struct error_cell *cell, struct error_report *report)
{
    size_t processes = end - begin;
    double median = fastest_median(places->list + begin, processes, places->scratch);
    report->places[report->place_count++] = (struct error_place){
        .event = cell->event,
        .offset = cell->offset,
        .per_iteration = median,
        .low = places->scratch[0],
        .high = places->scratch[processes - 1],
        .processes = processes,
    };
}

/* Each process over the median of the others at its place: noise in which the place has no part.
 * Returns how many; zeroes have no ratio. */
static size_t noise_of(const struct places *places, double *ratios)
{
    size_t found = 0;
    for (size_t begin = 0, end; begin < places->count; begin = end) {
        end = fastest_end(places->list, places->count, begin);
        for (size_t i = begin; i < end && end - begin > 1; i++) {
            size_t others = 0;
            for (size_t j = begin; j < end; j++)
                if (j != i)
                    places->scratch[others++] = places->list[j].per_iteration;
            double median = median_of(places->scratch, others);
            if (median > 0)
                ratios[found++] = places->list[i].per_iteration / median;
        }
    }
    return found;
}

/* The factor between places that differ by noise alone, once. */
static double drawn_factor(const struct places *places, const double *ratios, size_t ratio_count,
                           struct random *random)
{
    double least = INFINITY, most = 0;
    for (size_t begin = 0, end; begin < places->count; begin = end) {
        end = fastest_end(places->list, places->count, begin);
        for (size_t i = 0; i < end - begin; i++)
            places->scratch[i] = ratios[random_below(random, ratio_count)];
        double median = median_of(places->scratch, end - begin);
        least = fmin(least, median);
        most = fmax(most, median);
    }
    return least > 0 ? most / least : INFINITY;
}

/* The dearest of many equal places looks dearer than the cheapest: what noise makes of the factor
 * by itself is taken off its lower bound, which 1 is below only if noise cannot explain it. */
static int factor_bounds(const struct places *places, uint64_t seed,
                         struct error_placement *placement)
{
    AUTO_FREE double *ratios = calloc(places->count, sizeof *ratios);
    AUTO_FREE double *drawn = calloc(DRAWS, sizeof *drawn);
    if (!ratios || !drawn)
        return -ENOMEM;
    placement->factor_low = 1;
    placement->factor_high = INFINITY;
    size_t ratio_count = noise_of(places, ratios);
    if (!ratio_count)
        return 0;
    struct random random;
    random_seed(&random, seed);
    for (size_t i = 0; i < DRAWS; i++)
        drawn[i] = drawn_factor(places, ratios, ratio_count, &random);
    sort_values(drawn, DRAWS);
    double usual = quantile(drawn, DRAWS, 0.5), large = quantile(drawn, DRAWS, 0.975);
    placement->factor_low = fmax(1, placement->factor / large);
    placement->factor_high = placement->factor * (isfinite(large) ? large / usual : INFINITY);
    return 0;
}

static int judge_factor(const struct places *places, const struct error_place *rows, uint64_t seed,
                        struct error_placement *placement)
{
    placement->least = placement->most = rows[0].per_iteration;
    for (size_t i = 1; i < placement->places; i++) {
        placement->least = fmin(placement->least, rows[i].per_iteration);
        placement->most = fmax(placement->most, rows[i].per_iteration);
    }
    if (placement->least > 0) {
        placement->factor = placement->most / placement->least;
        return factor_bounds(places, seed, placement);
    }
    /* Of nothing at some place: there is no factor, unless it is nothing everywhere. */
    bool alike = !(placement->most > placement->least);
    placement->factor = placement->factor_low = placement->factor_high = alike ? 1 : NAN;
    return 0;
}

/* Omega squared: among places without any effect, eta squared would grow with their number. */
static int judge_share(struct places *places, uint64_t seed, struct error_placement *placement)
{
    AUTO_ANOVA struct anova *anova = NULL;
    uint32_t levels = (uint32_t)places->places, term = 1;
    int error = fastest_tame(places->list, places->count, seed);
    if (error == 0)
        error = anova_open(1, &levels, &anova);
    for (size_t i = 0; i < places->count && error == 0; i++) {
        uint32_t level = (uint32_t)places->list[i].group;
        error = anova_add(anova, &level, places->list[i].per_iteration);
    }
    struct anova_table table;
    struct anova_row row = {0};
    if (error == 0)
        error = anova_solve(anova, &term, 1, &table, &row);
    if (error == -ENOMEM)
        return error;
    /* One process a place: nothing tells a place from its process. */
    placement->by_place =
        error == 0 && places->places > 1 && table.residual_df ? row.omega_squared : 0;
    return 0;
}

int judge_places(const cell_pointer *cells, size_t count, uint64_t seed,
                 struct error_report *report, struct error_placement *placement)
{
    placement->first = report->place_count;
    placement->least = placement->most = placement->factor = NAN;
    placement->factor_low = placement->factor_high = NAN;
    size_t room = 0;
    for (size_t i = 0; i < count; i++)
        room += cells[i]->processes;
    if (!room)
        return 0;
    AUTO_FREE struct fastest *list = calloc(room, sizeof *list);
    AUTO_FREE double *scratch = calloc(room, sizeof *scratch);
    if (!list || !scratch)
        return -ENOMEM;
    struct places places = {.list = list, .scratch = scratch};
    for (size_t i = 0, next; i < count; i = next) {
        size_t begin = places.count;
        for (next = i; next < count && cells[next]->offset == cells[i]->offset; next++)
            places.count += fastest_of(cells[next], places.places, list + places.count);
        if (places.count == begin)
            continue;
        places.places++;
        add_place(&places, begin, places.count, cells[i], report);
    }
    placement->places = places.places;
    if (!places.places)
        return 0;
    int error = judge_factor(&places, report->places + placement->first, seed, placement);
    return error ? error : judge_share(&places, seed, placement);
}
