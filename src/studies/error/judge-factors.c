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
#include "engine/findings.h"
#include "stats/anova.h"
#include "stats/least-squares.h"
#include "studies/error/judge.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * How far apart the levels of a factor lie. Means over all cells of a level would mix in what else
 * differs between those cells (several counters are only measured at one -O level, so that level's
 * mean is larger): only cells that agree in all other factors are compared, a stratum. */

/* Levels beyond which the fit would take seconds. */
static const size_t MOST_LEVELS = 400;

struct comparison {
    const struct error_levels *levels;
    enum error_factor factor;
    size_t *order;   /* cells, those of a stratum together */
    uint32_t *group; /* [level]: levels that strata connect share the smallest of them */
    double *columns; /* [row * width + level - 1]: is it that level? */
    double *y, *weights;
    size_t rows, width; /* rows beyond the cells are zeros */
};

static void comparison_release(struct comparison *comparison)
{
    free(comparison->order);
    free(comparison->group);
    free(comparison->columns);
    free(comparison->y);
    free(comparison->weights);
}

static int by_other_factors(const void *left, const void *right, void *context)
{
    const struct comparison *comparison = context;
    const struct error_observed *cells = comparison->levels->cells,
                                *one = &cells[*(const size_t *)left],
                                *other = &cells[*(const size_t *)right];
    for (unsigned i = 0; i < FACTOR_COUNT; i++)
        if (i != comparison->factor && one->levels[i] != other->levels[i])
            return one->levels[i] < other->levels[i] ? -1 : 1;
    return 0;
}

static int open_comparison(struct comparison *comparison)
{
    size_t count = comparison->levels->count;
    uint32_t levels = comparison->levels->levels[comparison->factor];
    comparison->width = levels - 1;
    /* The fit wants more rows than columns. Rows of zeros say nothing. */
    comparison->rows = count + comparison->width + 1;
    comparison->order = calloc(count + 1, sizeof(*comparison->order));
    comparison->group = calloc(levels, sizeof(*comparison->group));
    comparison->columns =
        calloc(comparison->rows * comparison->width, sizeof(*comparison->columns));
    comparison->y = calloc(comparison->rows, sizeof(*comparison->y));
    comparison->weights = calloc(comparison->rows, sizeof(*comparison->weights));
    if (!comparison->order || !comparison->group || !comparison->columns || !comparison->y ||
        !comparison->weights)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++)
        comparison->order[i] = i;
    for (uint32_t i = 0; i < levels; i++)
        comparison->group[i] = i;
    for (size_t i = 0; i < comparison->rows; i++)
        comparison->weights[i] = 1;
    qsort_r(comparison->order, count, sizeof(*comparison->order), by_other_factors, comparison);
    return 0;
}

static uint32_t level_at(const struct comparison *comparison, size_t row)
{
    return comparison->levels->cells[comparison->order[row]].levels[comparison->factor];
}

/* Both groups are one from now on. */
static void connect(struct comparison *comparison, uint32_t left, uint32_t right)
{
    uint32_t one = comparison->group[left], other = comparison->group[right];
    uint32_t kept = one < other ? one : other, gone = one < other ? other : one;
    for (size_t i = 0; i <= comparison->width; i++)
        if (comparison->group[i] == gone)
            comparison->group[i] = kept;
}

/* Rows begin … end - 1 are a stratum: what is left of each when its mean is taken off. */
static void lay_stratum(struct comparison *comparison, size_t begin, size_t end)
{
    double weight = 0, mean = 0;
    for (size_t i = begin; i < end; i++) {
        const struct error_observed *cell = &comparison->levels->cells[comparison->order[i]];
        comparison->weights[i] = (double)cell->processes;
        weight += (double)cell->processes;
        mean += (double)cell->processes * cell->mean;
        connect(comparison, level_at(comparison, begin), level_at(comparison, i));
    }
    for (size_t i = begin; i < end && weight > 0; i++) {
        comparison->y[i] = comparison->levels->cells[comparison->order[i]].mean - mean / weight;
        uint32_t level = level_at(comparison, i);
        if (level)
            comparison->columns[i * comparison->width + level - 1] += 1;
        for (size_t j = begin; level && j < end; j++)
            comparison->columns[j * comparison->width + level - 1] -=
                comparison->weights[i] / weight;
    }
}

