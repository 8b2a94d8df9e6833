/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Analysis of variance with any number of categorical factors, unbalanced, with chosen
 * interactions, as a linear model with sums of squares of type II. Observations are summed up per
 * combination of levels as they come and not kept, so that millions of them cost a few cells. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define ANOVA_MOST_FACTORS 16
/* Of the model, one for each observed combination of levels of each term: the time to solve it
 * grows with their third power, to seconds here. */
#define ANOVA_MOST_COLUMNS 800

struct anova;

/* levels: how many each factor has (at least 1). -EINVAL: no factor, too many, or one without
 * levels; -E2BIG: more combinations than can be numbered. */
int anova_open(size_t factors, const uint32_t *levels, struct anova **anova);
void anova_close(struct anova *anova);
static inline void cleanup_anova(struct anova **anova)
{
    anova_close(*anova);
}
#define AUTO_ANOVA __attribute__((cleanup(cleanup_anova)))

/* levels: one per factor. -EINVAL: no such level, or a value that is not finite (it is not
 * counted). */
int anova_add(struct anova *anova, const uint32_t *levels, double value);

/* A term is a set of factors, bit i for factor i: one is a main effect, several are their
 * interaction. */
struct anova_row {
    uint32_t term;
    size_t df;
    size_t lost_df; /* the factors' levels allow as many more: combinations never observed, or
                       already spanned by other terms */
    double sum_sq, mean_sq, f, p;
    double eta_squared, partial_eta_squared;
    double omega_squared; /* not below 0 */
};

enum anova_state {
    ANOVA_TESTED,
    ANOVA_NO_VARIANCE, /* the model explains everything: f is infinite and p 0 for terms with an
                          effect, 0 and 1 for terms without */
    ANOVA_NO_DF,       /* as many parameters as cells with one value each: nothing can be tested,
                          every f is 0, every p 1 */
};

struct anova_table {
    enum anova_state state;
    uint64_t count;          /* observations */
    size_t cells;            /* combinations that were observed … */
    size_t empty_cells;      /* … and not, of those that the observed levels allow */
    size_t replicated_cells; /* with at least two observations … */
    size_t constant_cells;   /* … all of which are equal */
    uint64_t residual_df;
    double residual_sum, total_sum; /* total about the mean of all */
    double within_sum;              /* part of the residual: spread within cells */
    double r_squared;               /* 0 where there is nothing to explain */
};

/* One row per term, in the order given. Every factor of an interaction should also be a term by
 * itself, and smaller interactions before larger ones; type II compares the model of all terms that
 * do not contain this one with and without it. -EINVAL: nothing was observed, no or an impossible
 * term, or one twice; -E2BIG: more than ANOVA_MOST_COLUMNS. */
int anova_solve(const struct anova *anova, const uint32_t *terms, size_t term_count,
                struct anova_table *table, struct anova_row *rows);
