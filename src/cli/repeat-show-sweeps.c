/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What changing one thing in steps does to the count: a sentence for each sweep, and of the first
 * that matters (with --all of each) a plot. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/repeat-show.h"
#include "show/scatter.h"

#define ROWS         6u
#define LEAST_POINTS 4u /* fewer make no plot */

static const char *const subjects_of[SWEEP_COUNT] = {
    [SWEEP_ENVIRONMENT] = "bytes more in the environment",
    [SWEEP_STACK] = "bytes by which the stack begins lower",
    [SWEEP_ASLR] = "draws of random addresses",
};

bool repeat_is_point(const struct repeat_run_of *run, const struct repeat_sweep *sweep,
                     const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && cell->machine == sweep->machine && cell->program == sweep->program &&
           cell->sweep == sweep->sweep && strcmp(cell->source, sweep->source) == 0 &&
           strcmp(repeat_event_of(run, row), sweep->event) == 0;
}

static void put_plot(const struct repeat_run_of *run, const struct repeat_sweep *sweep,
                     const struct style *style, struct text *out)
{
    const struct repeat_report *report = &run->report;
    AUTO_FREE struct scatter_point *points = calloc(report->row_count + 1, sizeof(*points));
    const char *names[] = {sweep->event};
    AUTO_TEXT struct text heading = {0};
    char lowest[NUMBER_SIZE];
    size_t count = 0;
    if (!points) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < report->row_count; i++)
        if (repeat_is_point(run, sweep, &report->rows[i]) && report->rows[i].runs)
            points[count++] =
                (struct scatter_point){.x = (double)run->file.cells[report->rows[i].cell].swept,
                                       .y = report->rows[i].usual - sweep->lowest};
    const struct scatter scatter = {
        .series = names, .series_count = 1, .points = points, .count = count, .rows = ROWS};
    if (count < LEAST_POINTS)
        return;
    repeat_number(sweep->lowest, lowest, sizeof(lowest));
    text_printf(&heading, "Across: %s; up: counts beyond %s", subjects_of[sweep->sweep], lowest);
    section_put_words(text_string(&heading), style, out);
    scatter_put(&scatter, style, out);
}

static void put_sentence(const struct repeat_run_of *run, const struct repeat_sweep *sweep,
                         const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (run->file.program_count > 1 && run->options->all)
        text_printf(&words, "%s, ", repeat_program_name(run, sweep->program));
    text_printf(&words, "%s, %s", sweep_names[sweep->sweep], sweep->event);
    repeat_put_machine(run, sweep->machine, &words);
    text_printf(&words, ": %s", sweep->what);
    section_put_item(text_string(&words), style, out);
}

void repeat_put_sweeps(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    const struct repeat_report *report = &run->report;
    bool any = false, plotted = false;
    for (size_t i = 0; i < report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &report->sweeps[i];
        if (!repeat_is_detailed(run, sweep->program) || sweep->sweep <= SWEEP_NONE ||
            sweep->sweep >= SWEEP_COUNT)
            continue;
        if (!any)
            section_put_heading("What the count depends on", style, out);
        any = true;
        put_sentence(run, sweep, style, out);
        if (!sweep->matters || (plotted && !run->options->all) ||
            (sweep->sweep == SWEEP_ASLR && !run->options->all))
            continue;
        put_plot(run, sweep, style, out);
        plotted = true;
    }
}
