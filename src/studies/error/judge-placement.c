/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The same loop at many places: by event, those that count time first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/anova.h"
#include "stats/moments.h"
#include "stats/random.h"
#include "studies/error/study.h"

/* ----------------------------------------------------------------------------------------------
 * What one iteration of a loop costs in a process: its fastest run, since nothing makes a run
 * faster than the code allows. Processes are the replicates of placement; disturbed ones are
 * tamed. */

struct fastest {
    size_t group; /* place or window */
    uint32_t levels[2];
    double per_iteration;
};

/* So many times the usual distance from the median is still believed, and so many times what nine
 * of ten do not exceed: where most processes agree to the tick, the usual distance is none. */
static const double BELIEVED = 6, BELIEVED_RARE = 2;

/* Orders without meaning that are tried, and how many of them may look as clear as the real one. */
enum { SHUFFLES = 99, AS_CLEAR_MOST = 1 };

/* One value for each process with runs; room for cell->processes. Returns how many. */
static size_t fastest_of(const struct error_cell *cell, size_t group, struct fastest *list)
{
    size_t count = 0;
    double n = cell->n ? (double)cell->n : 1;
    for (size_t process = 0; process < cell->processes; process++) {
        size_t begin = cell->begins[process], end = cell->begins[process + 1];
        if (begin == end)
            continue;
        int64_t least = cell->values[begin];
        for (size_t run = begin + 1; run < end; run++)
            least = cell->values[run] < least ? cell->values[run] : least;
        list[count++] = (struct fastest){.group = group, .per_iteration = (double)least / n};
    }
    return count;
}

/* Few enough to be put in their places one by one, which medians of processes are, thousands of
 * times. */
static const size_t FEW = 40;

/* in any order; sorts them. count > 0 */
static double median_of(double *values, size_t count)
{
    if (count > FEW)
        sort_values(values, count);
    for (size_t i = 1; i < count && count <= FEW; i++) {
        double value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; place--)
            values[place] = values[place - 1];
        values[place] = value;
    }
    return quantile(values, count, 0.5);
}

/* Where the stretch of one group that begins at `begin` ends. */
static size_t fastest_end(const struct fastest *list, size_t count, size_t begin)
{
    size_t end = begin;
    while (end < count && list[end].group == list[begin].group)
        end++;
    return end;
}

static void tame(struct fastest *list, size_t count, double *medians, double *scratch)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = fastest_end(list, count, begin);
        for (size_t i = begin; i < end; i++)
            scratch[i - begin] = list[i].per_iteration;
        double median = median_of(scratch, end - begin);
        for (size_t i = begin; i < end; i++)
            medians[i] = median;
    }
    /* Distance from the median that is still believed, over all groups. */
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(list[i].per_iteration - medians[i]);
    double usual = median_of(scratch, count), rare = quantile(scratch, count, 0.9);
    double reach = fmax(BELIEVED * usual, BELIEVED_RARE * rare);
    for (size_t i = 0; i < count; i++)
        list[i].per_iteration =
            fmin(fmax(list[i].per_iteration, medians[i] - reach), medians[i] + reach);
}

/* Share of the square sum that lies between groups. */
static double share_between(const struct fastest *list, size_t count)
{
    double mean = 0, all = 0, between = 0;
    for (size_t i = 0; i < count; i++)
        mean += list[i].per_iteration / (double)count;
    for (size_t begin = 0, end; begin < count; begin = end) {
        end = fastest_end(list, count, begin);
        double sum = 0;
        for (size_t i = begin; i < end; i++) {
            double away = list[i].per_iteration - mean;
            sum += away;
            all += away * away;
        }
        between += sum * sum / (double)(end - begin);
    }
    return all > 0 ? between / all : 0;
}

/* A process far from the others of its group says nothing of the group, but would outweigh it as a
 * square: values are moved to within a few times the usual distance from the median of their group.
 * Where so many are disturbed that they are the median of some group, that would make a group of
 * noise: nothing is moved unless groups differ more clearly then than shuffled ones do.
 * list: one stretch a group. */
static void fastest_tame(struct fastest *list, size_t count, uint64_t seed)
{
    AUTO_MEMORY double *medians = memory_new(count, sizeof(*medians));
    AUTO_MEMORY double *scratch = memory_new(count, sizeof(*scratch));
    AUTO_MEMORY struct fastest *tamed = memory_new(count, sizeof(*tamed));
    AUTO_MEMORY struct fastest *shuffled = memory_new(count, sizeof(*shuffled));
    if (!count)
        return;
    memcpy(tamed, list, count * sizeof(*list));
    tame(tamed, count, medians, scratch);
    double share = share_between(tamed, count);
    struct random random;
    random_seed(&random, seed);
    int as_clear = 0;
    for (int draw = 0; draw < SHUFFLES && as_clear <= AS_CLEAR_MOST; draw++) {
        memcpy(shuffled, list, count * sizeof(*list));
        for (size_t i = count; i > 1; i--) {
            size_t other = (size_t)random_below(&random, i);
            double value = shuffled[i - 1].per_iteration;
            shuffled[i - 1].per_iteration = shuffled[other].per_iteration;
            shuffled[other].per_iteration = value;
        }
        tame(shuffled, count, medians, scratch);
        as_clear += share_between(shuffled, count) >= share;
    }
    if (as_clear <= AS_CLEAR_MOST)
        memcpy(list, tamed, count * sizeof(*list));
}

