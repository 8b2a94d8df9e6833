/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Gathers the settings of one program, source and event from rows and cells. */
#include "judge/repeat/settings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/repeat/limits.h"
#include "stats/interval.h"
#include "stats/least-squares.h"
#include "stats/moments.h"

static const struct repeat_cell *cell_of(const struct settings *settings,
                                         const struct repeat_report *report, size_t row)
{
    return &settings->file->cells[report->rows[row].cell];
}

static bool is_sibling(const struct settings *settings, const struct repeat_report *report,
                       size_t row)
{
    const struct repeat_cell *one = settings->as_is_cell;
    const struct repeat_cell *other = cell_of(settings, report, row);
    return other->machine == one->machine && other->program == one->program &&
           other->sweep == SWEEP_NONE && strcmp(other->source, one->source) == 0 &&
           strcmp(other->event[report->rows[row].event], settings->event) == 0;
}

static int gather_row(struct settings *settings, const struct repeat_report *report, size_t row,
                      struct kept *kept)
{
    if (kept->values)
        return 0; /* the first of several alike */
    return kept_counts(cell_of(settings, report, row), report->rows[row].event, kept);
}

static int gather_single(struct settings *settings, const struct repeat_report *report, size_t row)
{
    const uint32_t controls = cell_of(settings, report, row)->controls;
    for (uint32_t control = 0; control < CONTROL_COUNT; control++) {
        const uint32_t bit = CONTROL_BIT(control);
        if (!(settings->controls & bit))
            continue;
        if (controls == bit && gather_row(settings, report, row, &settings->only[control]) < 0)
            return -ENOMEM;
        if (controls == (settings->controls & ~bit) &&
            gather_row(settings, report, row, &settings->without[control]) < 0)
            return -ENOMEM;
    }
    return 0;
}

/* Controlled is the setting that has most controls on. */
static void find_controlled(struct settings *settings, const struct repeat_report *report)
{
    for (size_t row = 0; row < report->row_count; row++) {
        if (!is_sibling(settings, report, row))
            continue;
        const uint32_t controls = cell_of(settings, report, row)->controls;
        if (__builtin_popcount(controls) > __builtin_popcount(settings->controls)) {
            settings->controls = controls;
            settings->controlled_row = row;
        }
    }
}

int settings_gather(const struct repeat_case *file, const struct repeat_report *report,
                    size_t as_is_row, struct settings *settings)
{
    *settings = (struct settings){.file = file, .as_is_row = as_is_row, .controlled_row = SIZE_MAX};
    settings->as_is_cell = cell_of(settings, report, as_is_row);
    settings->event = settings->as_is_cell->event[report->rows[as_is_row].event];
    find_controlled(settings, report);
    if (settings->controlled_row == SIZE_MAX)
        return 0;
    settings->controlled_cell = cell_of(settings, report, settings->controlled_row);
    if (gather_row(settings, report, as_is_row, &settings->as_is) < 0 ||
        gather_row(settings, report, settings->controlled_row, &settings->controlled) < 0)
        return -ENOMEM;
    for (size_t row = 0; row < report->row_count; row++)
        if (is_sibling(settings, report, row) && gather_single(settings, report, row) < 0)
            return -ENOMEM;
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        settings->singles +=
            settings_enough(&settings->only[i]) + (size_t)settings_enough(&settings->without[i]);
    return 0;
}

void settings_release(struct settings *settings)
{
    kept_release(&settings->as_is);
    kept_release(&settings->controlled);
    for (size_t i = 0; i < CONTROL_COUNT; i++) {
        kept_release(&settings->only[i]);
        kept_release(&settings->without[i]);
    }
}

bool settings_enough(const struct kept *kept)
{
    return kept->count >= CONTROLS_RUNS;
}

/* --- what the rest follows --- */

static double account_of(const struct repeat_run *run, enum follows what)
{
    switch (what) {
    case FOLLOWS_INTERRUPTS:
        return run->has_interrupts ? (double)run->interrupts : (double)NAN;
    case FOLLOWS_FAULTS:
        return (double)run->account.minor_faults + (double)run->account.major_faults;
    case FOLLOWS_SWITCHES:
        return (double)run->account.voluntary + (double)run->account.involuntary;
    default:
        return (double)NAN;
    }
}

/* Counts and what went with them, each less the mean of its own setting. */
static size_t add_pairs(const struct repeat_cell *cell, const struct kept *kept, enum follows what,
                        double *x, double *y)
{
    const double mean = moments_of(kept->values, kept->count).mean;
    double sum = 0;
    for (size_t i = 0; i < kept->count; i++) {
        y[i] = kept->values[i] - mean;
        x[i] = account_of(&cell->list[kept->runs[i]], what);
        sum += x[i];
    }
    for (size_t i = 0; i < kept->count; i++)
        x[i] -= sum / (double)kept->count;
    return kept->count;
}

static int follow_one(const struct settings *settings, bool also, enum follows what,
                      struct followed *followed)
{
    const size_t most = settings->controlled.count + settings->as_is.count;
    AUTO_FREE double *x = calloc(most + 1, sizeof(*x));
    AUTO_FREE double *y = calloc(most + 1, sizeof(*y));
    struct least_squares fit;
    struct coefficient intercept, slope;
    if (!x || !y)
        return -ENOMEM;
    size_t count = add_pairs(settings->controlled_cell, &settings->controlled, what, x, y);
    if (also)
        count += add_pairs(settings->as_is_cell, &settings->as_is, what, x + count, y + count);
    const int error = straight_line(x, y, count, &fit, &intercept, &slope);
    if (error == -ENOMEM)
        return error;
    /* Not finite, or too few of them: then nothing follows. */
    if (error < 0 || slope.aliased || fit.df < 3 || !(slope.error >= 0) ||
        fit.r_squared < FOLLOWS_SHARE || fit.r_squared <= followed->share ||
        (slope.error > 0 &&
         t_two_sided_p(slope.value / slope.error, (double)fit.df) > FOLLOWS_LEVEL))
        return 0;
    *followed = (struct followed){what, slope.value, fit.r_squared};
    return 0;
}

int settings_follow(const struct settings *settings, bool also, struct followed *followed)
{
    static const enum follows candidates[] = {FOLLOWS_INTERRUPTS, FOLLOWS_FAULTS, FOLLOWS_SWITCHES};
    *followed = (struct followed){FOLLOWS_NOTHING, (double)NAN, 0};
    for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++)
        if (follow_one(settings, also, candidates[i], followed) < 0)
            return -ENOMEM;
    return 0;
}
