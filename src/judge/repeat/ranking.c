/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The proper counter: events of one class by agreement with the truth, over programs that all of
 * them counted. A class with one event needs no choice. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "studies/repeat/study.h"

struct ranking {
    const struct repeat_case *file;
    const struct repeat_report *report;
    size_t machine;
    const char *class;
};

static const struct repeat_cell *cell_of(const struct ranking *ranking, size_t row)
{
    return &ranking->file->cells[ranking->report->rows[row].cell];
}

static bool is_of_class(const struct ranking *ranking, size_t row)
{
    const struct repeat_cell *cell = cell_of(ranking, row);
    return cell->machine == ranking->machine && cell->sweep == SWEEP_NONE &&
           ranking->report->rows[row].runs > 0 &&
           strcmp(cell->class[ranking->report->rows[row].event], ranking -> class) == 0;
}

/* The program's row of this event, or of any source (event NULL), that is most controlled. */
static const struct repeat_row *best_row(const struct ranking *ranking, size_t program,
                                         const char *event)
{
    const struct repeat_row *best = NULL;
    for (size_t i = 0; i < ranking->report->row_count; i++) {
        const struct repeat_row *row = &ranking->report->rows[i];
        const struct repeat_cell *cell = cell_of(ranking, i);
        const bool of_source = strcmp(cell->source, "perf_event") != 0;
        if (cell->program != program || !is_of_class(ranking, i) || of_source != !event ||
            (event && strcmp(cell->event[row->event], event) != 0))
            continue;
        if (!best || __builtin_popcount(cell->controls) >
                         __builtin_popcount(ranking->file->cells[best->cell].controls))
            best = row;
    }
    return best;
}

/* What the program should count; NaN: nobody knows. */
static double truth_of(const struct ranking *ranking, size_t program)
{
    const struct repeat_program *known = &ranking->file->programs[program];
    if (known->has_truth && strcmp(ranking->class, "instructions") == 0)
        return (double)known->truth;
    const struct repeat_row *row = best_row(ranking, program, NULL);
    return row ? row->usual : (double)NAN;
}

/* Names of the events of perf_event of this class; how many. */
static size_t events_of(const struct ranking *ranking, const char **events)
{
    size_t count = 0;
    for (size_t i = 0; i < ranking->report->row_count; i++) {
        const struct repeat_cell *cell = cell_of(ranking, i);
        const char *event = cell->event[ranking->report->rows[i].event];
        bool known = strcmp(cell->source, "perf_event") != 0 || !is_of_class(ranking, i);
        for (size_t j = 0; j < count && !known; j++)
            known = strcmp(events[j], event) == 0;
        if (!known)
            events[count++] = event;
    }
    return count;
}

static void add_program(const struct ranking *ranking, size_t program, double truth,
                        const char *const *events, size_t count, struct repeat_rank *ranks)
{
    for (size_t i = 0; i < count; i++)
        if (!best_row(ranking, program, events[i]))
            return;
    for (size_t i = 0; i < count; i++) {
        const struct repeat_row *row = best_row(ranking, program, events[i]);
        ranks[i].off_percent += 100 * fabs(row->usual - truth) / truth;
        ranks[i].stdev_percent += row->stdev > 0 ? 100 * row->stdev / truth : 0;
        ranks[i].programs++;
    }
}

static int by_agreement(const void *left, const void *right)
{
    const struct repeat_rank *one = left;
    const struct repeat_rank *other = right;
    const double off = one->off_percent - other->off_percent;
    const double spread = one->stdev_percent - other->stdev_percent;
    if (fabs(off) > 0)
        return off > 0 ? 1 : -1;
    if (fabs(spread) > 0)
        return spread > 0 ? 1 : -1;
    return strcmp(one->event, other->event);
}

static int rank_class(const struct ranking *ranking, const char **events,
                      struct repeat_report *report)
{
    const size_t count = events_of(ranking, events);
    if (count < 2)
        return 0;
    struct repeat_rank *larger =
        realloc(report->ranks, (report->rank_count + count) * sizeof(*larger));
    if (!larger)
        return -ENOMEM;
    report->ranks = larger;
    struct repeat_rank *ranks = &larger[report->rank_count];
    for (size_t i = 0; i < count; i++) {
        ranks[i] = (struct repeat_rank){.machine = ranking->machine};
        snprintf(ranks[i].class, sizeof(ranks[i].class), "%s", ranking->class);
        snprintf(ranks[i].event, sizeof(ranks[i].event), "%s", events[i]);
    }
    for (size_t program = 0; program < ranking->file->program_count; program++) {
        const double truth = truth_of(ranking, program);
        if (truth > 0)
            add_program(ranking, program, truth, events, count, ranks);
    }
    if (!ranks[0].programs)
        return 0;
    for (size_t i = 0; i < count; i++) {
        ranks[i].off_percent /= (double)ranks[i].programs;
        ranks[i].stdev_percent /= (double)ranks[i].programs;
    }
    qsort(ranks, count, sizeof(*ranks), by_agreement);
    for (size_t i = 0; i < count; i++)
        ranks[i].place = (uint32_t)i + 1;
    report->rank_count += count;
    return 0;
}

/* Is it the first row of this class on this machine? */
static bool is_first(const struct ranking *ranking, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (is_of_class(ranking, i))
            return false;
    return true;
}

int repeat_rank_events(const struct repeat_case *file, struct repeat_report *report)
{
    const char **events = calloc(report->row_count + 1, sizeof(*events));
    int error = events ? 0 : -ENOMEM;
    for (size_t row = 0; !error && row < report->row_count; row++) {
        const struct repeat_cell *cell = &file->cells[report->rows[row].cell];
        const struct ranking ranking = {file, report, cell->machine,
                                        cell->class[report->rows[row].event]};
        if (ranking.class[0] && is_of_class(&ranking, row) && is_first(&ranking, row))
            error = rank_class(&ranking, events, report);
    }
    free(events);
    return error;
}
