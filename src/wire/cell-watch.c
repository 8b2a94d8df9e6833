/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The watch of a cell: what makes sense for its kind, asked by the wire of what it got, by the
 * store of what it is given and of what it finds in itself. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "wire/cell.h"

/* What the kinds allow; wire/watch.h says why. */
static const struct {
    uint32_t least_columns, most_columns;
    uint64_t least_length, most_length;
} rules[WATCH_KINDS] = {
    [WATCH_INTERVAL] = {1, CELL_MAX_COUNTERS, 0, WATCH_MOST_MICROS},
    [WATCH_ROW] = {ROW_COLUMNS, ROW_COLUMNS, 1, WATCH_MOST_BLOCK},
    [WATCH_STEPS] = {2, 2, 1, WATCH_MOST_MICROS},
    [WATCH_TRIPS] = {1, CELL_MAX_COUNTERS, 0, 0},
    [WATCH_EDGES] = {2, CELL_MAX_COUNTERS, 1, WATCH_MOST_MICROS},
    [WATCH_OUTSIDE] = {3, CELL_MAX_COUNTERS, 0, 0},
};

static bool is(const char *word, const char *wanted)
{
    return word && strcmp(word, wanted) == 0;
}

static int check_absence(const struct cell *cell, struct failure *failure)
{
    if (is(cell->path, "watch"))
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " has path 'watch', but no kind of watch", cell->id);
    return 0;
}

static int check_factors(const struct cell *cell, struct failure *failure)
{
    if ((unsigned)cell->watch.kind >= WATCH_KINDS)
        return fail_with(failure, -EINVAL, "cell %" PRIu32 " has a kind of watch that is none",
                         cell->id);
    if (!is(cell->path, "watch") || cell->pattern != PATTERN_RR || !is(cell->specimen, "null") ||
        cell->n != 0 || cell->tour.calls)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " is a watch, so its path, pattern, specimen and n must "
                         "be watch, rr, null and 0",
                         cell->id);
    return 0;
}

static int check_workload(const struct cell *cell, struct failure *failure)
{
    const char *word = cell->watch.workload;
    if (cell->watch.kind != WATCH_INTERVAL)
        return word
                   ? fail_with(failure, -EINVAL,
                               "cell %" PRIu32 " has a workload, but watches no interval", cell->id)
                   : 0;
    const size_t length = word ? strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") : 0;
    if (length == 0 || word[length] || length >= WATCH_WORKLOAD)
        return fail_with(failure, -EINVAL,
                         "the interval of cell %" PRIu32 " must name its workload: at most %d "
                         "small letters, digits and '-'",
                         cell->id, WATCH_WORKLOAD - 1);
    return 0;
}

static int check_numbers(const struct cell *cell, struct failure *failure)
{
    const struct cell_watch *watch = &cell->watch;
    const char *kind = watch_kind_names[watch->kind];
    const bool interval = watch->kind == WATCH_INTERVAL;
    if (watch->length < rules[watch->kind].least_length ||
        watch->length > rules[watch->kind].most_length)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " watches '%s', so its length must be from %" PRIu64
                         " to %" PRIu64 ", but is %" PRIu64,
                         cell->id, kind, rules[watch->kind].least_length,
                         rules[watch->kind].most_length, watch->length);
    if (watch->threads < 1 || watch->threads > (interval ? WATCH_MOST_THREADS : 1))
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " watches '%s' with %" PRIu32 " threads: it may have "
                         "from 1 to %u",
                         cell->id, kind, watch->threads, interval ? WATCH_MOST_THREADS : 1);
    if (watch->moves > (interval ? WATCH_MOST_MOVES : 0))
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " watches '%s' with %" PRIu32 " moves: it may have at "
                         "most %u",
                         cell->id, kind, watch->moves, interval ? WATCH_MOST_MOVES : 0);
    if (watch->handover && !interval)
        return fail_with(failure, -EINVAL, "cell %" PRIu32 " hands over, but watches no interval",
                         cell->id);
    return 0;
}

