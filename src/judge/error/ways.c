/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Orders the null cells of a case by their factors. */
#include "judge/error/ways.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

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
