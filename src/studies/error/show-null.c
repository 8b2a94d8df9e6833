/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The null error as box plots, a box for each path and pattern, and what the first run of a process
 * adds to it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/error-show.h"
#include "show/boxes.h"
#include "show/number.h"

#define BOXES_MOST  96u
#define LABEL_SIZE  64u
#define EVENTS_MOST 8u

/* --- which events --- */

/* Instructions with and without the kernel's; where there is no counter the stepped windows, and
 * what passes for time. */
static bool is_main(const struct error_cell *cell, bool has_counter)
{
    if (cell->part == PART_STEPPED)
        return !has_counter && cell->base && strcmp(cell->base, "instructions") == 0 &&
               cell->event && !strstr(cell->event, "raw");
    if (cell->part != PART_NULL)
        return false;
    return has_counter
               ? cell->base && strcmp(cell->base, "instructions") == 0 && cell->mode != COUNT_KERNEL
               : strcmp(error_unit(cell->event, cell->base), "ticks") == 0;
}

static bool is_pooled(const struct error_cell *cell)
{
    return cell->runs && cell->counters == 1 &&
           (cell->part == PART_NULL || cell->part == PART_STEPPED);
}

/* Names of the events to be shown, in the order of the cells. */
static size_t choose_events(const struct erring *erring, const char **events)
{
    const struct error_case *file = &erring->file;
    bool has_counter = error_has_cpu_counter(file);
    size_t count = 0;
    for (size_t i = 0; i < file->cell_count && count < EVENTS_MOST; i++) {
        const struct error_cell *cell = &file->cells[i];
        bool known = !is_pooled(cell) || !(erring->options->all || is_main(cell, has_counter));
        for (size_t j = 0; j < count && !known; j++)
            known = strcmp(events[j], cell->event) == 0;
        if (!known)
            events[count++] = cell->event;
    }
    return count;
}

/* --- the values of a box --- */

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

struct pool {
    int64_t *values;
    size_t count, capacity;
};

/* All runs but the first of each process, or all where there is one. */
static bool pool_add(struct pool *pool, const struct error_cell *cell)
{
    if (pool->count + cell->runs > pool->capacity) {
        size_t capacity = 2 * (pool->count + cell->runs);
        int64_t *grown = realloc(pool->values, capacity * sizeof(*grown));
        if (!grown)
            return false;
        pool->values = grown;
        pool->capacity = capacity;
    }
    for (size_t process = 0; process < cell->processes; process++) {
        size_t begin = cell->begins[process], end = cell->begins[process + 1];
        for (size_t run = end - begin > 1 ? begin + 1 : begin; run < end; run++)
            pool->values[pool->count++] = error_of(cell, run);
    }
    return true;
}

/* A value that was really read, as in rows.c. */
static double quantile(const struct pool *pool, double share)
{
    return (double)pool->values[(size_t)(share * (double)(pool->count - 1) + 0.5)];
}

/* --- the boxes of one event --- */

struct boxing {
    const struct erring *erring;
    struct box boxes[BOXES_MOST];
    char labels[BOXES_MOST][LABEL_SIZE];
    size_t count;
    bool marked, failed;
};

static bool same_box(const struct error_cell *left, const struct error_cell *right)
{
    return strcmp(left->event, right->event) == 0 && strcmp(left->path, right->path) == 0 &&
           left->pattern == right->pattern;
}

/* Adds a value as often as the cell has runs in a box. */
static bool pool_repeat(struct pool *pool, const struct error_cell *cell, int64_t value)
{
    size_t first = pool->count;
    if (!pool_add(pool, cell))
        return false;
    for (size_t i = first; i < pool->count; i++)
        pool->values[i] = value;
    return true;
}

/* Median of what was stepped, each cell weighing as much as in the box; NaN: nothing was. */
static double stepped_of(const struct error_report *report, const struct error_cell *like)
{
    struct pool pool = {0};
    double median = NAN;
    bool complete = true;
    for (size_t i = 0; complete && i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        if (is_pooled(row->cell) && row->cell->part == PART_NULL && same_box(row->cell, like))
            complete = row->has_stepped && pool_repeat(&pool, row->cell, row->stepped);
    }
    if (complete && pool.count) {
        qsort(pool.values, pool.count, sizeof(*pool.values), compare);
        median = quantile(&pool, 0.5);
    }
    free(pool.values);
    return median;
}

