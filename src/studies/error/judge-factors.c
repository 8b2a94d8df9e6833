/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which factors matter: for each event an analysis of variance of its null error, processes as
 * replicates (docs/error.md). What cannot be told apart is left out and said. And what further
 * counters add: the error by their number, their choice, and beyond those that the CPU has. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/anova.h"
#include "stats/least-squares.h"
#include "stats/moments.h"
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

static struct comparison open_comparison(const struct error_levels *levels,
                                         enum error_factor factor)
{
    size_t count = levels->count, width = levels->levels[factor] - 1;
    /* The fit wants more rows than columns. Rows of zeros say nothing. */
    size_t rows = count + width + 1;
    struct comparison comparison = {
        .levels = levels,
        .factor = factor,
        .width = width,
        .rows = rows,
        .order = memory_new(count, sizeof(*comparison.order)),
        .group = memory_new(width + 1, sizeof(*comparison.group)),
        .columns = memory_new(rows * width, sizeof(*comparison.columns)),
        .y = memory_new(rows, sizeof(*comparison.y)),
        .weights = memory_new(rows, sizeof(*comparison.weights)),
    };
    for (size_t i = 0; i < count; i++)
        comparison.order[i] = i;
    for (uint32_t i = 0; i <= width; i++)
        comparison.group[i] = i;
    for (size_t i = 0; i < rows; i++)
        comparison.weights[i] = 1;
    qsort_r(comparison.order, count, sizeof(*comparison.order), by_other_factors, &comparison);
    return comparison;
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

double error_range_of(const struct error_levels *levels, enum error_factor factor)
{
    if (levels->levels[factor] < 2 || levels->levels[factor] > MOST_LEVELS)
        return NAN;
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct coefficient *coefficients = memory_new(levels->levels[factor], sizeof(*coefficients));
    struct comparison comparison = open_comparison(levels, factor);
    const size_t *order = comparison.order;
    for (size_t begin = 0, end; begin < levels->count; begin = end) {
        end = begin + 1;
        while (end < levels->count &&
               by_other_factors(&order[begin], &order[end], &comparison) == 0)
            end++;
        lay_stratum(&comparison, begin, end);
    }
    struct design design = {comparison.columns, comparison.rows, comparison.width, comparison.y,
                            comparison.weights};
    struct least_squares fit;
    double range = NAN, largest = 0;
    if (!least_squares(&design, false, &fit, coefficients, NULL))
        range = range_of(&comparison, coefficients);
    memory_scope_end(&scope);
    for (size_t i = 0; i < levels->count; i++)
        largest = fmax(largest, fabs(levels->cells[i].mean));
    return range < 1e-12 * largest ? 0 : range; /* what rounding leaves of means that are equal */
}

/* ----------------------------------------------------------------------------------------------
 * Numbers the levels of each factor over the cells of one event. */

static bool same_level(const struct error_case *file, enum error_factor factor,
                       const struct error_cell *left, const struct error_cell *right)
{
    switch (factor) {
    case FACTOR_MACHINE:
        return left->machine == right->machine ||
               (left->machine < file->machine_count && right->machine < file->machine_count &&
                strcmp(file->machines[left->machine].fingerprint,
                       file->machines[right->machine].fingerprint) == 0);
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

static void number_levels(const struct error_case *file, struct error_levels *levels)
{
    /* [level]: the cell that showed it first */
    AUTO_MEMORY const struct error_cell **first = memory_new(levels->count, sizeof(*first));
    for (unsigned factor = 0; factor < FACTOR_COUNT; factor++) {
        uint32_t known = 0;
        for (size_t i = 0; i < levels->count; i++) {
            struct error_observed *observed = &levels->cells[i];
            uint32_t level = 0;
            while (level < known &&
                   !same_level(file, (enum error_factor)factor, first[level], observed->cell))
                level++;
            if (level == known)
                first[known++] = observed->cell;
            observed->levels[factor] = level;
        }
        levels->levels[factor] = known;
        if (known > 1)
            levels->factors |= 1u << factor;
    }
}

struct error_levels error_levels_of(const struct error_case *file, const struct error_ways *ways,
                                    size_t begin, size_t end)
{
    struct error_levels levels = {.cells = memory_new(end - begin, sizeof(*levels.cells))};
    bool has_groups = false;
    for (size_t i = begin; i < end; i++)
        has_groups = has_groups || !ways->list[i].cell->separate;
    for (size_t i = begin; i < end; i++) {
        const struct error_cell *cell = ways->list[i].cell;
        if (!ways->list[i].usual)
            levels.other_choices++;
        else if (cell->separate && has_groups)
            levels.other_layout++;
        else
            levels.cells[levels.count++] = (struct error_observed){.cell = cell};
    }
    number_levels(file, &levels);
    return levels;
}

/* ----------------------------------------------------------------------------------------------
 * Orders the null cells of a case by their factors. */

static int differ_up_to(const struct error_way_of *left, const struct error_way_of *right,
                        enum error_way_depth depth)
{
    const struct error_cell *a = left->cell, *b = right->cell;
    const int differences[] = {
        [WAY_EVENT] = FIRST_OF(ORDER(a->part, b->part), ORDER(left->event, right->event)),
        [WAY_MACHINE] = ORDER(a->machine, b->machine),
        [WAY_PATH] = strcmp(a->path, b->path),
        [WAY_PATTERN] = ORDER(a->pattern, b->pattern),
        [WAY_LAYOUT] = ORDER(a->separate, b->separate),
        [WAY_COUNTERS] = ORDER(a->counters, b->counters),
        [WAY_OTHERS] = strcmp(a->others, b->others),
    };
    return error_first_of(differences, (size_t)depth + 1);
}

static int in_order(const void *first, const void *second)
{
    const struct error_way_of *left = first, *right = second;
    const struct error_cell *a = left->cell, *b = right->cell;
    return FIRST_OF(differ_up_to(left, right, WAY_OTHERS), strcmp(a->opt, b->opt),
                    strcmp(a->link, b->link), ORDER(a, b));
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

static bool same_event(const struct error_cell *left, const struct error_cell *right)
{
    return left->part == right->part && strcmp(left->event, right->event) == 0;
}

struct error_ways error_ways_of(const struct error_case *file)
{
    /* Events are numbered by first appearance; seen: one cell of each. The search begins at the
     * event of the cell before, as neighbours mostly share it. */
    AUTO_MEMORY const struct error_cell **seen = memory_new(file->cell_count, sizeof(*seen));
    struct error_ways ways = {.list = memory_new(file->cell_count, sizeof(*ways.list))};
    uint32_t events = 0, event = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (!cell->runs || (cell->part != PART_NULL &&
                            (cell->part != PART_STEPPED || strcmp(cell->specimen, "null") != 0)))
            continue;
        if (!events || !same_event(seen[event], cell))
            for (event = 0; event < events && !same_event(seen[event], cell);)
                event++;
        if (event == events)
            seen[events++] = cell;
        ways.list[ways.count++] = (struct error_way_of){cell, event, false};
        if (cell->processes > ways.most_processes)
            ways.most_processes = cell->processes;
    }
    qsort(ways.list, ways.count, sizeof(*ways.list), in_order);
    for (size_t begin = 0, next; begin < ways.count; begin = next) {
        next = error_ways_end(&ways, begin, WAY_LAYOUT);
        mark_usual(ways.list + begin, next - begin);
    }
    return ways;
}

size_t error_ways_end(const struct error_ways *ways, size_t begin, enum error_way_depth depth)
{
    size_t end = begin;
    while (end < ways->count && differ_up_to(&ways->list[begin], &ways->list[end], depth) == 0)
        end++;
    return end;
}

/* --- the whole --- */

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
    size_t left_out;   /* interactions, for the size of the model */
    double within_sum; /* of squares about the mean of each path of each machine */
    struct anova_table table;
};

static void name_factors(uint32_t term, const char *between, char *name, size_t size)
{
    size_t used = 0;
    name[0] = '\0';
    for (unsigned factor = 0; factor < FACTOR_COUNT && used < size; factor++)
        if (term >> factor & 1)
            used += (size_t)snprintf(name + used, size - used, "%s%s", used ? between : "",
                                     error_factor_names[factor]);
}

static void observe(struct analysis *analysis, const struct error_ways *ways)
{
    const struct error_levels *levels = &analysis->levels;
    AUTO_MEMORY double *medians = memory_new(ways->most_processes, sizeof(*medians));
    const uint32_t *known = levels->levels;
    size_t paths = (size_t)known[FACTOR_MACHINE] * known[FACTOR_PATH];
    AUTO_MEMORY struct about_mean *about_paths = memory_new(paths, sizeof(*about_paths));
    if (anova_open(FACTOR_COUNT, levels->levels, &analysis->anova) < 0)
        return;
    for (size_t i = 0; i < levels->count; i++) {
        struct error_observed *observed = &levels->cells[i];
        struct about_mean *about =
            &about_paths[observed->levels[FACTOR_MACHINE] * known[FACTOR_PATH] +
                         observed->levels[FACTOR_PATH]];
        observed->processes = error_process_medians(observed->cell, medians);
        double sum = 0;
        for (size_t j = 0; j < observed->processes; j++) {
            double away = medians[j] - about->mean;
            about->count++;
            about->mean += away / about->count;
            about->sum += away * (medians[j] - about->mean);
            sum += medians[j];
            anova_add(analysis->anova, observed->levels, medians[j]);
        }
        if (observed->processes)
            observed->mean = sum / (double)observed->processes;
    }
    for (size_t i = 0; i < paths; i++)
        analysis->within_sum += about_paths[i].sum;
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

static struct error_effect effect_of(const struct analysis *analysis,
                                     const struct error_anova *anova, const struct anova_row *row)
{
    struct error_effect effect = {.event = anova->event,
                                  .stepped = anova->stepped,
                                  .factors = row->term,
                                  .df = row->df,
                                  .sum_sq = row->sum_sq,
                                  .f = row->f,
                                  .p = row->p,
                                  .effect_size = row->eta_squared,
                                  .share_within = row->eta_squared,
                                  .partial = row->partial_eta_squared};
    name_factors(row->term, " x ", effect.name, sizeof(effect.name));
    if (row->term != BIT(FACTOR_PATH) && row->term != BIT(FACTOR_MACHINE)) {
        /* A sum of squares that others share in (type II) may be larger than what it is measured
         * by. */
        double whole = fmin(fmax(anova->within_sum, row->sum_sq), anova->total_sum);
        effect.share_within = whole > 0 ? fmin(1, row->sum_sq / whole) : 0;
    }
    bool is_main = !(row->term & (row->term - 1));
    if (is_main)
        effect.range =
            error_range_of(&analysis->levels, (enum error_factor)__builtin_ctz(row->term));
    /* What the terms leave of exact numbers is no noise to measure them by; nor is it an effect
     * where cells that differ in this factor alone are all equal. */
    if (anova->no_variance && analysis->table.state != ANOVA_NO_DF) {
        bool differs = row->sum_sq > 0 && !(is_main && effect.range == 0);
        effect.f = differs ? INFINITY : 0;
        effect.p = differs ? 0 : 1;
    }
    effect.significant = effect.p < ERROR_EFFECT_P;
    effect.matters = effect.significant && effect.share_within >= ERROR_EFFECT_THRESHOLD;
    return effect;
}

#define NOTE(code, ...) SAY(&anova->note, SENTENCE, NOTE_##code __VA_OPT__(, ) __VA_ARGS__)

static void note_levels(const struct analysis *analysis, struct error_anova *anova)
{
    char single[96] = "";
    uint32_t missing = ~analysis->levels.factors & (BIT(FACTOR_COUNT) - 1);
    if (missing == BIT(FACTOR_COUNT) - 1) {
        NOTE(NOTHING);
        return;
    }
    name_factors(missing, ", ", single, sizeof(single));
    if (missing)
        NOTE(SINGLE, single);
}

static void note_table(const struct analysis *analysis, struct error_anova *anova)
{
    const struct anova_table *table = &analysis->table;
    if (table->state == ANOVA_NO_DF)
        NOTE(NO_DF);
    else if (!(table->total_sum > 0))
        NOTE(ALL_EQUAL);
    else if (anova->no_variance)
        NOTE(NO_VARIANCE);
    else if (!table->replicated_cells)
        NOTE(NO_REPLICATES);
    else if (table->constant_cells)
        NOTE(CONSTANT, table->constant_cells, table->cells);
    if (analysis->left_out)
        NOTE(INTERACTIONS, analysis->left_out);
    if (analysis->levels.other_choices)
        NOTE(CHOICES, analysis->levels.other_choices);
    if (analysis->levels.other_layout)
        NOTE(LAYOUT, analysis->levels.other_layout);
}

static void report_rows(const struct analysis *analysis, struct error_anova *anova,
                        struct error_report *report)
{
    const struct anova_table *table = &analysis->table;
    anova->cells = table->cells;
    anova->constant_cells = table->constant_cells;
    anova->empty_cells = table->empty_cells;
    /* Do the replicates of cells never differ? Where no cell has two, there is no telling. */
    anova->no_variance =
        table->state == ANOVA_NO_VARIANCE ||
        (table->replicated_cells > 0 && table->constant_cells == table->replicated_cells);
    anova->r_squared = table->r_squared;
    anova->residual_sum = table->residual_sum;
    anova->total_sum = table->total_sum;
    anova->within_sum = analysis->within_sum;
    anova->residual_df = table->residual_df;
    note_table(analysis, anova);
    for (size_t i = 0; i < analysis->count; i++) {
        const struct anova_row *row = &analysis->rows[i];
        char name[64];
        name_factors(row->term, " x ", name, sizeof(name));
        if (!row->df) {
            NOTE(ALIASED, name);
            continue;
        }
        if (row->lost_df)
            NOTE(LOST_DF, name, row->lost_df, row->lost_df + row->df);
        report->effects[report->effect_count++] = effect_of(analysis, anova, row);
        anova->effect_count++;
    }
}

static void analyse(const struct error_case *file, const struct error_ways *ways, size_t begin,
                    size_t end, struct error_report *report)
{
    struct analysis analysis = {.levels = error_levels_of(file, ways, begin, end)};
    const uint32_t factors = analysis.levels.factors;
    if (!analysis.levels.count)
        return;
    struct error_anova *anova = &report->anovas[report->anova_count++];
    anova->event = ways->list[begin].cell->event;
    anova->stepped = ways->list[begin].cell->part == PART_STEPPED;
    anova->effects = &report->effects[report->effect_count];
    observe(&analysis, ways);
    for (size_t i = 0; i < analysis.levels.count; i++)
        anova->count += analysis.levels.cells[i].processes;
    anova->cells = analysis.levels.count;
    note_levels(&analysis, anova);
    for (unsigned factor = 0; factor < FACTOR_COUNT; factor++)
        if (factors >> factor & 1)
            analysis.terms[analysis.count++] = BIT(factor);
    for (size_t i = 0; i < INTERACTIONS; i++)
        if ((factors & interactions[i]) == interactions[i])
            analysis.terms[analysis.count++] = interactions[i];
    int error = !analysis.anova ? -E2BIG : analysis.count ? solve(&analysis) : -EINVAL;
    if (error == -E2BIG)
        NOTE(TOO_LARGE, ANOVA_MOST_COLUMNS);
    else if (error == 0)
        report_rows(&analysis, anova, report);
    anova_close(analysis.anova);
}

void error_judge_factors(const struct error_case *file, struct error_report *report)
{
    const struct error_ways ways = error_ways_of(file);
    size_t events = 0;
    for (size_t begin = 0; begin < ways.count; begin = error_ways_end(&ways, begin, WAY_EVENT))
        events++;
    report->anovas = memory_new(events, sizeof(*report->anovas));
    report->effects = memory_new(events, MOST_TERMS * sizeof(*report->effects));
    for (size_t begin = 0, next; begin < ways.count; begin = next) {
        next = error_ways_end(&ways, begin, WAY_EVENT);
        analyse(file, &ways, begin, next, report);
    }
}

/* ----------------------------------------------------------------------------------------------
 * The same number of counters, other events in the further ones, against the event itself repeated
 * in exactly the same ways. Paths that take no event twice have choices and nothing plain. */

/* Of one number of counters; a single choice is none. Room in report->choices is the caller's. */
static void judge_number(const struct error_ways *ways, size_t begin, size_t end,
                         struct error_pool *pool, struct error_report *report)
{
    size_t plain = begin, plain_end = begin;
    int64_t min;
    if (error_ways_end(ways, begin, WAY_OTHERS) == end)
        return;
    for (size_t next; begin < end; begin = next) {
        const struct error_cell *cell = ways->list[begin].cell;
        next = error_ways_end(ways, begin, WAY_OTHERS);
        if (!*cell->others) { /* an empty name comes before all others */
            plain_end = next;
            continue;
        }
        struct error_choice *choice = &report->choices[report->choice_count++];
        *choice = (struct error_choice){.machine = cell->machine,
                                        .event = cell->event,
                                        .path = cell->path,
                                        .others = cell->others,
                                        .pattern = cell->pattern,
                                        .counters = cell->counters};
        for (size_t i = begin; i < next; i++)
            error_pool_add(pool, ways->list[i].cell);
        choice->median = error_pool_median(pool, &min);
        /* The plain cells that one of the chosen ones was measured the same way as. */
        for (size_t i = plain; i < plain_end; i++) {
            bool counterpart = false;
            for (size_t j = begin; j < next && !counterpart; j++)
                counterpart = error_same_way(ways->list[i].cell, ways->list[j].cell);
            if (counterpart)
                error_pool_add(pool, ways->list[i].cell);
        }
        choice->plain = error_pool_median(pool, &min);
    }
}

/* ----------------------------------------------------------------------------------------------
 * More events than counters: each runs part of the time, and its count is extrapolated. What that
 * is off by, against the truth, for code that does the same all the time and for code with phases.
 */

/* The operating system moves the events on by one so often, unless told otherwise: after as many
 * of these as there are events the turn begins anew. */
static const double ROTATION_NS = 4e6;

/* Steps of one phase: "phases/period=1000/". 1 where none is given, and of other specimens 0. */
static double period_of(const char *specimen)
{
    if (strncmp(specimen, "phases", 6) != 0 || (specimen[6] && specimen[6] != '/'))
        return 0;
    const char *period = strstr(specimen, "period=");
    double steps = period ? strtod(period + strlen("period="), NULL) : 1;
    return steps >= 1 ? steps : 1;
}

/* In percent of the truth, rising. */
static double *percents_of(const struct error_cell *cell)
{
    double *percents = memory_new(cell->runs, sizeof(*percents));
    for (size_t i = 0; i < cell->runs; i++)
        percents[i] = 100 * (double)error_of(cell, i) / (double)cell->truth;
    sort_values(percents, cell->runs);
    return percents;
}

static bool is_measured(const struct error_cell *cell)
{
    return cell->runs > 0 && cell->has_truth && cell->truth > 0;
}

/* The same code counted alone, all of the time. */
static double single_percent(const struct error_case *file, const struct error_cell *cell)
{
    const struct error_cell *found = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *other = &file->cells[i];
        bool is_alone = other->counters == 1 && !other->multiplexed && is_measured(other) &&
                        (other->part == PART_MULTIPLEX || other->part == PART_DURATION);
        if (is_alone && other->machine == cell->machine && strcmp(other->event, cell->event) == 0 &&
            strcmp(other->path, cell->path) == 0 && strcmp(other->specimen, cell->specimen) == 0 &&
            other->n == cell->n && (!found || other->pattern == cell->pattern))
            found = other;
    }
    if (!found)
        return NAN;
    AUTO_MEMORY double *percents = percents_of(found);
    return quantile(percents, found->runs, 0.5);
}

/* The middle of a figure of all runs; NaN where it was not kept. */
static double median_time(const struct error_cell *cell, bool share)
{
    if (!cell->enabled || !cell->running)
        return NAN;
    AUTO_MEMORY double *figures = memory_new(cell->runs, sizeof(*figures));
    for (size_t i = 0; i < cell->runs; i++)
        figures[i] = !share                 ? cell->enabled[i]
                     : cell->enabled[i] > 0 ? cell->running[i] / cell->enabled[i]
                                            : 1;
    sort_values(figures, cell->runs);
    return quantile(figures, cell->runs, 0.5);
}

void error_judge_multiplex(const struct error_case *file, struct error_report *report)
{
    report->multiplex = memory_new(file->cell_count, sizeof(*report->multiplex));
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->part != PART_MULTIPLEX || cell->counters < 2 || !is_measured(cell))
            continue;
        double period = period_of(cell->specimen), enabled = median_time(cell, false);
        AUTO_MEMORY double *percents = percents_of(cell);
        struct error_multiplex *row = &report->multiplex[report->multiplex_count++];
        *row = (struct error_multiplex){
            .machine = cell->machine,
            .event = cell->event,
            .path = cell->path,
            .specimen = cell->specimen,
            .phased = period > 1,
            .counters = cell->counters,
            .share = median_time(cell, true),
            .median = quantile(percents, cell->runs, 0.5),
            .low = percents[0],
            .high = percents[cell->runs - 1],
            .per_rotation = NAN,
            .runs = cell->runs,
            .single = single_percent(file, cell),
        };
        /* N steps of work and N calls, in blocks of a period. */
        if (row->phased && enabled > 0)
            row->per_rotation =
                2 * (double)cell->n / period / (enabled / (ROTATION_NS * (double)cell->counters));
    }
}

