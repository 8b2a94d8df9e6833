/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts less what the operating system added, and what is left of them beside the truth: of a
 * program of known length that, of any other what a source counted that executed the same. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/repeat/instructions.h"
#include "judge/repeat/kept.h"
#include "judge/repeat/surplus.h"
#include "stats/interval.h"
#include "stats/moments.h"

/* What rounding to whole counts leaves open of a single one: 1 / sqrt(12). */
#define ROUNDING_STDEV 0.28867513459481287

struct adjusting {
    const struct repeat_case *file;
    struct repeat_report *report;
    struct repeat_row *row;
    const struct repeat_cell *cell;
    const struct repeat_contribution *by[DISTURBANCES];
};

/* What the run has too many. */
static double surplus_of(const struct adjusting *adjusting, const struct repeat_run *run)
{
    double surplus = 0, number;
    for (int i = 0; i < DISTURBANCES; i++)
        if (adjusting->by[i] && run_disturbances(run, (enum disturbance)i, &number))
            surplus += contribution_certain(adjusting->by[i]) * number;
    return surplus;
}

/* Half of the interval that the contributions leave open, over the runs of the row. */
static double doubt_of(const struct adjusting *adjusting, const struct kept *kept)
{
    double squares = 0, number;
    for (int i = 0; i < DISTURBANCES; i++) {
        const struct repeat_contribution *by = adjusting->by[i];
        double sum = 0;
        for (size_t run = 0; run < kept->count; run++)
            if (run_disturbances(&adjusting->cell->list[kept->runs[run]], (enum disturbance)i,
                                 &number))
                sum += number;
        if (by && contribution_certain(by) != 0)
            squares += pow((by->high - by->low) / 2 * sum / (double)kept->count, 2);
    }
    return sqrt(squares);
}

/* The truth of the program, or the mean of a source that counted the same setting exactly; false:
 * nobody knows. */
static bool reference_of(const struct adjusting *adjusting, double *reference, double *doubt)
{
    static const char *const sources[] = {"step", "qemu", "valgrind"};
    const struct repeat_cell *cell = adjusting->cell;
    const struct repeat_program *program = &adjusting->file->programs[cell->program];
    *doubt = 0;
    *reference = (double)program->truth;
    if (program->has_truth)
        return true;
    for (size_t source = 0; source < sizeof(sources) / sizeof(*sources); source++)
        for (size_t i = 0; i < adjusting->report->row_count; i++) {
            const struct repeat_row *row = &adjusting->report->rows[i];
            const struct repeat_cell *other = &adjusting->file->cells[row->cell];
            if (other->machine != cell->machine || other->program != cell->program ||
                other->controls != cell->controls || other->sweep != cell->sweep ||
                other->swept != cell->swept || strcmp(other->source, sources[source]) != 0 ||
                !counts_instructions(other, row->event) || row->runs < 2)
                continue;
            *reference = row->mean;
            *doubt = t_quantile(.975, (double)row->runs - 1) * row->stdev / sqrt((double)row->runs);
            return true;
        }
    return false;
}

static void hold_against_truth(const struct adjusting *adjusting, const struct kept *kept)
{
    struct repeat_row *row = adjusting->row;
    double reference, doubt;
    if (!counts_instructions(adjusting->cell, row->event) ||
        !reference_of(adjusting, &reference, &doubt))
        return;
    row->residual = row->adjusted_mean - reference;
    const double spread = fmax(row->adjusted_stdev, ROUNDING_STDEV) / sqrt((double)row->runs);
    const double half = row->runs > 1 ? t_quantile(.975, (double)row->runs - 1) * spread : INFINITY;
    const double whole = sqrt(half * half + doubt * doubt + pow(doubt_of(adjusting, kept), 2));
    row->residual_low = row->residual - whole;
    row->residual_high = row->residual + whole;
}

static int adjust_row(const struct adjusting *adjusting)
{
    AUTO_KEPT struct kept kept;
    struct repeat_row *row = adjusting->row;
    if (kept_counts(adjusting->cell, row->event, &kept) < 0)
        return -ENOMEM;
    if (!kept.count)
        return 0;
    AUTO_FREE double *values = calloc(kept.count, sizeof(*values));
    if (!values)
        return -ENOMEM;
    for (size_t i = 0; i < kept.count; i++)
        values[i] = kept.values[i] - surplus_of(adjusting, &adjusting->cell->list[kept.runs[i]]);
    const struct moments moments = moments_of(values, kept.count);
    row->is_adjusted = true;
    row->adjusted_mean = (double)kept.base + moments.mean;
    row->adjusted_stdev = kept.count > 1 ? moments.stdev : (double)NAN;
    row->adjusted_cv_percent =
        row->adjusted_mean > 0 ? 100 * row->adjusted_stdev / row->adjusted_mean : (double)NAN;
    hold_against_truth(adjusting, &kept);
    return 0;
}

int repeat_adjust(const struct repeat_case *file, struct repeat_report *report)
{
    int error = 0;
    for (size_t i = 0; i < report->row_count && !error; i++) {
        struct adjusting adjusting = {.file = file, .report = report, .row = &report->rows[i]};
        adjusting.cell = &file->cells[adjusting.row->cell];
        const char *event = adjusting.cell->event[adjusting.row->event];
        for (int j = 0; j < DISTURBANCES; j++)
            adjusting.by[j] =
                contribution_of(report, adjusting.cell->machine, event, (enum disturbance)j);
        if (adjusting.by[DISTURBANCE_FAULT] || adjusting.by[DISTURBANCE_INTERRUPT])
            error = adjust_row(&adjusting);
    }
    return error;
}
