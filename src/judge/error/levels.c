/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers the levels of each factor over the cells of one event. */
#include "judge/error/levels.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool same_machine(const struct error_case *file, uint32_t left, uint32_t right)
{
    if (left == right || left >= file->machine_count || right >= file->machine_count)
        return left == right;
    const char *one = file->machines[left].fingerprint, *other = file->machines[right].fingerprint;
    return one && other && strcmp(one, other) == 0;
}

static bool same_level(const struct error_case *file, enum error_factor factor,
                       const struct error_cell *left, const struct error_cell *right)
{
    switch (factor) {
    case FACTOR_MACHINE:
        return same_machine(file, left->machine, right->machine);
    case FACTOR_PATH:
        return strcmp(left->path, right->path) == 0;
    case FACTOR_PATTERN:
        return left->pattern == right->pattern;
    case FACTOR_COUNTERS:
        return left->counters == right->counters;
    case FACTOR_OPT:
        return strcmp(left->opt, right->opt) == 0;
    case FACTOR_LINK:
        return strcmp(left->link, right->link) == 0;
    case FACTOR_COUNT:
        break;
    }
    return true;
}

/* Which of the known levels the cell shows; `known` where it is a new one. first: [level], the cell
 * that showed it first. */
static uint32_t level_of(const struct error_case *file, enum error_factor factor,
                         const struct error_cell *cell, const struct error_cell *const *first,
                         uint32_t known)
{
    uint32_t level = 0;
    while (level < known && !same_level(file, factor, first[level], cell))
        level++;
    return level;
}

static int number_levels(const struct error_case *file, struct error_levels *levels)
{
    AUTO_FREE const struct error_cell **first = calloc(levels->count + 1, sizeof(*first));
    if (!first)
        return -ENOMEM;
    for (unsigned factor = 0; factor < FACTOR_COUNT; factor++) {
        uint32_t known = 0;
        for (size_t i = 0; i < levels->count; i++) {
            struct error_observed *observed = &levels->cells[i];
            uint32_t level =
                level_of(file, (enum error_factor)factor, observed->cell, first, known);
            if (level == known)
                first[known++] = observed->cell;
            observed->levels[factor] = level;
        }
        levels->levels[factor] = known;
        if (known > 1)
            levels->factors |= 1u << factor;
    }
    return 0;
}

int error_levels_of(const struct error_case *file, const struct error_ways *ways, size_t begin,
                    size_t end, struct error_levels *levels)
{
    *levels = (struct error_levels){0};
    levels->cells = reallocarray(NULL, end - begin + 1, sizeof(*levels->cells));
    if (!levels->cells)
        return -ENOMEM;
    bool has_groups = false;
    for (size_t i = begin; i < end; i++)
        has_groups = has_groups || !ways->list[i].cell->separate;
    for (size_t i = begin; i < end; i++) {
        const struct error_cell *cell = ways->list[i].cell;
        if (!ways->list[i].usual)
            levels->other_choices++;
        else if (cell->separate && has_groups)
            levels->other_layout++;
        else
            levels->cells[levels->count++] = (struct error_observed){.cell = cell};
    }
    return number_levels(file, levels);
}

void error_levels_release(struct error_levels *levels)
{
    free(levels->cells);
    *levels = (struct error_levels){0};
}
