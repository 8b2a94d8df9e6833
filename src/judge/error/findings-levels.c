/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The level of the null error of each way to a count of instructions: what findings about paths,
 * patterns and modes compare. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "judge/error/findings.h"

bool path_reads_in_user_mode(const char *path)
{
    return strncmp(path, "perf-user", strlen("perf-user")) == 0;
}

bool path_is_direct(const char *path)
{
    return strncmp(path, "perf-", strlen("perf-")) == 0;
}

/* Windows that no user of counters has: they belong to sources. */
static bool is_no_way(const char *path)
{
    static const char *const names[] = {"bare", "trap", "clock"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

static bool counts_instructions(const struct error_cell *cell)
{
    const char *counted = cell->class ? cell->class : cell->base;
    return counted && strcmp(counted, "instructions") == 0;
}

bool row_speaks(const struct error_row *row, uint32_t machine, bool stepped, enum count_mode mode)
{
    const struct error_cell *cell = row->cell;
    if (cell->machine != machine || is_no_way(cell->path) || !counts_instructions(cell) ||
        (cell->specimen && strncmp(cell->specimen, "null", strlen("null")) != 0))
        return false;
    if (stepped)
        return cell->part == PART_STEPPED && mode == COUNT_USER;
    /* One process says nothing of the others. */
    return cell->part == PART_NULL && cell->mode == mode && cell->processes > 1 &&
           !(cell->kind && strcmp(cell->kind, "source") == 0);
}

/* So many processes have a 95 % interval of their median at all: the smallest and the largest of
 * fewer hold it less often. */
#define ENOUGH_PROCESSES 6

/* The interval of a median from its quartiles, with processes as the independent ones: as the
 * notches of a box plot, 1.57 for 95 %. Few processes: all that was seen. */
struct level level_of_row(const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    const struct error_spread *later = &row->later;
    double median = (double)later->median, half = HUGE_VAL;
    if (cell->processes >= ENOUGH_PROCESSES)
        half = 1.57 * ((double)later->q3 - (double)later->q1) / sqrt((double)cell->processes);
    return (struct level){.machine = cell->machine,
                          .stepped = cell->part == PART_STEPPED,
                          .mode = cell->part == PART_STEPPED ? COUNT_USER : cell->mode,
                          .path = cell->path,
                          .pattern = cell->pattern,
                          .median = median,
                          .low = fmax(median - half, (double)later->min),
                          .high = fmin(median + half, (double)later->max),
                          .cells = 1,
                          .runs = cell->runs > cell->processes ? cell->runs - cell->processes
                                                               : cell->runs};
}

static int compare_ways(const void *left, const void *right)
{
    const struct level *one = left, *other = right;
    if (one->machine != other->machine)
        return one->machine < other->machine ? -1 : 1;
    if (one->stepped != other->stepped)
        return one->stepped ? 1 : -1;
    if (one->mode != other->mode)
        return one->mode < other->mode ? -1 : 1;
    int path = strcmp(one->path, other->path);
    return path ? path : (int)one->pattern - (int)other->pattern;
}

struct weighed {
    double value, weight;
};

static int compare_values(const void *left, const void *right)
{
    const struct weighed *one = left, *other = right;
    return (one->value > other->value) - (one->value < other->value);
}

/* The smallest value that half of the weight does not exceed: a cell's own, and where cells do not
 * vary that of all their runs together. */
static double middle(struct weighed *values, size_t count)
{
    double all = 0, sofar = 0;
    for (size_t i = 0; i < count; i++)
        all += values[i].weight;
    qsort(values, count, sizeof(*values), compare_values);
    for (size_t i = 0; i < count; i++) {
        sofar += values[i].weight;
        if (2 * sofar >= all)
            return values[i].value;
    }
    return values[count - 1].value;
}

/* Cells of one way become one level. room: [count]. */
static struct level merge(const struct level *cells, size_t count, struct weighed *room)
{
    struct level level = cells[0];
    level.cells = count;
    level.runs = 0;
    for (size_t i = 0; i < count; i++) {
        room[i] = (struct weighed){cells[i].median, (double)cells[i].runs};
        level.runs += cells[i].runs;
    }
    level.median = middle(room, count);
    for (size_t i = 0; i < count; i++)
        room[i] = (struct weighed){cells[i].low, (double)cells[i].runs};
    level.low = middle(room, count);
    for (size_t i = 0; i < count; i++)
        room[i] = (struct weighed){cells[i].high, (double)cells[i].runs};
    level.high = middle(room, count);
    return level;
}

static bool row_is_plain(const struct error_row *row)
{
    const struct error_cell *cell = row->cell;
    return cell->counters == 1 && !cell->separate &&
           (row_speaks(row, cell->machine, false, cell->mode) ||
            row_speaks(row, cell->machine, true, COUNT_USER));
}

int levels_of(const struct error_report *report, struct level **levels, size_t *count)
{
    *levels = NULL;
    *count = 0;
    size_t cells = 0;
    struct level *list = calloc(report->row_count + 1, sizeof(*list));
    struct weighed *room = calloc(report->row_count + 1, sizeof(*room));
    if (!list || !room) {
        free(list);
        free(room);
        return -ENOMEM;
    }
    for (size_t i = 0; i < report->row_count; i++)
        if (row_is_plain(&report->rows[i]))
            list[cells++] = level_of_row(&report->rows[i]);
    qsort(list, cells, sizeof(*list), compare_ways);
    for (size_t first = 0, end; first < cells; first = end) {
        for (end = first + 1; end < cells && compare_ways(&list[first], &list[end]) == 0; end++)
            ;
        list[(*count)++] = merge(&list[first], end - first, room);
    }
    free(room);
    *levels = list;
    return 0;
}

const struct level *level_find(const struct claim_facts *facts, bool stepped, enum count_mode mode,
                               const char *path, enum pattern pattern)
{
    for (size_t i = 0; i < facts->level_count; i++) {
        const struct level *level = &facts->levels[i];
        if (level->machine == facts->machine && level->stepped == stepped && level->mode == mode &&
            level->pattern == pattern && strcmp(level->path, path) == 0)
            return level;
    }
    return NULL;
}
