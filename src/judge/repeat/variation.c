/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How much counts of one program vary under each setting: a row for every event of every cell. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/repeat/kept.h"
#include "stats/moments.h"

/* Where a row stands among the others. */
struct place {
    struct repeat_row row;
    const struct repeat_cell *cell;
    size_t source, event; /* first row that has the same */
    uint32_t setting;
    size_t index;
};

/* As-is, controlled, then one control at a time. */
static uint32_t setting_order(uint32_t controls)
{
    const int on = __builtin_popcount(controls);
    if (controls == 0)
        return 0;
    if (controls == CONTROLS_ALL)
        return 1;
    return (on == 1 ? 2u << CONTROL_COUNT : 4u << CONTROL_COUNT) |
           (on == 1 ? controls : CONTROLS_ALL & ~controls);
}

static int by_number(size_t one, size_t other)
{
    return (one > other) - (one < other);
}

static int by_place(const void *left, const void *right)
{
    const struct place *one = left;
    const struct place *other = right;
    const int orders[] = {by_number(one->cell->machine, other->cell->machine),
                          by_number(one->cell->program, other->cell->program),
                          by_number(one->source, other->source),
                          by_number(one->event, other->event),
                          by_number(one->cell->sweep, other->cell->sweep),
                          by_number(one->setting, other->setting),
                          by_number(one->cell->swept, other->cell->swept),
                          by_number(one->index, other->index)};
    for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
        if (orders[i])
            return orders[i];
    return 0;
}

static void describe(const struct kept *kept, struct repeat_row *row)
{
    row->runs = kept->count;
    row->apart = kept->apart;
    row->mean = kept_mean(kept);
    row->stdev = sqrt(kept_variance(kept));
    row->cv_percent = row->mean > 0 ? 100 * row->stdev / row->mean : (double)NAN;
    row->distinct = kept_distinct(kept);
    row->usual = (double)NAN;
    row->adjusted_mean = row->adjusted_stdev = row->adjusted_cv_percent = (double)NAN;
    row->residual = row->residual_low = row->residual_high = (double)NAN;
    row->min = kept->base;
    row->max = kept->top;
}

static int find_median(const struct kept *kept, struct repeat_row *row)
{
    if (!kept->count)
        return 0;
    double *sorted = malloc(kept->count * sizeof(*sorted));
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, kept->values, kept->count * sizeof(*sorted));
    sort_values(sorted, kept->count);
    row->usual = (double)kept->base + quantile(sorted, kept->count, .5);
    free(sorted);
    return 0;
}

static int fill(const struct repeat_cell *cell, uint32_t event, struct repeat_row *row)
{
    AUTO_KEPT struct kept kept;
    if (kept_counts(cell, event, &kept) < 0)
        return -ENOMEM;
    describe(&kept, row);
    return find_median(&kept, row);
}

/* The first place whose source and event are named the same, so that rows keep the order in which
 * a plan asked for them. */
static void find_first(struct place *places, size_t index)
{
    struct place *place = &places[index];
    const char *event = place->cell->event[place->row.event];
    place->source = place->event = index;
    for (size_t i = index; i-- > 0;) {
        if (strcmp(places[i].cell->source, place->cell->source) == 0)
            place->source = i;
        if (strcmp(places[i].cell->event[places[i].row.event], event) == 0)
            place->event = i;
    }
}

static int place_cell(const struct repeat_case *file, size_t index, struct place *places,
                      size_t *count)
{
    const struct repeat_cell *cell = &file->cells[index];
    for (uint32_t event = 0; cell->detail == DETAIL_NONE && event < cell->events; event++) {
        struct place *place = &places[*count];
        *place = (struct place){.cell = cell,
                                .setting = setting_order(cell->controls),
                                .index = *count,
                                .row = {.cell = index, .event = event}};
        if (fill(cell, event, &place->row) < 0)
            return -ENOMEM;
        find_first(places, (*count)++);
    }
    return 0;
}

int repeat_judge_variation(const struct repeat_case *file, struct repeat_report *report)
{
    size_t most = 0, count = 0;
    int error = 0;
    for (size_t i = 0; i < file->cell_count; i++) {
        most += file->cells[i].events;
        report->executions += file->cells[i].runs;
    }
    struct place *places = calloc(most + 1, sizeof(*places));
    report->rows = calloc(most + 1, sizeof(*report->rows));
    if (!places || !report->rows)
        error = -ENOMEM;
    for (size_t i = 0; !error && i < file->cell_count; i++)
        error = place_cell(file, i, places, &count);
    if (!error) {
        qsort(places, count, sizeof(*places), by_place);
        for (size_t i = 0; i < count; i++)
            report->rows[i] = places[i].row;
        report->row_count = count;
    }
    free(places);
    return error;
}