/* ----------------------------------------------------------------------------------------------
 * The same bytes at many offsets: what an iteration costs at each, by what factor the dearest
 * place is dearer than the cheapest, and how much of all variance the places explain. */

/* Draws of what noise alone would make of the factor, and values that may be dealt in all. */
enum { DRAWS = 1000, FEWEST_DRAWS = 200, DEALT = 20 * 1000 * 1000 };
/* How many places are looked at together: 1, 2, 4 ... of the dearest. */
#define MOST_RANKS 16

struct places {
    struct fastest *list; /* by place */
    size_t count, places;
    size_t ranks; /* numbers of dearest places that are looked at */
    size_t draws;
};

/* What the 1st, 2nd, 4th ... dearest place costs over the cheapest. values: those of all processes,
 * place by place; costs: room for one of each place. */
static void factors_of(const struct places *places, const double *values, double *costs,
                       double *factors)
{
    size_t filled = 0;
    for (size_t begin = 0, end; begin < places->count; begin = end) {
        end = fastest_end(places->list, places->count, begin);
        double least = values[begin];
        for (size_t i = begin + 1; i < end; i++)
            least = fmin(least, values[i]);
        costs[filled++] = least;
    }
    sort_values(costs, filled);
    for (size_t rank = 0; rank < places->ranks; rank++) {
        double cost = costs[filled - ((size_t)1 << rank)];
        factors[rank] = costs[0] > 0 ? cost / costs[0] : cost > costs[0] ? INFINITY : 1;
    }
}

/* drawn: [rank][DRAWS], sorted: the factors when the processes are dealt to the places anew. */
static void draw_factors(const struct places *places, uint64_t seed, double *values, double *costs,
                         double *drawn)
{
    struct random random;
    double factors[MOST_RANKS];
    random_seed(&random, seed);
    for (size_t draw = 0; draw < places->draws; draw++) {
        for (size_t i = places->count; i > 1; i--) {
            size_t other = (size_t)random_below(&random, i);
            double value = values[i - 1];
            values[i - 1] = values[other];
            values[other] = value;
        }
        factors_of(places, values, costs, factors);
        for (size_t rank = 0; rank < places->ranks; rank++)
            drawn[rank * DRAWS + draw] = factors[rank];
    }
    for (size_t rank = 0; rank < places->ranks; rank++)
        sort_values(drawn + rank * DRAWS, places->draws);
}

/* The dearest of many equal places looks dearer than the cheapest, all the more when all processes
 * at some place were disturbed: what chance makes of the factor is taken off its lower bound.
 * Chance disturbs one place or two, hardly eight; so of the dearest, the second, the fourth ... the
 * one that stands out most is believed, and the factor is its. The dearest may
 * be so all the same: the upper bound is above it by as much as chance moves the one believed. */
static void believe(const struct places *places, const double *factors, const double *drawn,
                    struct error_placement *placement)
{
    double sure = 1 - 0.025 / (double)places->ranks;
    for (size_t rank = 0; rank < places->ranks; rank++) {
        const double *noise = drawn + rank * DRAWS;
        double large = quantile(noise, places->draws, sure);
        double low = isfinite(large) ? fmax(1, factors[rank] / large) : 1;
        if (rank > 0 && low <= placement->factor_low)
            continue;
        placement->factor_low = low;
        placement->factor = factors[rank];
        placement->most = placement->least * factors[rank];
        placement->factor_high =
            isfinite(large) ? factors[0] * large / quantile(noise, places->draws, 0.5) : INFINITY;
    }
}