static void lay_strata(struct comparison *comparison)
{
    size_t count = comparison->levels->count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = begin + 1;
        while (end < count && by_other_factors(&comparison->order[begin], &comparison->order[end],
                                               comparison) == 0)
            end++;
        lay_stratum(comparison, begin, end);
    }
}

/* The widest of the groups. In each the first level is where the others are measured from: 0. */
static double range_of(const struct comparison *comparison, const struct coefficient *coefficients)
{
    double range = NAN;
    for (uint32_t group = 0; group < comparison->width; group++) {
        double least = INFINITY, most = -INFINITY;
        size_t members = 0;
        for (uint32_t level = 0; level <= comparison->width; level++) {
            if (comparison->group[level] != group)
                continue;
            double value = level ? coefficients[level - 1].value : 0;
            least = fmin(least, value);
            most = fmax(most, value);
            members++;
        }
        if (members > 1)
            range = fmax(most - least, range); /* fmax ignores a NaN */
    }
    return range;
}

/* What rounding leaves of means that are equal. */
static double without_dust(double range, const struct error_levels *levels)
{
    double largest = 0;
    for (size_t i = 0; i < levels->count; i++)
        largest = fmax(largest, fabs(levels->cells[i].mean));
    return range < 1e-12 * largest ? 0 : range;
}

int error_range_of(const struct error_levels *levels, enum error_factor factor, double *range)
{
    __attribute__((cleanup(comparison_release))) struct comparison comparison = {.levels = levels,
                                                                                 .factor = factor};
    *range = NAN;
    if (levels->levels[factor] < 2 || levels->levels[factor] > MOST_LEVELS)
        return 0;
    AUTO_FREE struct coefficient *coefficients =
        calloc(levels->levels[factor], sizeof(*coefficients));
    if (!coefficients || open_comparison(&comparison))
        return -ENOMEM;
    lay_strata(&comparison);
    struct design design = {comparison.columns, comparison.rows, comparison.width, comparison.y,
                            comparison.weights};
    struct least_squares fit;
    int error = least_squares(&design, false, &fit, coefficients, NULL);
    if (!error)
        *range = without_dust(range_of(&comparison, coefficients), levels);
    return error == -ENOMEM ? error : 0;
}

/* ----------------------------------------------------------------------------------------------
 * Numbers the levels of each factor over the cells of one event. */

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

/* ----------------------------------------------------------------------------------------------
 * Orders the null cells of a case by their factors. */

static bool is_wanted(const struct error_cell *cell)
{
    return cell->runs > 0 && (cell->part == PART_NULL ||
                              (cell->part == PART_STEPPED && strcmp(cell->specimen, "null") == 0));
}

static bool same_event(const struct error_cell *left, const struct error_cell *right)
{
    return left->part == right->part && strcmp(left->event, right->event) == 0;
}

/* Numbers by first appearance; `seen` holds one cell of each event. The search begins at the event
 * of the cell before, as neighbours mostly share it. */
static uint32_t number_of(const struct error_cell *cell, const struct error_cell **seen,
                          uint32_t *count, uint32_t guess)
{
    if (guess < *count && same_event(seen[guess], cell))
        return guess;
    for (uint32_t i = 0; i < *count; i++)
        if (same_event(seen[i], cell))
            return i;
    seen[*count] = cell;
    return (*count)++;
}

