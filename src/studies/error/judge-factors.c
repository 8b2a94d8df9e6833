/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which factors matter: for each event an analysis of variance of its null error, processes as
 * replicates (docs/error.md). Factors with one level, and what cannot be told apart, are left out
 * and said. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/error/levels.h"
#include "judge/error/replicates.h"
#include "judge/note.h"
#include "stats/anova.h"
#include "studies/error/study.h"

#define BIT(factor) (1u << (factor))
/* The least important last: it goes first where a model grows too large. */
static const uint32_t interactions[] = {
    BIT(FACTOR_PATH) | BIT(FACTOR_PATTERN),
    BIT(FACTOR_PATTERN) | BIT(FACTOR_OPT),
    BIT(FACTOR_PATH) | BIT(FACTOR_COUNTERS),
};
#define INTERACTIONS (sizeof(interactions) / sizeof(*interactions))
#define MOST_TERMS   (FACTOR_COUNT + INTERACTIONS)

/* What one path of one machine shows, while its replicates come in. */
struct about_mean {
    double count, mean, sum; /* sum: of squares about the mean */
};

/* One event under analysis. Terms are bits of enum error_factor: the analysis knows all factors,
 * also those with one level, which are in no term. */
struct analysis {
    struct error_levels levels;
    struct anova *anova;
    uint32_t terms[MOST_TERMS];
    struct anova_row rows[MOST_TERMS];
    size_t count;
    size_t left_out;          /* interactions, for the size of the model */
    struct about_mean *paths; /* of each path of each machine */
    struct anova_table table;
};

static void analysis_release(struct analysis *analysis)
{
    anova_close(analysis->anova);
    free(analysis->paths);
    error_levels_release(&analysis->levels);
}

static void name_term(uint32_t term, char *name, size_t size)
{
    size_t used = 0;
    name[0] = '\0';
    for (unsigned factor = 0; factor < FACTOR_COUNT && used < size; factor++)
        if (term >> factor & 1)
            used += (size_t)snprintf(name + used, size - used, "%s%s", used ? " x " : "",
                                     error_factor_names[factor]);
}

/* The path of the machine that a cell belongs to. */
static struct about_mean *path_of(const struct analysis *analysis,
                                  const struct error_observed *observed)
{
    size_t machine = observed->levels[FACTOR_MACHINE], path = observed->levels[FACTOR_PATH];
    return &analysis->paths[machine * analysis->levels.levels[FACTOR_PATH] + path];
}

static void add_about_mean(struct about_mean *about, double value)
{
    double away = value - about->mean;
    about->count++;
    about->mean += away / about->count;
    about->sum += away * (value - about->mean);
}

static double within_sum(const struct analysis *analysis)
{
    size_t paths =
        (size_t)analysis->levels.levels[FACTOR_MACHINE] * analysis->levels.levels[FACTOR_PATH];
    double sum = 0;
    for (size_t i = 0; i < paths; i++)
        sum += analysis->paths[i].sum;
    return sum;
}

static int add_cell(struct analysis *analysis, struct error_observed *observed, double *medians,
                    int64_t *scratch)
{
    observed->processes = error_process_medians(observed->cell, medians, scratch);
    int error = 0;
    double sum = 0;
    for (size_t i = 0; i < observed->processes && !error; i++) {
        sum += medians[i];
        add_about_mean(path_of(analysis, observed), medians[i]);
        error = anova_add(analysis->anova, observed->levels, medians[i]);
    }
    if (observed->processes)
        observed->mean = sum / (double)observed->processes;
    return error;
}

static int observe(struct analysis *analysis, const struct error_ways *ways)
{
    AUTO_FREE double *medians = calloc(ways->most_processes + 1, sizeof(*medians));
    AUTO_FREE int64_t *scratch = calloc(ways->most_runs + 1, 2 * sizeof(*scratch));
    analysis->paths = calloc(
        (size_t)analysis->levels.levels[FACTOR_MACHINE] * analysis->levels.levels[FACTOR_PATH] + 1,
        sizeof(*analysis->paths));
    if (!medians || !scratch || !analysis->paths)
        return -ENOMEM;
    int error = anova_open(FACTOR_COUNT, analysis->levels.levels, &analysis->anova);
    for (size_t i = 0; i < analysis->levels.count && !error; i++)
        error = add_cell(analysis, &analysis->levels.cells[i], medians, scratch);
    return error;
}

