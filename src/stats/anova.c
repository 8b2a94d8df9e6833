/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Analysis of variance, in two halves: observations are summed up by their combination of levels,
 * and what was summed up is solved as a linear model. */
#include "stats/anova.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"
#include "stats/interval.h"

/* --- What an analysis of variance keeps of its observations --- */

struct anova_cell {
    uint64_t key;   /* levels, each times its factor's stride */
    uint64_t count; /* 0: free place of the table */
    /* Running mean about the origin, and sum of squares about that mean (Welford). */
    long double mean, squares;
};

struct anova {
    size_t factors;
    uint32_t levels[ANOVA_MOST_FACTORS];
    uint64_t strides[ANOVA_MOST_FACTORS];
    double origin; /* the first value: what all values share is taken off before it costs digits */
    uint64_t count;
    struct anova_cell *table; /* open addressing */
    size_t places, used;      /* places: a power of two */
};

/* ----------------------------------------------------------------------------------------------
 * The filling side: one cell per combination of levels that occurs, in a hash table, each with its
 * count, mean and sum of squares. */

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
    made.table = memory_new(made.places, sizeof *made.table);
    *anova = memory_new(1, sizeof **anova);
    **anova = made;
    return 0;
}

void anova_close(struct anova *anova)
{
    if (!anova)
        return;
    memory_give_back(anova->table);
    memory_give_back(anova);
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
            size_t places = anova->places * 2;
            struct anova_cell *table = memory_new(places, sizeof *table);
            for (size_t i = 0; i < anova->places; i++)
                if (anova->table[i].count)
                    *place_of(table, places, anova->table[i].key) = anova->table[i];
            memory_give_back(anova->table);
            anova->table = table;
            anova->places = places;

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

/* ----------------------------------------------------------------------------------------------
 * The solving side. A term has a column for each combination of its levels that was observed; a
 * cell stands in one column of each term, and weighs as much as it has observations. What such a
 * model explains of the cells' means is what it explains of the observations, and the spread within
 * cells goes to the residual untouched. */

/* A column of whose weight less than this is new depends on those before it. */
static const long double NEW_SHARE = 1e-14L;
/* Sums of squares below this share of the total are rounding of the values themselves. */
static const long double NOTHING = 1e-28L;

struct model {
    const struct anova *anova;
    const uint32_t *terms;
    size_t term_count;
    size_t seen[ANOVA_MOST_FACTORS]; /* levels of each factor that were observed */
    size_t cells;
    const struct anova_cell **cell; /* [cells] */
    long double *mean;              /* [cells] about the mean of all */
    uint32_t *column;               /* [cells][term_count] */
    size_t *first;                  /* [term_count + 1] column of each term; 0 is the constant */
    size_t columns;
    /* Normal equations, [columns][columns + 1], the last column being the means. */
    long double *counted;
    /* The same for the columns of one model in their order, eliminated above the diagonal. */
    size_t *order; /* [ordered] which column */
    size_t ordered;
    long double *matrix; /* [ordered][ordered + 1] */
    bool *kept;          /* [ordered] */
};

static void release_model(struct model *model)
{
    memory_give_back(model->cell);
    memory_give_back(model->mean);
    memory_give_back(model->column);
    memory_give_back(model->first);
    memory_give_back(model->counted);
    memory_give_back(model->order);
    memory_give_back(model->matrix);
    memory_give_back(model->kept);
}
#define AUTO_MODEL __attribute__((cleanup(release_model)))

static int by_key(const void *left, const void *right)
{
    uint64_t a = (*(const struct anova_cell *const *)left)->key,
             b = (*(const struct anova_cell *const *)right)->key;
    return (a > b) - (a < b);
}

struct combination {
    uint64_t key;
    size_t cell;
};

static int by_combination(const void *left, const void *right)
{
    const struct combination *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static uint64_t key_within(const struct anova *anova, uint64_t key, uint32_t term)
{
    uint64_t result = 0;
    for (size_t factor = 0; factor < anova->factors; factor++)
        if (term >> factor & 1) {
            result += (uint32_t)(key / anova->strides[factor] % anova->levels[factor]) *
                      anova->strides[factor];
        }

    return result;
}

/* Sorts the cells by their combination of these factors' levels and returns how many combinations
 * there are. places has room for all cells. */
static size_t sort_combinations(const struct model *model, uint32_t factors,
                                struct combination *places)
{
    size_t count = 0;
    for (size_t i = 0; i < model->cells; i++)
        places[i] = (struct combination){key_within(model->anova, model->cell[i]->key, factors), i};
    qsort(places, model->cells, sizeof *places, by_combination);
    for (size_t i = 0; i < model->cells; i++)
        count += !i || places[i].key != places[i - 1].key;
    return count;
}

/* Which column of a term (or, past the last term, the constant) a cell stands in. */
static size_t column_of(const struct model *model, size_t cell, size_t term)
{
    return term == model->term_count ? 0 : model->column[cell * model->term_count + term];
}

/* A model begins with the constant and takes its terms in their order. */
static void begin_order(struct model *model)
{
    model->ordered = 1;
    model->order[0] = 0;
}

static void order_term(struct model *model, size_t term)
{
    for (size_t column = model->first[term]; column < model->first[term + 1]; column++)
        model->order[model->ordered++] = column;
}

static long double *row_of(const struct model *model, size_t place)
{
    return model->matrix + place * (model->ordered + 1);
}

/* Takes each column out of those after it and out of the means; one that has nothing left by its
 * turn is not kept. */
static void eliminate(struct model *model)
{
    for (size_t i = 0; i < model->ordered; i++) {
        const long double *from = model->counted + model->order[i] * (model->columns + 1);
        long double *row = row_of(model, i);
        for (size_t j = 0; j < model->ordered; j++)
            row[j] = from[model->order[j]];
        row[model->ordered] = from[model->columns];
    }

    for (size_t i = 0; i < model->ordered; i++) {
        const long double *row = row_of(model, i);
        size_t column = model->order[i];
        model->kept[i] =
            row[i] > NEW_SHARE * model->counted[column * (model->columns + 1) + column];
        if (!model->kept[i])
            continue;
        for (size_t j = i + 1; j < model->ordered; j++) {
            long double *other = row_of(model, j), factor = row[j] / row[i];
            if (factor == 0)
                continue;
            for (size_t k = j; k <= model->ordered; k++)
                other[k] -= factor * row[k];
        }
    }
}

/* What the columns from a place on add to those before it. */
static long double explained_from(const struct model *model, size_t place, size_t *df)
{
    long double sum = 0;
    *df = 0;
    for (size_t i = place; i < model->ordered; i++) {
        if (!model->kept[i])
            continue;
        const long double *row = row_of(model, i);
        sum += row[model->ordered] * row[model->ordered] / row[i];
        ++*df;
    }
    return sum;
}

/* Squares of what the eliminated model leaves of the cells' means. From the means, not from sums of
 * squares: those of a strong factor would drown a small rest. */
static long double rest_of_means(const struct model *model)
{
    AUTO_MEMORY long double *solution = memory_new(model->columns, sizeof *solution);
    for (size_t i = model->ordered; i-- > 0;) {
        if (!model->kept[i])
            continue;
        const long double *row = row_of(model, i);
        long double value = row[model->ordered];
        for (size_t j = i + 1; j < model->ordered; j++)
            value -= row[j] * solution[model->order[j]];
        solution[model->order[i]] = value / row[i];
    }
    long double sum = 0;
    for (size_t cell = 0; cell < model->cells; cell++) {
        long double rest = model->mean[cell];
        for (size_t i = 0; i <= model->term_count; i++)
            rest -= solution[column_of(model, cell, i)];
        sum += (long double)model->cell[cell]->count * rest * rest;
    }
    return sum;
}

static void test_term(const struct anova_table *table, struct anova_row *row)
{
    double error = table->residual_df ? table->residual_sum / (double)table->residual_df : 0;
    row->p = 1;
    if (!row->df)
        return;
    row->mean_sq = row->sum_sq / (double)row->df;
    if (table->state == ANOVA_TESTED) {
        row->f = row->mean_sq / error;
        row->p = f_p(row->f, (double)row->df, (double)table->residual_df);
    } else if (table->state == ANOVA_NO_VARIANCE && row->sum_sq > 0) {
        row->f = INFINITY;
        row->p = 0;
    }
    if (!(row->sum_sq > 0))
        return;
    row->eta_squared = row->sum_sq / table->total_sum;
    row->partial_eta_squared = row->sum_sq / (row->sum_sq + table->residual_sum);
    double beyond_error = row->sum_sq - (double)row->df * error;
    if (beyond_error > 0)
        row->omega_squared = beyond_error / (table->total_sum + error);
}

static size_t df_of_levels(const struct model *model, uint32_t term)
{
    size_t df = 1;
    for (size_t factor = 0; factor < model->anova->factors; factor++)
        if (term >> factor & 1 && __builtin_mul_overflow(df, model->seen[factor] - 1, &df))
            return SIZE_MAX;
    return df;
}

static struct anova_row solve_term(struct model *model, const struct anova_table *table,
                                   size_t index)
{
    struct anova_row row = {.term = model->terms[index]};
    begin_order(model);
    for (size_t term = 0; term < model->term_count; term++)
        if ((model->terms[term] & row.term) != row.term)
            order_term(model, term);
    size_t place = model->ordered;
    order_term(model, index);
    eliminate(model);
    long double sum = explained_from(model, place, &row.df);
    row.sum_sq = sum > NOTHING * table->total_sum ? (double)sum : 0;
    size_t most = df_of_levels(model, row.term);
    row.lost_df = most > row.df ? most - row.df : 0;
    test_term(table, &row);
    return row;
}

int anova_solve(const struct anova *anova, const uint32_t *terms, size_t term_count,
                struct anova_table *table, struct anova_row *rows)
{
    if (!anova->count || !term_count || term_count > ANOVA_MOST_COLUMNS)
        return -EINVAL;
    for (size_t i = 0; i < term_count; i++) {
        if (!terms[i] || terms[i] >> anova->factors)
            return -EINVAL;
        for (size_t j = 0; j < i; j++)
            if (terms[i] == terms[j])
                return -EINVAL;
    }

    AUTO_MODEL struct model model = {.anova = anova, .terms = terms, .term_count = term_count};
    /* In the order of their keys: the same observations in another order give the same result. */
    model.cell = memory_new(anova->used, sizeof(const struct anova_cell *));
    model.mean = memory_new(anova->used, sizeof *model.mean);
    model.column = memory_new(anova->used * model.term_count, sizeof *model.column);
    model.first = memory_new(model.term_count + 1, sizeof *model.first);
    for (size_t i = 0; i < anova->places; i++)
        if (anova->table[i].count)
            model.cell[model.cells++] = &anova->table[i];
    qsort(model.cell, model.cells, sizeof(const struct anova_cell *), by_key);
    long double sum = 0;
    for (size_t i = 0; i < model.cells; i++)
        sum += model.cell[i]->mean * (long double)model.cell[i]->count;
    for (size_t i = 0; i < model.cells; i++)
        model.mean[i] = model.cell[i]->mean - sum / (long double)anova->count;
    AUTO_MEMORY struct combination *places = memory_new(model.cells, sizeof *places);
    for (size_t factor = 0; factor < model.anova->factors; factor++)
        model.seen[factor] = sort_combinations(&model, UINT32_C(1) << factor, places);
    size_t next = 1;
    for (size_t term = 0; term < model.term_count; term++) {
        model.first[term] = next;
        size_t count = sort_combinations(&model, model.terms[term], places), column = next;
        for (size_t k = 0; k < model.cells; k++) {
            column += k && places[k].key != places[k - 1].key;
            model.column[places[k].cell * model.term_count + term] = (uint32_t)column;
        }
        next += count;

        if (next > ANOVA_MOST_COLUMNS)
            return -E2BIG;
    }
    model.first[model.term_count] = model.columns = next;
    model.counted = memory_new(next * (next + 1), sizeof *model.counted);
    model.order = memory_new(next, sizeof *model.order);
    model.matrix = memory_new(next * (next + 1), sizeof *model.matrix);
    model.kept = memory_new(next, sizeof *model.kept);
    size_t side = model.columns + 1;
    for (size_t cell = 0; cell < model.cells; cell++) {
        long double weight = (long double)model.cell[cell]->count;
        for (size_t i = 0; i <= model.term_count; i++) {
            long double *row = model.counted + column_of(&model, cell, i) * side;
            for (size_t j = 0; j <= model.term_count; j++)
                row[column_of(&model, cell, j)] += weight;
            row[model.columns] += weight * model.mean[cell];
        }
    }

    /* The whole model: what it leaves is what every term is measured by. */
    begin_order(&model);
    for (size_t term = 0; term < model.term_count; term++)
        order_term(&model, term);
    eliminate(&model);
    size_t rank;
    explained_from(&model, 0, &rank);
    long double within = 0, between = 0;
    for (size_t i = 0; i < model.cells; i++) {
        within += model.cell[i]->squares;
        between += (long double)model.cell[i]->count * model.mean[i] * model.mean[i];
    }
    const long double rest = rank < model.cells ? rest_of_means(&model) : 0;
    const long double total = within + between, residual = within + rest;
    *table =
        (struct anova_table){.residual_df = model.anova->count - rank, .total_sum = (double)total};
    size_t possible = 1;
    for (size_t factor = 0; factor < model.anova->factors; factor++)
        if (__builtin_mul_overflow(possible, model.seen[factor], &possible))
            possible = SIZE_MAX;
    table->count = model.anova->count;
    table->cells = model.cells;
    table->empty_cells = possible - model.cells;
    for (size_t i = 0; i < model.cells; i++) {
        table->replicated_cells += model.cell[i]->count > 1;
        table->constant_cells += model.cell[i]->count > 1 && model.cell[i]->squares == 0;
    }

    if (!table->residual_df)
        table->state = ANOVA_NO_DF;
    else if (residual <= NOTHING * total)
        table->state = ANOVA_NO_VARIANCE;
    if (table->state == ANOVA_TESTED) {
        table->residual_sum = (double)residual;
        table->within_sum = (double)within;
    }
    if (total > 0)
        table->r_squared = table->state == ANOVA_TESTED ? (double)((total - residual) / total) : 1;
    for (size_t i = 0; i < term_count; i++)
        rows[i] = solve_term(&model, table, i);
    return 0;
}
