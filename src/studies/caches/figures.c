/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay caches`: how long a step takes by the ring that it follows, and what was
 * claimed beside what was found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/figure.h"
#include "studies/caches/parts.h"

#define ROWS_MOST 1000u
#define PAPER     "Aguilera et al. 2005, the configuration microbenchmark of section 2"

/* --- rings in the order in which a line joins them --- */

static int compare_numbers(uint64_t left, uint64_t right)
{
    return (left > right) - (left < right);
}

static int compare_rings(const void *left, const void *right)
{
    const struct caches_point *a = *(const struct caches_point *const *)left;
    const struct caches_point *b = *(const struct caches_point *const *)right;
    const int orders[] = {compare_numbers(a->shape, b->shape),
                          compare_numbers(a->huge, b->huge),
                          a->shape == CHASE_PAIRS ? compare_numbers(a->bytes, b->bytes) : 0,
                          a->shape == CHASE_SETS ? compare_numbers(a->stride, b->stride) : 0,
                          compare_numbers(a->bytes, b->bytes),
                          compare_numbers(a->pair, b->pair)};
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (orders[i])
            return orders[i];
    return 0;
}

static json_t *size_text(uint64_t bytes)
{
    char text[NUMBER_SIZE];
    number_bytes(bytes, text, sizeof(text));
    return json_text(text);
}

/* Those that were measured. */
struct rings {
    const struct caches_point **list;
    size_t count;
};

/* A row for each ring of either shape: what tells it from others, then its fastest process, which
 * counts, and its slowest. */
static json_t *ring_figure(const struct figure_spec *spec, const struct rings *rings,
                           enum chase_shape one, enum chase_shape other)
{
    static const char *const names[2][2] = {{"every line", "every line, huge pages"},
                                            {"one line a page", "one line a page, huge pages"}};
    json_t *figure = figure_new(spec);
    for (size_t i = 0, rows = 0; i < rings->count && rows < ROWS_MOST; i++) {
        const struct caches_point *ring = rings->list[i];
        const bool pairs = ring->shape == CHASE_PAIRS, sets = ring->shape == CHASE_SETS;
        double least = INFINITY, most = 0;
        if (ring->shape != one && ring->shape != other)
            continue;
        for (size_t j = 0; j < ring->count; j++) {
            least = fmin(least, ring->ticks[j]);
            most = fmax(most, ring->ticks[j]);
        }
        json_t *ticks = figure_number(least), *slowest = figure_number(most);
        json_t *processes = json_count(ring->count);
        rows++;
        if (pairs)
            FIGURE_ROW(figure, size_text(ring->bytes), json_count(ring->pair), ticks, slowest,
                       processes);
        else if (sets)
            FIGURE_ROW(figure, size_text(ring->stride), json_count(ring->bytes / ring->stride),
                       ticks, slowest, processes, json_boolean(ring->huge));
        else
            FIGURE_ROW(figure, json_text(names[ring->shape == CHASE_PAGES][ring->huge]),
                       json_count(ring->bytes), size_text(ring->bytes), ticks, slowest, processes);
    }
    return figure;
}

/* --- the memory curve --- */

bool caches_is_bracketed(const struct caches_row *row)
{
    return !row->bytes.known && row->low && row->high > row->low;
}

/* "L1 data holds 48 KiB, as claimed", "L1 data holds between 44 KiB and 52 KiB, and the 48 KiB
 * that are claimed lie between them", or its name among those of which nothing is known. */
static void put_level(const struct caches_row *row, struct text *found, struct text *untold)
{
    const uint64_t claim = row->claim ? row->claim->bytes : 0;
    char measured[NUMBER_SIZE], claimed[NUMBER_SIZE], high[NUMBER_SIZE];
    number_bytes(row->bytes.known ? row->bytes.value : row->low, measured, sizeof(measured));
    number_bytes(row->high, high, sizeof(high));
    number_bytes(claim, claimed, sizeof(claimed));
    if (!row->bytes.known && !caches_is_bracketed(row)) {
        text_printf(untold, "%s%s (%s)", untold->length ? ", " : "", row->name, claimed);
        return;
    }
    text_printf(found, "%s%s holds ", found->length ? "; " : "", row->name);
    if (row->bytes.known)
        text_printf(found, "%s, ", measured);
    else
        text_printf(found, "between %s and %s, ", measured, high);
    if (!claim)
        text_puts(found, "of which nothing is claimed");
    else if (row->bytes.known ? claim != row->bytes.value : claim < row->low || claim > row->high)
        text_printf(found, "not the %s that are claimed", claimed);
    else if (row->bytes.known)
        text_puts(found, "as claimed");
    else
        text_printf(found, "and the %s that are claimed lie there", claimed);
}

static void put_levels(const struct caches_report *report, struct text *out)
{
    AUTO_TEXT struct text found = {0}, untold = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct caches_row *row = &report->rows[i];
        if (!row->tlb &&
            (row->bytes.known || caches_is_bracketed(row) || (row->claim && row->claim->bytes)))
            put_level(row, &found, &untold);
    }
    if (found.length)
        text_printf(out, "%s. ", text_string(&found));
    if (untold.length)
        text_printf(out, "Whether these hold what they claim could not be told: %s.",
                    text_string(&untold));
}

/* A level as a flat line at the time of its steps, as far as it is claimed to reach. */
static void add_claims(json_t *figure, const struct caches_report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct caches_row *row = &report->rows[i];
        char bytes[NUMBER_SIZE], line[112];
        if (!row->claim || !row->claim->bytes || !(row->ticks > 0))
            continue;
        number_bytes(row->claim->bytes, bytes, sizeof(bytes));
        snprintf(line, sizeof(line), "%s, claimed: to %s", row->name, bytes);
        figure_add_line(figure, line, NULL, row->ticks, 0,
                        row->level > 1 && i && report->rows[i - 1].claim
                            ? (double)report->rows[i - 1].claim->bytes
                            : 4096,
                        (double)row->claim->bytes);
    }
}

static json_t *memory_curve(const struct caches_run *run, const struct rings *rings)
{
    static const struct figure_column columns[] = {
        {"ring", "ring", ROLE_SERIES, false},
        {"bytes", "bytes", ROLE_X, false},
        {"size", "size", ROLE_NONE, false},
        {"ticks", "ticks a step, fastest process", ROLE_Y, false},
        {"slowest", "slowest process", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {NULL, NULL, ROLE_NONE, false}};
    AUTO_TEXT struct text caption = {0};
    text_puts(&caption,
              "How long a step along a ring of pointers takes, by how much memory the ring covers. "
              "Flat stretches are caches that hold the ring, rises are where they end; where one "
              "line a page is slower than as many lines packed, it is the TLB. ");
    put_levels(&run->report, &caption);
    const struct figure_spec spec = {.id = "memory-curve",
                                     .title = "How long a load takes, by the memory in use",
                                     .caption = text_string(&caption),
                                     .paper = PAPER,
                                     .kind = FIGURE_LINES,
                                     .x = {.label = "bytes of the ring", .scale = SCALE_LOG},
                                     .y = {.label = "ticks a step", .scale = SCALE_LOG},
                                     .columns = columns};
    json_t *figure = ring_figure(&spec, rings, CHASE_DENSE, CHASE_PAGES);
    add_claims(figure, &run->report);
    if (!run->studying.complete)
        figure_add_note(figure, "The run ended before its plan did: rings that would tell more are "
                                "missing.");
    return figure;
}

/* --- lines and ways --- */

static void put_found(const struct caches_report *report, bool ways, const char *unit,
                      struct text *out)
{
    size_t told = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct caches_row *row = &report->rows[i];
        const struct caches_value *value = ways ? &row->ways : &row->line;
        if (row->tlb || !value->known)
            continue;
        text_printf(out, "%s%s: %llu %s", told++ ? ", " : " Found here: ", row->name,
                    (unsigned long long)value->value, unit);
    }
    text_puts(out, told ? "." : " Nothing of that kind could be told here.");
}

static json_t *pairs_curve(const struct caches_run *run, const struct rings *rings)
{
    static const struct figure_column columns[] = {
        {"ring", "ring", ROLE_SERIES, true},
        {"distance", "distance, bytes", ROLE_X, false},
        {"ticks", "ticks a pair, fastest process", ROLE_Y, false},
        {"slowest", "slowest process", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {NULL, NULL, ROLE_NONE, false}};
    AUTO_TEXT struct text caption = {0};
    text_puts(&caption,
              "Two loads a little apart, in rings of several sizes: as long as both are in "
              "one line the second is nearly free, so the distance from which on it costs "
              "as much as the first is the line.");
    put_found(&run->report, false, "bytes a line", &caption);
    const struct figure_spec spec = {.id = "lines",
                                     .title = "Two loads, by the distance between them",
                                     .caption = text_string(&caption),
                                     .paper = PAPER,
                                     .kind = FIGURE_LINES,
                                     .x = {.label = "bytes between them", .scale = SCALE_LOG},
                                     .y = {.label = "ticks a pair", .zero = true},
                                     .columns = columns};
    return ring_figure(&spec, rings, CHASE_PAIRS, CHASE_PAIRS);
}

static json_t *sets_curve(const struct caches_run *run, const struct rings *rings)
{
    static const struct figure_column columns[] = {
        {"stride", "apart", ROLE_SERIES, true},
        {"lines", "lines", ROLE_X, false},
        {"ticks", "ticks a step, fastest process", ROLE_Y, false},
        {"slowest", "slowest process", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {"huge", "huge pages", ROLE_NONE, false},
        {NULL, NULL, ROLE_NONE, false}};
    AUTO_TEXT struct text caption = {0};
    text_puts(&caption,
              "Few lines that lie a power of two apart, and therefore in the same sets of "
              "a cache: more of them than it has ways push each other out.");
    put_found(&run->report, true, "ways", &caption);
    const struct figure_spec spec = {.id = "ways",
                                     .title = "Lines that share a set, by how many there are",
                                     .caption = text_string(&caption),
                                     .paper = PAPER,
                                     .kind = FIGURE_LINES,
                                     .x = {.label = "lines"},
                                     .y = {.label = "ticks a step", .scale = SCALE_LOG},
                                     .columns = columns};
    return ring_figure(&spec, rings, CHASE_SETS, CHASE_SETS);
}

/* --- claimed and found --- */

static json_t *claimed_and_found(const struct caches_report *report)
{
    static const struct figure_column columns[] = {
        {"level", "level", ROLE_GROUP, false},
        {"claimed", "claimed, bytes", ROLE_BEFORE, false},
        {"measured", "measured, bytes", ROLE_AFTER, false},
        {"confidence", "confidence", ROLE_NONE, false},
        {"low", "at least", ROLE_LOW, false},
        {"high", "at most", ROLE_HIGH, false},
        {"why", "why not exactly", ROLE_NONE, false},
        {NULL, NULL, ROLE_NONE, false}};
    size_t known = 0;
    for (size_t i = 0; i < report->row_count; i++)
        known += report->rows[i].bytes.known || caches_is_bracketed(&report->rows[i]);
    static const struct figure_spec spec = {
        .id = "claimed-and-measured",
        .title = "What each level holds: claimed, and found",
        .caption =
            "What the machine claims of its caches, and what its loads show: a full dot is a size "
            "that was found, a band the two sizes between which it lies. A level that only one "
            "of the two says something of has one mark; a virtual machine may claim caches of "
            "another CPU, and neighbours take their share.",
        .kind = FIGURE_DUMBBELLS,
        .x = {.label = "bytes", .scale = SCALE_LOG},
        .columns = columns};
    json_t *figure = figure_new(&spec);
    /* Claims alone are no comparison. */
    for (size_t i = 0; known && i < report->row_count; i++) {
        const struct caches_row *row = &report->rows[i];
        const uint64_t claim = row->claim ? row->claim->bytes : 0;
        const bool bracketed = caches_is_bracketed(row);
        if (!claim && !row->bytes.known && !bracketed)
            continue;
        FIGURE_ROW(figure, json_text(row->name), claim ? json_count(claim) : NULL,
                   row->bytes.known ? json_count(row->bytes.value) : NULL,
                   row->bytes.known ? figure_number(row->bytes.confidence) : NULL,
                   bracketed ? json_count(row->low) : NULL,
                   bracketed ? json_count(row->high) : NULL,
                   row->bytes.known ? NULL : json_text(reasons_text(&row->bytes.why)));
    }
    return figure;
}

json_t *caches_figures(const void *kept)
{
    const struct caches_run *run = kept;
    const struct caches_points *points = &run->points;
    struct rings rings = {.list = memory_new(points->count + 1, sizeof(*rings.list))};
    json_t *figures = json_array();
    for (size_t i = 0; i < points->count; i++)
        if (points->list[i].count)
            rings.list[rings.count++] = &points->list[i];
    qsort(rings.list, rings.count, sizeof(*rings.list), compare_rings);
    if (!rings.count)
        return figures;
    figures_append(figures, memory_curve(run, &rings));
    figures_append(figures, claimed_and_found(&run->report));
    figures_append(figures, pairs_curve(run, &rings));
    figures_append(figures, sets_curve(run, &rings));
    return figures;
}