static void judge_factor(struct places *places, const struct error_place *rows, uint64_t seed,
                         struct error_placement *placement)
{
    AUTO_MEMORY double *values = memory_new(places->count, sizeof(*values));
    AUTO_MEMORY double *costs = memory_new(places->places, sizeof(*costs));
    AUTO_MEMORY double *drawn = memory_new(DRAWS, MOST_RANKS * sizeof(*drawn));
    double factors[MOST_RANKS] = {1};
    placement->least = placement->most = rows[0].per_iteration;
    for (size_t i = 1; i < placement->places; i++) {
        placement->least = fmin(placement->least, rows[i].per_iteration);
        placement->most = fmax(placement->most, rows[i].per_iteration);
    }
    if (!(placement->least > 0)) {
        /* Of nothing at some place: there is no factor, unless it is nothing everywhere. */
        bool alike = !(placement->most > placement->least);
        placement->factor = placement->factor_low = placement->factor_high = alike ? 1 : NAN;
        return;
    }
    for (size_t i = 0; i < places->count; i++)
        values[i] = places->list[i].per_iteration;
    while (places->ranks < MOST_RANKS && ((size_t)2 << places->ranks) <= places->places)
        places->ranks++;
    places->ranks += places->ranks == 0; /* one place */
    factors_of(places, values, costs, factors);
    placement->factor = factors[0];
    placement->factor_low = 1;
    placement->factor_high = INFINITY;
    if (places->count == places->places)
        return; /* nothing repeats */
    places->draws = DEALT / places->count;
    places->draws = places->draws > DRAWS          ? DRAWS
                    : places->draws < FEWEST_DRAWS ? FEWEST_DRAWS
                                                   : places->draws;
    draw_factors(places, seed, values, costs, drawn);
    believe(places, factors, drawn, placement);
}

/* Omega squared: among places without any effect, eta squared would grow with their number. */
static void judge_share(struct places *places, uint64_t seed, struct error_placement *placement)
{
    AUTO_ANOVA struct anova *anova = NULL;
    uint32_t levels = (uint32_t)places->places, term = 1;
    fastest_tame(places->list, places->count, seed);
    anova_open(1, &levels, &anova);
    for (size_t i = 0; i < places->count; i++) {
        uint32_t level = (uint32_t)places->list[i].group;
        anova_add(anova, &level, places->list[i].per_iteration);
    }
    struct anova_table table;
    struct anova_row row = {0};
    int error = anova_solve(anova, &term, 1, &table, &row);
    /* One process a place: nothing tells a place from its process. */
    placement->by_place =
        error == 0 && places->places > 1 && table.residual_df ? row.omega_squared : 0;
}

static size_t processes_of(const cell_pointer *cells, size_t count)
{
    size_t processes = 0;
    for (size_t i = 0; i < count; i++)
        processes += cells[i]->processes;
    return processes;
}

/* Cells of one event with one N, placed ones by rising offset. Appends report->places, whose room
 * must suffice for one a cell, and fills in everything about them. */
static void judge_places(const cell_pointer *cells, size_t count, uint64_t seed,
                         struct error_report *report, struct error_placement *placement)
{
    placement->list = &report->places[report->place_count];
    placement->least = placement->most = placement->factor = NAN;
    placement->factor_low = placement->factor_high = NAN;
    AUTO_MEMORY struct fastest *list = memory_new(processes_of(cells, count), sizeof(*list));
    struct places places = {.list = list};
    for (size_t i = 0, next; i < count; i = next) {
        size_t begin = places.count;
        for (next = i; next < count && cells[next]->offset == cells[i]->offset; next++)
            places.count += fastest_of(cells[next], places.places, list + places.count);
        if (places.count == begin)
            continue;
        places.places++;
        double low = INFINITY, high = -INFINITY;
        for (size_t j = begin; j < places.count; j++) {
            low = fmin(low, list[j].per_iteration);
            high = fmax(high, list[j].per_iteration);
        }
        report->places[report->place_count++] = (struct error_place){
            .event = cells[i]->event,
            .offset = cells[i]->offset,
            .per_iteration = low,
            .low = low,
            .high = high,
            .processes = places.count - begin,
        };
    }
    placement->places = places.places;
    if (!places.places)
        return;
    judge_factor(&places, placement->list, seed, placement);
    judge_share(&places, seed, placement);
}

/* ----------------------------------------------------------------------------------------------
 * The inline loop, whose place every pattern and optimisation level moves: does one of the two
 * explain what an iteration costs, or only their combination, as it is with placement? */