static void add_box(struct boxing *boxing, const struct error_cell *like)
{
    const struct error_case *file = &boxing->erring->file;
    struct pool pool = {0};
    if (boxing->count == BOXES_MOST)
        return;
    for (size_t i = 0; i < file->cell_count && !boxing->failed; i++)
        if (is_pooled(&file->cells[i]) && same_box(&file->cells[i], like))
            boxing->failed = !pool_add(&pool, &file->cells[i]);
    if (!boxing->failed && pool.count) {
        struct box *box = &boxing->boxes[boxing->count];
        char *label = boxing->labels[boxing->count++];
        qsort(pool.values, pool.count, sizeof(*pool.values), compare);
        snprintf(label, LABEL_SIZE, "%.50s %s", like->path, pattern_names[like->pattern]);
        *box = (struct box){.label = label,
                            .min = (double)pool.values[0],
                            .q1 = quantile(&pool, 0.25),
                            .median = quantile(&pool, 0.5),
                            .q3 = quantile(&pool, 0.75),
                            .max = (double)pool.values[pool.count - 1],
                            .mark = stepped_of(&boxing->erring->report, like)};
        boxing->marked |= isfinite(box->mark);
    }
    free(pool.values);
}

static bool looks_alike(const struct box *left, const struct box *right)
{
    bool marked = isfinite(left->mark), like = isfinite(right->mark);
    return left->min == right->min && left->q1 == right->q1 && left->median == right->median &&
           left->q3 == right->q3 && left->max == right->max && marked == like &&
           (!marked || left->mark == right->mark);
}

/* Patterns of a path that look alike share a line: "perf-syscall ar ao rr ro". */
static void fold(struct boxing *boxing, size_t first)
{
    size_t kept = first;
    for (size_t i = first; i < boxing->count; i++) {
        size_t like = first;
        while (like < kept && !looks_alike(&boxing->boxes[like], &boxing->boxes[i]))
            like++;
        if (like < kept) {
            size_t length = strlen(boxing->labels[like]);
            const char *pattern = strrchr(boxing->labels[i], ' ');
            snprintf(boxing->labels[like] + length, LABEL_SIZE - length, "%s", pattern);
            continue;
        }
        boxing->boxes[kept] = boxing->boxes[i];
        boxing->boxes[kept].label = boxing->labels[kept];
        if (kept != i)
            memcpy(boxing->labels[kept], boxing->labels[i], LABEL_SIZE);
        kept++;
    }
    boxing->count = kept;
}

/* Is the pattern the best of its path for this event? */
static bool is_best(const struct error_report *report, const struct error_cell *like)
{
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (best->pattern == like->pattern && strcmp(best->event, like->event) == 0 &&
            strcmp(best->path, like->path) == 0)
            return true;
    }
    return false;
}

/* A box for each path and pattern of the event, or for the best pattern of each path; paths in the
 * order of the cells, patterns in theirs. */
static void add_boxes(struct boxing *boxing, const char *event, bool best_only)
{
    const struct error_case *file = &boxing->erring->file;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        bool first = is_pooled(cell) && strcmp(cell->event, event) == 0;
        for (size_t j = 0; j < i && first; j++)
            first = !is_pooled(&file->cells[j]) || strcmp(file->cells[j].event, event) != 0 ||
                    strcmp(file->cells[j].path, cell->path) != 0;
        size_t begin = boxing->count;
        for (int pattern = 0; first && pattern < PATTERN_COUNT; pattern++) {
            struct error_cell like = {
                .event = cell->event, .path = cell->path, .pattern = (enum pattern)pattern};
            if (!best_only || is_best(&boxing->erring->report, &like))
                add_box(boxing, &like);
        }
        if (!boxing->erring->options->all)
            fold(boxing, begin);
    }
}

/* --- what the first run adds --- */

