/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The filling side of an analysis of variance: one cell per combination of levels that occurs, in a
 * hash table, each with its count, mean and sum of squares. */
#include "stats/anova.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "stats/anova-cells.h"

static const size_t FIRST_PLACES = 64;

int anova_open(size_t factors, const uint32_t *levels, struct anova **anova)
{
    *anova = NULL;
    if (!factors || factors > ANOVA_MOST_FACTORS)
        return -EINVAL;
    struct anova made = {.factors = factors, .places = FIRST_PLACES};
    uint64_t combinations = 1;
    for (size_t i = 0; i < factors; i++) {
        if (!levels[i])
            return -EINVAL;
        made.levels[i] = levels[i];
        made.strides[i] = combinations;
        if (__builtin_mul_overflow(combinations, levels[i], &combinations))
            return -E2BIG;
    }
    made.table = calloc(made.places, sizeof *made.table);
    *anova = malloc(sizeof **anova);
    if (!made.table || !*anova) {
        free(made.table);
        free(*anova);
        *anova = NULL;
        return -ENOMEM;
    }
    **anova = made;
    return 0;
}

void anova_close(struct anova *anova)
{
    if (!anova)
        return;
    free(anova->table);
    free(anova);
}

/* The place of this key, or the free one where it belongs. */
static struct anova_cell *place_of(struct anova_cell *table, size_t places, uint64_t key)
{
    /* Neighbouring keys must not become neighbouring places: the top bits of a product by 2^64 over
     * the golden ratio. */
    size_t place = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (places - 1);
    while (table[place].count && table[place].key != key)
        place = (place + 1) & (places - 1);
    return &table[place];
}

static int grow(struct anova *anova)
{
    size_t places = anova->places * 2;
    struct anova_cell *table = calloc(places, sizeof *table);
    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < anova->places; i++)
        if (anova->table[i].count)
            *place_of(table, places, anova->table[i].key) = anova->table[i];
    free(anova->table);
    anova->table = table;
    anova->places = places;
    return 0;
}

int anova_add(struct anova *anova, const uint32_t *levels, double value)
{
    if (!isfinite(value))
        return -EINVAL;
    uint64_t key = 0;
    for (size_t i = 0; i < anova->factors; i++) {
        if (levels[i] >= anova->levels[i])
            return -EINVAL;
        key += levels[i] * anova->strides[i];
    }
    struct anova_cell *cell = place_of(anova->table, anova->places, key);
    if (!cell->count) {
        if (anova->used >= anova->places / 2) {
            int error = grow(anova);
            if (error)
                return error;
            cell = place_of(anova->table, anova->places, key);
        }
        anova->used++;
        cell->key = key;
    }
    if (!anova->count++)
        anova->origin = value;
    long double deviation = (long double)value - anova->origin, before = deviation - cell->mean;
    cell->count++;
    cell->mean += before / (long double)cell->count;
    cell->squares += before * (deviation - cell->mean);
    return 0;
}