static void choose_terms(struct analysis *analysis)
{
    for (unsigned factor = 0; factor < FACTOR_COUNT; factor++)
        if (analysis->levels.factors >> factor & 1)
            analysis->terms[analysis->count++] = BIT(factor);
    for (size_t i = 0; i < INTERACTIONS; i++)
        if ((analysis->levels.factors & interactions[i]) == interactions[i])
            analysis->terms[analysis->count++] = interactions[i];
}

/* Without its last interaction as long as the model is too large. */
static int solve(struct analysis *analysis)
{
    int error;
    while ((error = anova_solve(analysis->anova, analysis->terms, analysis->count, &analysis->table,
                                analysis->rows)) == -E2BIG) {
        uint32_t last = analysis->terms[analysis->count - 1];
        if (!(last & (last - 1)))
            break;
        analysis->count--;
        analysis->left_out++;
    }
    return error;
}

/* Do the replicates of cells never differ? Where no cell has two, there is no telling. */
static bool never_differ(const struct anova_table *table)
{
    return table->state == ANOVA_NO_VARIANCE ||
           (table->replicated_cells > 0 && table->constant_cells == table->replicated_cells);
}

/* A sum of squares that others share in (type II) may be larger than what it is measured by. */
static double share_within(const struct error_anova *anova, const struct anova_row *row)
{
    if (row->term == BIT(FACTOR_PATH) || row->term == BIT(FACTOR_MACHINE))
        return row->eta_squared;
    double whole = fmin(fmax(anova->within_sum, row->sum_sq), anova->total_sum);
    return whole > 0 ? fmin(1, row->sum_sq / whole) : 0;
}

static int fill_effect(const struct analysis *analysis, const struct error_anova *anova,
                       const struct anova_row *row, struct error_effect *effect)
{
    *effect = (struct error_effect){.event = anova->event,
                                    .stepped = anova->stepped,
                                    .factors = row->term,
                                    .df = row->df,
                                    .sum_sq = row->sum_sq,
                                    .f = row->f,
                                    .p = row->p,
                                    .effect_size = row->eta_squared,
                                    .share_within = share_within(anova, row),
                                    .partial = row->partial_eta_squared};
    name_term(row->term, effect->name, sizeof(effect->name));
    bool is_main = !(row->term & (row->term - 1));
    int error = is_main
                    ? error_range_of(&analysis->levels, (enum error_factor)__builtin_ctz(row->term),
                                     &effect->range)
                    : 0;
    /* What the terms leave of exact numbers is no noise to measure them by; nor is it an effect
     * where cells that differ in this factor alone are all equal. */
    if (anova->no_variance && analysis->table.state != ANOVA_NO_DF) {
        bool differs = row->sum_sq > 0 && !(is_main && effect->range == 0);
        effect->f = differs ? INFINITY : 0;
        effect->p = differs ? 0 : 1;
    }
    effect->significant = effect->p < ERROR_EFFECT_P;
    effect->matters = effect->significant && effect->share_within >= ERROR_EFFECT_THRESHOLD;
    return error;
}

static void note_levels(const struct analysis *analysis, struct error_anova *anova)
{
    char single[96] = "";
    uint32_t missing = ~analysis->levels.factors & (BIT(FACTOR_COUNT) - 1);
    if (missing == BIT(FACTOR_COUNT) - 1) {
        note_add(anova->note, "There is nothing to compare: one combination of factors was "
                              "measured.");
        return;
    }
    size_t used = 0;
    for (unsigned factor = 0; factor < FACTOR_COUNT; factor++)
        if (missing >> factor & 1)
            used += (size_t)snprintf(single + used, sizeof(single) - used, "%s%s", used ? ", " : "",
                                     error_factor_names[factor]);
    if (used)
        note_add(anova->note, "Left out for want of a second level: %s.", single);
}