static int check_partner(const struct cell *cell, struct failure *failure)
{
    const int32_t partner = cell->watch.partner;
    if (cell->watch.kind != WATCH_TRIPS)
        return partner == -1 ? 0
                             : fail_with(failure, -EINVAL,
                                         "cell %" PRIu32 " has a partner, CPU %" PRId32
                                         ", but watches no trips",
                                         cell->id, partner);
    if (cell->cpu < 0 || partner < 0 || cell->cpu == partner)
        return fail_with(failure, -EINVAL,
                         "the trips of cell %" PRIu32 " need two CPUs, but have %" PRId32
                         " and %" PRId32,
                         cell->id, cell->cpu, partner);
    return 0;
}

static int check_names(const struct cell *cell, struct failure *failure)
{
    struct external_clock clock;
    for (uint32_t i = 0; i < cell->counters; i++) {
        int status = external_clock_parse(cell->events[i] ? cell->events[i] : "", &clock, failure);
        if (status < 0)
            return status;
    }
    return 0;
}

/* Is the clock of this column in an earlier one, where the kind does not ask for that? */
static bool is_twice(const struct cell *cell, uint32_t column)
{
    const bool asks_again =
        cell->watch.kind == WATCH_OUTSIDE && column == cell->counters - 1 && column > 0;
    for (uint32_t before = asks_again ? 1 : 0; before < column; before++)
        if (strcmp(cell->events[before], cell->events[column]) == 0)
            return true;
    return false;
}

static bool columns_are(const struct cell *cell, uint32_t first, uint32_t last)
{
    for (uint32_t column = first + 1; column <= last; column++)
        if (strcmp(cell->events[first], cell->events[column]) != 0)
            return false;
    return true;
}

static int check_columns(const struct cell *cell, struct failure *failure)
{
    const enum watch_kind kind = cell->watch.kind;
    if (cell->counters < rules[kind].least_columns || cell->counters > rules[kind].most_columns)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " watches '%s' with %" PRIu32 " columns: it must have "
                         "from %" PRIu32 " to %" PRIu32,
                         cell->id, watch_kind_names[kind], cell->counters,
                         rules[kind].least_columns, rules[kind].most_columns);
    int error = check_names(cell, failure);
    if (error)
        return error;
    if (kind == WATCH_ROW &&
        (!columns_are(cell, ROW_FIRST, ROW_WORST) || !columns_are(cell, ROW_BEFORE, ROW_AFTER)))
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " watches a row, so its columns must be one clock four "
                         "times and another twice",
                         cell->id);
    if (kind == WATCH_OUTSIDE && strcmp(cell->events[0], cell->events[cell->counters - 1]) != 0)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " watches from outside, so its first and last column must "
                         "be the same clock",
                         cell->id);
    for (uint32_t i = 0; i < cell->counters && kind != WATCH_ROW && kind != WATCH_STEPS; i++)
        if (is_twice(cell, i))
            return fail_with(failure, -EINVAL,
                             "cell %" PRIu32 " reads the clock %.80s twice in a look", cell->id,
                             cell->events[i]);
    return 0;
}

static int check_runs(const struct cell *cell, struct failure *failure)
{
    const uint32_t group = watch_group(cell->watch.kind, cell->watch.threads);
    if (group >= 1 && cell->runs >= 1 && cell->runs % group == 0)
        return 0;
    return fail_with(failure, -EINVAL,
                     "cell %" PRIu32 " watches '%s' with %" PRIu32 " runs, which are no multiple "
                     "of the %" PRIu32 " looks that belong together",
                     cell->id, watch_kind_names[cell->watch.kind], cell->runs, group);
}

int cell_check_watch(const struct cell *cell, struct failure *failure)
{
    if (cell->watch.kind == WATCH_NONE)
        return check_absence(cell, failure);
    int error = check_factors(cell, failure);
    if (!error)
        error = check_workload(cell, failure);
    if (!error)
        error = check_numbers(cell, failure);
    if (!error)
        error = check_partner(cell, failure);
    if (!error)
        error = check_columns(cell, failure);
    return error ? error : check_runs(cell, failure);
}

bool cell_same_watch(const struct cell *left, const struct cell *right)
{
    const struct cell_watch *a = &left->watch, *b = &right->watch;
    if (a->kind == WATCH_NONE || b->kind == WATCH_NONE)
        return a->kind == b->kind;
    return a->kind == b->kind &&
           strcmp(a->workload ? a->workload : "", b->workload ? b->workload : "") == 0 &&
           a->length == b->length && a->threads == b->threads && a->moves == b->moves &&
           a->handover == b->handover && a->awake == b->awake && a->partner == b->partner;
}