/* --- the whole --- */

/* A stretch of ways that share event, machine, path, pattern and layout, and the -O level and link
 * at which its numbers of counters are compared. */
struct sweep {
    const struct error_ways *ways;
    size_t begin, end;
    const char *opt, *link;
};

static bool takes(const struct sweep *sweep, size_t i)
{
    const struct error_cell *cell = sweep->ways->list[i].cell;
    return sweep->ways->list[i].usual && cell->counters >= 1 &&
           cell->counters <= CELL_MAX_COUNTERS && strcmp(cell->opt, sweep->opt) == 0 &&
           strcmp(cell->link, sweep->link) == 0;
}

/* Different numbers of counters; ways are sorted by it. */
static size_t points_of(const struct sweep *sweep)
{
    size_t points = 0;
    uint32_t last = 0;
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        uint32_t counters = sweep->ways->list[i].cell->counters;
        if (takes(sweep, i) && counters != last) {
            points++;
            last = counters;
        }
    }
    return points;
}

/* Where most numbers of counters were measured; of several at -O2, then the first by name. */
static size_t choose(struct sweep *sweep)
{
    struct sweep best = *sweep;
    size_t most = 0;
    bool usual = false;
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        sweep->opt = sweep->ways->list[i].cell->opt;
        sweep->link = sweep->ways->list[i].cell->link;
        if (most && strcmp(sweep->opt, best.opt) == 0 && strcmp(sweep->link, best.link) == 0)
            continue;
        size_t points = points_of(sweep);
        bool is_usual = strcmp(sweep->opt, "O2") == 0;
        if (points > most || (points && points == most && is_usual && !usual)) {
            best = *sweep;
            most = points;
            usual = is_usual;
        }
    }
    *sweep = best;
    return most;
}

