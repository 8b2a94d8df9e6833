/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operating system adds to counts, what is left when that is subtracted, and which of
 * several events of one class is the proper one. */
#include <math.h>

#include "cli/repeat-show.h"

/* --- what faults and interrupts add --- */

static bool is_told(const struct repeat_contribution *contribution)
{
    return contribution->known && isfinite(contribution->each);
}

static void put_contributions_caption(const struct repeat_run_of *run, struct text *out)
{
    text_puts(out, "How many events one page fault or one interrupt adds to a count, estimated "
                   "over all runs, with 95 %.");
    for (size_t i = 0; i < run->report.contribution_count; i++) {
        const struct repeat_contribution *at = &run->report.contributions[i];
        if (is_told(at) && at->firm && at->low > 0) {
            text_printf(out, " Here %s grow by %.3g with each %s; in the paper by one.", at->event,
                        at->each, at->of);
            return;
        }
    }
    text_puts(out, " None is above 0 for certain here.");
}

json_t *repeat_contributions_figure(const struct repeat_run_of *run)
{
    const struct figure_column columns[] = {
        {"event", "event", ROLE_GROUP, true},
        {"of", "for each", ROLE_GROUP, false},
        {"machine", "machine", repeat_machine_role(run), true},
        {"each", "events", ROLE_VALUE, false},
        {"low", "low", ROLE_LOW, false},
        {"high", "high", ROLE_HIGH, false},
        {"firm", "programs' own counts are", ROLE_SERIES, false},
        {"runs", "runs", ROLE_NONE, false},
        {"programs", "programs", ROLE_NONE, false},
        {"residual", "deviation that is left", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    put_contributions_caption(run, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-contributions",
        .title = "What the operating system adds",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "events for each fault or interrupt", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns,
    });
    size_t added = 0;
    for (size_t i = 0; i < run->report.contribution_count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_contribution *at = &run->report.contributions[i];
        if (!is_told(at))
            continue;
        FIGURE_ROW(figure, json_text(at->event), json_text(at->of),
                   json_text(repeat_machine_name(run, at->machine)), figure_number(at->each),
                   figure_number(at->low), figure_number(at->high),
                   json_text(at->firm ? "known" : "not known"), json_count(at->runs),
                   json_count(at->programs), figure_number(at->residual));
        added++;
    }
    return figure;
}

/* --- adjusted counts --- */

static bool is_adjusted(const struct repeat_run_of *run, const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && row->is_adjusted && cell->sweep == SWEEP_NONE && isfinite(row->stdev) &&
           isfinite(row->adjusted_stdev);
}

static void put_adjusted_caption(const struct repeat_run_of *run, struct text *out)
{
    size_t rows = 0, less = 0, known = 0, right = 0;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        if (!is_adjusted(run, row))
            continue;
        rows++;
        less += row->adjusted_stdev < row->stdev;
        if (!isfinite(row->residual_low) || !isfinite(row->residual_high))
            continue;
        known++;
        right += row->residual_low <= 0 && row->residual_high >= 0;
    }
    text_printf(out,
                "The standard deviation of counts before and after subtracting what page faults "
                "and interrupts added. %zu of %zu vary less.",
                less, rows);
    if (known)
        text_printf(out,
                    " What is left beside the truth or an exact source may be nothing in %zu of "
                    "the %zu where one is known.",
                    right, known);
}

json_t *repeat_adjusted_figure(const struct repeat_run_of *run)
{
    const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"event", "event", ROLE_GROUP, true},
        {"setting", "setting", ROLE_GROUP, true},
        {"source", "source", ROLE_NONE, true},
        {"machine", "machine", repeat_machine_role(run), true},
        {"stdev", "as counted", ROLE_BEFORE, false},
        {"adjusted_stdev", "adjusted", ROLE_AFTER, false},
        {"mean", "mean", ROLE_NONE, false},
        {"adjusted_mean", "adjusted mean", ROLE_NONE, false},
        {"residual", "left beside the truth", ROLE_NONE, false},
        {"residual_low", "low", ROLE_NONE, false},
        {"residual_high", "high", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    put_adjusted_caption(run, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-adjusted",
        .title = "Counts without what the operating system added",
        .caption = text_string(&caption),
        .kind = FIGURE_DUMBBELLS,
        .x = {.label = "standard deviation, events", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns,
    });
    size_t added = 0;
    for (size_t i = 0; i < run->report.row_count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        const struct repeat_cell *cell = repeat_cell_of(run, row);
        char setting[256];
        if (!is_adjusted(run, row))
            continue;
        FIGURE_ROW(figure, json_text(repeat_program_name(run, cell->program)),
                   json_text(repeat_event_of(run, row)),
                   json_text(setting_name(cell->controls, setting, sizeof(setting))),
                   json_text(cell->source), json_text(repeat_machine_name(run, cell->machine)),
                   figure_number(row->stdev), figure_number(row->adjusted_stdev),
                   figure_number(row->mean), figure_number(row->adjusted_mean),
                   figure_number(row->residual), figure_number(row->residual_low),
                   figure_number(row->residual_high));
        added++;
    }
    return figure;
}

/* --- the proper counter --- */

json_t *repeat_ranking_figure(const struct repeat_run_of *run)
{
    static const struct figure_column columns[] = {
        {"class", "class", ROLE_NONE, true},
        {"place", "place", ROLE_NONE, false},
        {"event", "event", ROLE_NONE, true},
        {"machine", "machine", ROLE_NONE, true},
        {"off_percent", "off the truth, %", ROLE_NONE, false},
        {"stdev_percent", "standard deviation, %", ROLE_NONE, false},
        {"programs", "programs", ROLE_NONE, false},
        {0},
    };
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-ranking",
        .title = "Which of several events is the proper one",
        .caption = "Events that claim to count the same, by how near they come to the truth over "
                   "programs whose truth is known; the first of a class is the one to use here.",
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.rank_count && i < FIGURE_MOST_ROWS; i++) {
        const struct repeat_rank *rank = &run->report.ranks[i];
        FIGURE_ROW(figure, json_text(rank->class), json_count(rank->place), json_text(rank->event),
                   json_text(repeat_machine_name(run, rank->machine)),
                   figure_number(rank->off_percent), figure_number(rank->stdev_percent),
                   json_count(rank->programs));
    }
    return figure;
}
