/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the pictures of `assay measure` are made of. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "output/figure.h"
#include "output/json.h"
#include "studies/measure/study.h"

/* What each cell counted, and how far from the truth that is. */

#define ROWS_MOST 1000u

static const struct {
    const char *key, *title;
} factors[ROW_FACTORS] = {[ROW_EVENT] = {"event", "event"},
                          [ROW_PATH] = {"path", "path"},
                          [ROW_PATTERN] = {"pattern", "pattern"},
                          [ROW_SPECIMEN] = {"specimen", "specimen"},
                          [ROW_N] = {"n_words", "N"},
                          [ROW_COUNTERS] = {"counters", "counters"},
                          [ROW_OPT] = {"opt", "optimisation level"},
                          [ROW_LINK] = {"link", "linking"}};

/* The event has pictures of its own, because counts of two events have nothing in common; what
 * varies besides gets `role`. Returns how many columns there are. */
static size_t put_factors(const struct measuring *run, enum figure_role role, int but,
                          struct figure_column *columns)
{
    size_t count = 0, named = 0;
    for (int i = 0; i < ROW_FACTORS; i++) {
        bool told = i != ROW_EVENT && i != but && rows_vary(run, i);
        named += told;
        columns[count++] = (struct figure_column){factors[i].key, factors[i].title,
                                                  i == ROW_EVENT ? ROLE_FACET
                                                  : told         ? role
                                                                 : ROLE_NONE,
                                                  rows_vary(run, i) && i != ROW_N};
    }
    if (!named) /* one cell still needs a name */
        columns[ROW_SPECIMEN].role = role;
    return count;
}

static void add_row(json_t *figure, const struct row *row, json_t *const *more, size_t count)
{
    json_t *values[ROW_FACTORS + 10];
    for (int i = 0; i < ROW_FACTORS; i++)
        values[i] = json_text(row->factors[i]);
    memcpy(values + ROW_FACTORS, more, count * sizeof(*more));
    figure_add_row(figure, values, ROW_FACTORS + count);
}

static json_t *maybe_number(struct maybe number)
{
    return number.known ? json_difference(number.value) : NULL;
}

/* --- what was counted --- */

static json_t *counts(const struct measuring *run)
{
    struct figure_column columns[ROW_FACTORS + 11] = {0};
    static const struct figure_column own[] = {
        {"min", "lowest", ROLE_MIN, false},          {"q1", "quartile", ROLE_Q1, false},
        {"median", "median", ROLE_MEDIAN, false},    {"q3", "quartile", ROLE_Q3, false},
        {"max", "highest", ROLE_MAX, false},         {"truth", "truth", ROLE_NONE, false},
        {"overhead", "overhead", ROLE_NONE, false},  {"runs", "runs", ROLE_NONE, false},
        {"density", "density", ROLE_DENSITY, false}, {"samples", "samples", ROLE_SAMPLES, false}};
    memcpy(columns + put_factors(run, ROLE_GROUP, -1, columns), own, sizeof(own));
    size_t constant = 0, counted = 0;
    for (size_t i = 0; i < run->row_count; i++) {
        counted += run->rows[i].distribution.count != 0;
        constant += run->rows[i].distribution.count && run->rows[i].summary.constant;
    }
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "What was read in each cell, before anything is subtracted. In %zu of %zu cells "
                "every run read the same.",
                constant, counted);
    const struct figure_spec spec = {.id = "counts",
                                     .title = "What was counted",
                                     .caption = text_string(&caption),
                                     .kind = FIGURE_BOXES,
                                     .x = {.label = "count", .scale = SCALE_SYMLOG},
                                     .columns = columns};
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < run->row_count && i < ROWS_MOST; i++) {
        const struct row *row = &run->rows[i];
        const struct distribution *values = &row->distribution;
        if (!values->count)
            continue;
        json_t *const more[] = {figure_number(values->min),
                                figure_number(values->q1),
                                figure_number(values->median),
                                figure_number(values->q3),
                                figure_number(values->max),
                                maybe_number(row->summary.expected.truth),
                                maybe_number(row->summary.expected.overhead),
                                json_count(row->summary.runs),
                                json_incref(values->density),
                                json_incref(values->samples)};
        add_row(figure, row, more, sizeof(more) / sizeof(*more));
    }
    return figure;
}

/* --- how far that is from the truth --- */

static int compare_n(const void *left, const void *right)
{
    const struct row *a = *(const struct row *const *)left, *b = *(const struct row *const *)right;
    const uint64_t n = a->cell->cell.n, other = b->cell->cell.n;
    return (n > other) - (n < other);
}

static json_t *errors(const struct measuring *run, const struct row *const *list, size_t count)
{
    struct figure_column columns[ROW_FACTORS + 8] = {0};
    static const struct figure_column own[] = {
        {"n", "N, as a number", ROLE_X, false}, {"error", "error, median", ROLE_Y, false},
        {"low", "lowest", ROLE_LOW, false},     {"high", "highest", ROLE_HIGH, false},
        {"truth", "truth", ROLE_NONE, false},   {"overhead", "overhead", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false}};
    memcpy(columns + put_factors(run, ROLE_SERIES, ROW_N, columns), own, sizeof(own));
    size_t exact = 0;
    for (size_t i = 0; i < count; i++)
        exact += list[i]->summary.exact_runs == list[i]->summary.judged;
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption,
                "Count less overhead less truth, by how much work was counted; the band holds all "
                "runs. %zu of %zu cells are exact in every run.",
                exact, count);
    const struct figure_spec spec = {.id = "error-by-n",
                                     .title = "How far counts are from the truth, by N",
                                     .caption = text_string(&caption),
                                     .kind = FIGURE_LINES,
                                     .x = {.label = "N", .scale = SCALE_SYMLOG},
                                     .y = {.label = "error", .scale = SCALE_SYMLOG},
                                     .columns = columns};
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < count && i < ROWS_MOST; i++) {
        const struct summary *summary = &list[i]->summary;
        json_t *const more[] = {json_count(list[i]->cell->cell.n),
                                maybe_number(summary->error),
                                maybe_number(summary->error_min),
                                maybe_number(summary->error_max),
                                maybe_number(summary->expected.truth),
                                maybe_number(summary->expected.overhead),
                                json_count(summary->runs)};
        add_row(figure, list[i], more, sizeof(more) / sizeof(*more));
    }
    return figure;
}

json_t *measure_figures(const void *kept)
{
    const struct measuring *run = kept;
    json_t *figures = json_array();
    const struct row **list = memory_new(run->row_count + 1, sizeof(*list));
    size_t count = 0;
    if (!run->row_count)
        return figures;
    for (size_t i = 0; i < run->row_count; i++) /* of which the error is known, by rising N */
        if (run->rows[i].summary.error.known)
            list[count++] = &run->rows[i];
    qsort(list, count, sizeof(*list), compare_n);
    figures_append(figures, counts(run));
    figures_append(figures, errors(run, list, count));
    return figures;
}