/* Through process medians as rows: a constant, the number of counters. */
static void fit_slope(const struct sweep *sweep, struct error_by_counters *by)
{
    enum { WIDTH = 2 };
    size_t processes = 0, rows = 0;
    for (size_t i = sweep->begin; i < sweep->end; i++)
        processes += takes(sweep, i) ? sweep->ways->list[i].cell->processes : 0;
    AUTO_MEMORY double *columns = memory_new(processes, WIDTH * sizeof(*columns));
    AUTO_MEMORY double *y = memory_new(processes, sizeof(*y));
    for (size_t i = sweep->begin; i < sweep->end; i++) {
        const struct error_cell *cell = sweep->ways->list[i].cell;
        const size_t end = takes(sweep, i) ? rows + error_process_medians(cell, y + rows) : rows;
        for (; rows < end; rows++) {
            columns[rows * WIDTH] = 1;
            columns[rows * WIDTH + 1] = cell->counters;
        }
    }
    struct coefficient coefficients[WIDTH];
    struct design design = {columns, rows, WIDTH, y, NULL};
    struct least_squares fit;
    by->slope = NAN;
    by->low = -INFINITY;
    by->high = INFINITY;
    const struct coefficient *slope = &coefficients[WIDTH - 1];
    if (least_squares(&design, true, &fit, coefficients, NULL) || slope->aliased)
        return;
    by->slope = slope->value;
    by->low = slope->low;
    by->high = slope->high;
}