static void note_table(const struct analysis *analysis, struct error_anova *anova)
{
    const struct anova_table *table = &analysis->table;
    if (table->state == ANOVA_NO_DF)
        note_add(anova->note, "Nothing can be tested: there are no more values than parameters. "
                              "Measure more processes.");
    else if (!(table->total_sum > 0))
        note_add(anova->note, "Every process shows the same error, whatever the factors.");
    else if (anova->no_variance)
        note_add(anova->note, "Processes of a cell never differ: F is infinite, and the share of "
                              "the variance says what matters.");
    else if (!table->replicated_cells)
        note_add(anova->note, "Every cell has one process: what the factors leave is taken for "
                              "noise.");
    else if (table->constant_cells)
        note_add(anova->note, "In %zu of %zu cells processes never differ.", table->constant_cells,
                 table->cells);
    if (analysis->left_out)
        note_add(anova->note, "%zu interaction%s left out: the model would be too large.",
                 analysis->left_out, analysis->left_out == 1 ? " was" : "s were");
    if (analysis->levels.other_choices)
        note_add(anova->note, "%zu cells with other events as further counters are not in it.",
                 analysis->levels.other_choices);
    if (analysis->levels.other_layout)
        note_add(anova->note, "%zu cells with counters opened one by one are not in it.",
                 analysis->levels.other_layout);
}

static void note_lost(const struct anova_row *row, struct error_anova *anova)
{
    char name[64];
    name_term(row->term, name, sizeof(name));
    if (!row->df)
        note_add(anova->note, "%s cannot be told from the other factors.", name);
    else if (row->lost_df)
        note_add(anova->note,
                 "%s: %zu of %zu degrees of freedom are missing, as not every "
                 "combination exists or was measured.",
                 name, row->lost_df, row->lost_df + row->df);
}

static int report_rows(const struct analysis *analysis, struct error_anova *anova,
                       struct error_report *report)
{
    const struct anova_table *table = &analysis->table;
    anova->cells = table->cells;
    anova->constant_cells = table->constant_cells;
    anova->empty_cells = table->empty_cells;
    anova->no_variance = never_differ(table);
    anova->r_squared = table->r_squared;
    anova->residual_sum = table->residual_sum;
    anova->total_sum = table->total_sum;
    anova->within_sum = within_sum(analysis);
    anova->residual_df = table->residual_df;
    note_table(analysis, anova);
    int error = 0;
    for (size_t i = 0; i < analysis->count && !error; i++) {
        note_lost(&analysis->rows[i], anova);
        if (!analysis->rows[i].df)
            continue;
        error = fill_effect(analysis, anova, &analysis->rows[i],
                            &report->effects[report->effect_count++]);
        anova->effects++;
    }
    return error;
}

static int analyse(const struct error_case *file, const struct error_ways *ways, size_t begin,
                   size_t end, struct error_report *report)
{
    __attribute__((cleanup(analysis_release))) struct analysis analysis = {0};
    int error = error_levels_of(file, ways, begin, end, &analysis.levels);
    if (error || !analysis.levels.count)
        return error;
    struct error_anova *anova = &report->anovas[report->anova_count++];
    anova->event = ways->list[begin].cell->event;
    anova->stepped = ways->list[begin].cell->part == PART_STEPPED;
    anova->first = report->effect_count;
    error = observe(&analysis, ways);
    if (error)
        return error;
    for (size_t i = 0; i < analysis.levels.count; i++)
        anova->count += analysis.levels.cells[i].processes;
    anova->cells = analysis.levels.count;
    note_levels(&analysis, anova);
    choose_terms(&analysis);
    if (!analysis.count)
        return 0;
    error = solve(&analysis);
    if (error == -E2BIG)
        note_add(anova->note,
                 "The factors have too many levels to be analysed together: at most "
                 "%d.",
                 ANOVA_MOST_COLUMNS);
    return error ? (error == -ENOMEM ? error : 0) : report_rows(&analysis, anova, report);
}

int error_judge_factors(const struct error_case *file, struct error_report *report)
{
    AUTO_ERROR_WAYS struct error_ways ways;
    int error = error_ways_of(file, &ways);
    if (error)
        return error;
    size_t events = 0;
    for (size_t begin = 0; begin < ways.count; begin = error_ways_end(&ways, begin, WAY_EVENT))
        events++;
    report->anovas = calloc(events + 1, sizeof(*report->anovas));
    report->effects = calloc(events * MOST_TERMS + 1, sizeof(*report->effects));
    if (!report->anovas || !report->effects)
        return -ENOMEM;
    for (size_t begin = 0, next; begin < ways.count && !error; begin = next) {
        next = error_ways_end(&ways, begin, WAY_EVENT);
        error = analyse(file, &ways, begin, next, report);
    }
    return error;
}
