/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The inline loop, whose place every pattern and optimisation level moves: does one of the two
 * explain what an iteration costs, or only their combination, as it is with placement? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/placement.h"
#include "stats/anova.h"

enum { BY_PATTERN, BY_OPT, BY_BOTH, TERMS };
static const uint32_t terms[TERMS] = {1, 2, 3};

/* The first cell with the same level, whose index numbers it. */
static uint32_t opt_level(const cell_pointer *cells, size_t i)
{
    uint32_t level = 0;
    while (strcmp(cells[level]->opt, cells[i]->opt) != 0)
        level++;
    return level;
}

static bool same_window(const struct error_cell *left, const struct error_cell *right)
{
    return left->pattern == right->pattern && strcmp(left->opt, right->opt) == 0 &&
           strcmp(left->link, right->link) == 0;
}

/* All processes, window by window. Returns how many. */
static size_t fill(const cell_pointer *cells, size_t count, struct fastest *list)
{
    size_t filled = 0;
    for (size_t i = 0; i < count; i++) {
        size_t earlier = 0;
        while (earlier < i && !same_window(cells[earlier], cells[i]))
            earlier++;
        for (size_t j = i; j < count && earlier == i; j++) {
            if (!same_window(cells[j], cells[i]))
                continue;
            size_t added = fastest_of(cells[j], i, list + filled);
            for (size_t k = 0; k < added; k++) {
                list[filled + k].levels[0] = cells[i]->pattern;
                list[filled + k].levels[1] = opt_level(cells, i);
            }
            filled += added;
        }
    }
    return filled;
}

static void window_factor(const struct fastest *list, size_t count,
                          struct error_placement *placement)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = fastest_end(list, count, begin);
        double fastest = list[begin].per_iteration;
        for (size_t i = begin; i < end; i++)
            fastest = fmin(fastest, list[i].per_iteration);
        least = fmin(least, fastest);
        most = fmax(most, fastest);
    }
    placement->window_factor = least > 0 ? most / least : most > least ? NAN : 1;
}

static int solve(const struct fastest *list, size_t count, uint32_t opts,
                 struct error_placement *placement)
{
    AUTO_ANOVA struct anova *anova = NULL;
    int error = anova_open(2, (const uint32_t[]){PATTERN_COUNT, opts}, &anova);
    for (size_t i = 0; i < count && error == 0; i++)
        error = anova_add(anova, list[i].levels, list[i].per_iteration);
    struct anova_table table;
    struct anova_row rows[TERMS] = {0};
    if (error == 0)
        error = anova_solve(anova, terms, TERMS, &table, rows);
    for (size_t i = 0; i < TERMS && error == 0; i++)
        if (!rows[i].df || !table.residual_df)
            rows[i] = (struct anova_row){.p = 1};
    if (error)
        return error;
    placement->by_pattern = rows[BY_PATTERN].omega_squared;
    placement->by_opt = rows[BY_OPT].omega_squared;
    placement->by_both = rows[BY_BOTH].omega_squared;
    placement->p_pattern = rows[BY_PATTERN].p;
    placement->p_opt = rows[BY_OPT].p;
    placement->p_both = rows[BY_BOTH].p;
    return 0;
}

int judge_windows(const cell_pointer *cells, size_t count, uint64_t seed,
                  struct error_placement *placement)
{
    placement->window_factor = NAN;
    placement->p_pattern = placement->p_opt = placement->p_both = 1;
    size_t room = 0;
    for (size_t i = 0; i < count; i++)
        room += cells[i]->processes;
    if (!room)
        return 0;
    AUTO_FREE struct fastest *list = calloc(room, sizeof *list);
    if (!list)
        return -ENOMEM;
    size_t filled = fill(cells, count, list);
    if (fastest_end(list, filled, 0) == filled) /* one window, or none */
        return 0;
    window_factor(list, filled, placement);
    int error = fastest_tame(list, filled, seed);
    if (error == 0)
        error = solve(list, filled, (uint32_t)count, placement);
    placement->has_windows = error == 0;
    return error == -ENOMEM ? error : 0;
}