/* What the first run adds in cells of one link mode: least and most. */
struct first_runs {
    bool any;
    int64_t least, most;         /* median of first runs less that of the others */
    const struct error_cell *at; /* where it is most */
};

static struct first_runs first_runs_of(const struct error_report *report, const char *event,
                                       const char *link)
{
    struct first_runs first = {0};
    for (size_t i = 0; i < report->row_count; i++) {
        const struct error_row *row = &report->rows[i];
        const struct error_cell *cell = row->cell;
        if (!is_pooled(cell) || cell->runs <= cell->processes || strcmp(cell->event, event) != 0 ||
            strcmp(cell->link, link) != 0)
            continue;
        int64_t added = row->first.median - row->later.median;
        if (!first.any || added > first.most) {
            first.most = added;
            first.at = cell;
        }
        first.least = !first.any || added < first.least ? added : first.least;
        first.any = true;
    }
    return first;
}

/* Is this the first row of the event with its link mode? */
static bool leads(const struct error_report *report, const char *event, size_t index)
{
    const struct error_cell *cell = report->rows[index].cell;
    bool first = is_pooled(cell) && strcmp(cell->event, event) == 0;
    for (size_t i = 0; i < index && first; i++) {
        const struct error_cell *other = report->rows[i].cell;
        first = !is_pooled(other) || strcmp(other->event, event) != 0 ||
                strcmp(other->link, cell->link) != 0;
    }
    return first;
}

/* "static 0, lazy 0 to +603 (perf-read ro)" */
static void put_first(const struct erring *erring, const char *event, struct text *out)
{
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text said = {0};
    bool differs = false;
    for (size_t i = 0; i < report->row_count; i++) {
        if (!leads(report, event, i))
            continue;
        const char *link = report->rows[i].cell->link;
        struct first_runs first = first_runs_of(report, event, link);
        if (!first.any)
            continue;
        char least[NUMBER_SIZE], most[NUMBER_SIZE];
        number_signed(first.least, least, sizeof(least));
        number_signed(first.most, most, sizeof(most));
        text_printf(&said, "%s%s %s", said.length ? ", " : "", link, least);
        if (first.least != first.most)
            text_printf(&said, " to %s (%s, %s)", most, first.at->path,
                        pattern_descriptions[first.at->pattern]);
        differs |= first.least || first.most;
    }
    if (differs)
        text_printf(out, "The first run of a process adds besides, by link mode: %s. ",
                    text_string(&said));
}

static void put_event(const struct erring *erring, const char *event, bool best_only,
                      const struct style *style, struct text *out)
{
    AUTO_FREE struct boxing *boxing = calloc(1, sizeof(*boxing));
    AUTO_TEXT struct text heading = {0};
    AUTO_TEXT struct text words = {0};
    if (!boxing) {
        out->failed = true;
        return;
    }
    bool stepped = strncmp(event, "step/", 5) == 0;
    boxing->erring = erring;
    add_boxes(boxing, event, best_only);
    out->failed |= boxing->failed;
    text_puts(&heading, "Null error of ");
    error_put_event(event, stepped, &heading);
    text_puts(&heading, stepped ? " (exact)" : "");
    text_puts(&heading, best_only ? ", best pattern of each path" : "");
    section_put_heading(text_string(&heading), style, out);
    boxes_put(boxing->boxes, boxing->count, error_unit(event, NULL), style, out);
    if (!best_only)
        put_first(erring, event, &words);
    if (boxing->marked)
        text_puts(&words, "The sign apart is the exact count, by stepping. ");
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

void error_put_boxes(const struct erring *erring, const struct style *style, struct text *out)
{
    const char *events[EVENTS_MOST];
    size_t count = choose_events(erring, events);
    /* One event shows how patterns differ; of the others the paths do. */
    for (size_t i = 0; i < count; i++)
        put_event(erring, events[i], i > 0 && !erring->options->all, style, out);
    if (count)
        section_put_words(
            "boxes: the middle half of all runs but each process's first, over -O levels and link "
            "modes, one counter; whiskers: the rest",
            style, out);
}