/* As `depth` says, the difference in one factor. */
static int differ(const struct error_way_of *left, const struct error_way_of *right,
                  enum error_way_depth depth)
{
    const struct error_cell *a = left->cell, *b = right->cell;
    switch (depth) {
    case WAY_EVENT:
        if (a->part != b->part)
            return a->part < b->part ? -1 : 1;
        return (left->event > right->event) - (left->event < right->event);
    case WAY_MACHINE:
        return (a->machine > b->machine) - (a->machine < b->machine);
    case WAY_PATH:
        return strcmp(a->path, b->path);
    case WAY_PATTERN:
        return (a->pattern > b->pattern) - (a->pattern < b->pattern);
    case WAY_LAYOUT:
        return (int)a->separate - (int)b->separate;
    case WAY_COUNTERS:
        return (a->counters > b->counters) - (a->counters < b->counters);
    case WAY_OTHERS:
        return strcmp(a->others, b->others);
    }
    return 0;
}

static int differ_up_to(const struct error_way_of *left, const struct error_way_of *right,
                        enum error_way_depth depth)
{
    int difference = 0;
    for (int i = 0; i <= (int)depth && difference == 0; i++)
        difference = differ(left, right, (enum error_way_depth)i);
    return difference;
}

static int in_order(const void *first, const void *second)
{
    const struct error_way_of *left = first, *right = second;
    const struct error_cell *a = left->cell, *b = right->cell;
    int difference = differ_up_to(left, right, WAY_OTHERS);
    if (difference == 0)
        difference = strcmp(a->opt, b->opt);
    if (difference == 0)
        difference = strcmp(a->link, b->link);
    return difference ? difference : (a > b) - (a < b);
}

/* Is the list (with commas) the beginning of the longer one? */
static bool begins(const char *list, const char *longer)
{
    size_t length = strlen(list);
    return length == 0 ||
           (strncmp(list, longer, length) == 0 && (!longer[length] || longer[length] == ','));
}

/* In a stretch of one layout, sorted by number of counters: where the event was never repeated, the
 * row that leads to the largest number. */
static void mark_usual(struct error_way_of *list, size_t count)
{
    const char *row = list[count - 1].cell->others;
    uint32_t most = list[count - 1].cell->counters;
    for (size_t i = count; i-- > 0;) {
        const struct error_cell *cell = list[i].cell;
        if (cell->counters == most)
            row = cell->others; /* the first by name of those with most counters */
        if (cell->counters > 1 && !*cell->others) {
            row = "";
            break;
        }
    }
    for (size_t i = 0; i < count; i++)
        list[i].usual = begins(list[i].cell->others, row);
}

int error_ways_of(const struct error_case *file, struct error_ways *ways)
{
    *ways = (struct error_ways){0};
    size_t wanted = 0;
    for (size_t i = 0; i < file->cell_count; i++)
        wanted += is_wanted(&file->cells[i]);
    AUTO_FREE const struct error_cell **seen = calloc(wanted + 1, sizeof(*seen));
    ways->list = calloc(wanted + 1, sizeof(*ways->list));
    if (!seen || !ways->list) {
        error_ways_release(ways);
        return -ENOMEM;
    }
    uint32_t events = 0, event = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (!is_wanted(cell))
            continue;
        event = number_of(cell, seen, &events, event);
        ways->list[ways->count++] = (struct error_way_of){cell, event, false};
        ways->most_runs = cell->runs > ways->most_runs ? cell->runs : ways->most_runs;
        if (cell->processes > ways->most_processes)
            ways->most_processes = cell->processes;
    }
    qsort(ways->list, ways->count, sizeof(*ways->list), in_order);
    for (size_t begin = 0, next; begin < ways->count; begin = next) {
        next = error_ways_end(ways, begin, WAY_LAYOUT);
        mark_usual(ways->list + begin, next - begin);
    }
    return 0;
}

void error_ways_release(struct error_ways *ways)
{
    free(ways->list);
    *ways = (struct error_ways){0};
}

size_t error_ways_end(const struct error_ways *ways, size_t begin, enum error_way_depth depth)
{
    size_t end = begin;
    while (end < ways->count && differ_up_to(&ways->list[begin], &ways->list[end], depth) == 0)
        end++;
    return end;
}

/* ----------------------------------------------------------------------------------------------
 * Which factors matter: for each event an analysis of variance of its null error, processes as
 * replicates (docs/error.md). Factors with one level, and what cannot be told apart, are left out
 * and said. */

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