enum { BY_PATTERN, BY_OPT, BY_BOTH, TERMS };
static const uint32_t terms[TERMS] = {1, 2, 3};

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
        uint32_t level = 0; /* the first cell with the same -O level numbers it */
        while (earlier < i && !same_window(cells[earlier], cells[i]))
            earlier++;
        while (strcmp(cells[level]->opt, cells[i]->opt) != 0)
            level++;
        for (size_t j = i; j < count && earlier == i; j++) {
            if (!same_window(cells[j], cells[i]))
                continue;
            size_t added = fastest_of(cells[j], i, list + filled);
            for (size_t k = 0; k < added; k++) {
                list[filled + k].levels[0] = cells[i]->pattern;
                list[filled + k].levels[1] = level;
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
    placement->windows.factor = least > 0 ? most / least : most > least ? NAN : 1;
}

/* The inline loop: one N, any patterns, levels and links. */
static void judge_windows(const cell_pointer *cells, size_t count, uint64_t seed,
                          struct error_placement *placement)
{
    placement->windows.factor = NAN;
    placement->windows.p_pattern = placement->windows.p_opt = placement->windows.p_both = 1;
    AUTO_MEMORY struct fastest *list = memory_new(processes_of(cells, count), sizeof(*list));
    size_t filled = fill(cells, count, list);
    if (fastest_end(list, filled, 0) == filled) /* one window, or none */
        return;
    window_factor(list, filled, placement);
    fastest_tame(list, filled, seed);
    AUTO_ANOVA struct anova *anova = NULL;
    struct anova_table table;
    struct anova_row rows[TERMS] = {0};
    anova_open(2, (const uint32_t[]){PATTERN_COUNT, (uint32_t)count}, &anova);
    for (size_t i = 0; i < filled; i++)
        anova_add(anova, list[i].levels, list[i].per_iteration);
    if (anova_solve(anova, terms, TERMS, &table, rows))
        return;
    for (size_t i = 0; i < TERMS; i++)
        if (!rows[i].df || !table.residual_df)
            rows[i] = (struct anova_row){.p = 1};
    placement->windows.by_pattern = rows[BY_PATTERN].omega_squared;
    placement->windows.by_opt = rows[BY_OPT].omega_squared;
    placement->windows.by_both = rows[BY_BOTH].omega_squared;
    placement->windows.p_pattern = rows[BY_PATTERN].p;
    placement->windows.p_opt = rows[BY_OPT].p;
    placement->windows.p_both = rows[BY_BOTH].p;
    placement->has_windows = true;
}

/* --- the whole --- */

static bool counts_time(const struct error_cell *cell)
{
    static const char *const classes[] = {"cycles", "ref-cycles", "bus-cycles", "ticks"};
    static const char *const clocks[] = {"task-clock", "cpu-clock"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes && cell->class; i++)
        if (strcmp(cell->class, classes[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (strcmp(cell->base, clocks[i]) == 0)
            return true;
    return false;
}

/* Of one row: the same event on the same machine. Time first, else by the names. */
static int compare_events(const struct error_cell *left, const struct error_cell *right)
{
    return FIRST_OF(ORDER(counts_time(right), counts_time(left)),
                    ORDER(left->machine, right->machine), strcmp(left->event, right->event));
}

/* Placed ones before inline ones, and each by path, longest loop first, offset. */
static int compare_cells(const void *left, const void *right)
{
    const struct error_cell *a = *(const cell_pointer *)left, *b = *(const cell_pointer *)right;
    return FIRST_OF(compare_events(a, b), ORDER(a->offset < 0, b->offset < 0),
                    strcmp(a->path, b->path), ORDER(b->n, a->n), ORDER(a->offset, b->offset));
}

/* The stretch that has the most cells measured alike: by one path, which adds its own to every run,
 * and with one N, over which that is spread. */
static size_t widest(const cell_pointer *cells, size_t count, size_t *begin)
{
    size_t most = 0;
    for (size_t at = 0, end; at < count; at = end) {
        for (end = at; end < count && cells[end]->n == cells[at]->n &&
                       strcmp(cells[end]->path, cells[at]->path) == 0;)
            end++;
        if (end - at > most) {
            most = end - at;
            *begin = at;
        }
    }
    return most;
}

void error_judge_placement(const struct error_case *file, uint64_t seed,
                           struct error_report *report)
{
    size_t count = 0;
    AUTO_MEMORY cell_pointer *cells = memory_new(file->cell_count, sizeof(*cells));
    for (size_t i = 0; i < file->cell_count; i++)
        if (file->cells[i].part == PART_PLACEMENT && file->cells[i].runs)
            cells[count++] = &file->cells[i];
    qsort(cells, count, sizeof(*cells), compare_cells);
    report->places = memory_new(count, sizeof(*report->places));
    report->placements = memory_new(count, sizeof(*report->placements));
    for (size_t begin = 0, end; begin < count; begin = end) {
        struct error_placement row = {.event = cells[begin]->event,
                                      .machine = cells[begin]->machine,
                                      .is_time = counts_time(cells[begin])};
        size_t placed = begin, first = 0;
        for (end = begin; end < count && compare_events(cells[end], cells[begin]) == 0; end++)
            placed += cells[end]->offset >= 0; /* which come first */
        size_t wide = widest(cells + begin, placed - begin, &first);
        judge_places(cells + begin + first, wide, seed, report, &row);
        first = 0;
        wide = widest(cells + placed, end - placed, &first);
        judge_windows(cells + placed + first, wide, seed, &row);
        if (row.places || row.has_windows)
            report->placements[report->placement_count++] = row;
    }
}