static void judge_sweep(struct sweep *sweep, struct error_pool *pool, struct error_report *report)
{
    if (choose(sweep) < 2)
        return;
    struct error_by_counters *by = &report->by_counters[report->by_counters_count++];
    const struct error_cell *cell = sweep->ways->list[sweep->begin].cell;
    *by = (struct error_by_counters){.machine = cell->machine,
                                     .event = cell->event,
                                     .path = cell->path,
                                     .mode = cell->mode,
                                     .pattern = cell->pattern,
                                     .stepped = cell->part == PART_STEPPED,
                                     .separate = cell->separate};
    if (by->stepped)
        by->mode = COUNT_USER;
    for (size_t i = sweep->begin; i < sweep->end;) {
        size_t next = error_ways_end(sweep->ways, i, WAY_COUNTERS);
        uint32_t counters = sweep->ways->list[i].cell->counters;
        for (; i < next; i++)
            if (takes(sweep, i))
                error_pool_add(pool, sweep->ways->list[i].cell);
        if (!pool->count)
            continue;
        struct error_point *point = memory_add(by->list, by->points);
        point->counters = counters;
        point->median = error_pool_median(pool, &point->min);
    }
    fit_slope(sweep, by);
}

void error_judge_counters(const struct error_case *file, struct error_report *report)
{
    const struct error_ways ways = error_ways_of(file);
    AUTO_ERROR_POOL struct error_pool pool = {0};
    report->by_counters = memory_new(ways.count, sizeof(*report->by_counters));
    report->choices = memory_new(ways.count, sizeof(*report->choices));
    for (size_t begin = 0, next; begin < ways.count; begin = next) {
        next = error_ways_end(&ways, begin, WAY_LAYOUT);
        struct sweep sweep = {.ways = &ways, .begin = begin, .end = next};
        judge_sweep(&sweep, &pool, report);
        for (size_t number = begin, end; number < next; number = end) {
            end = error_ways_end(&ways, number, WAY_COUNTERS);
            judge_number(&ways, number, end, &pool, report);
        }
    }
}
