/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row for every event of every source, as it is and controlled: how much it varies, and what is
 * left when faults and interrupts are taken out. With --all every setting. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/repeat-show.h"

enum {
    COLUMN_PROGRAM,
    COLUMN_EVENT,
    COLUMN_SETTING,
    COLUMN_MEAN,
    COLUMN_STDEV,
    COLUMN_CV,
    COLUMN_ALIKE,
    COLUMN_ADJUSTED,
    COLUMN_RESIDUAL,
    COLUMNS
};
static const struct column columns[COLUMNS] = {
    {"program", false, false, false},  {"event", false, false, false},
    {"setting", false, false, false},  {"mean", true, false, false},
    {"stdev", true, false, false},     {"cv %", true, false, false},
    {"identical", true, false, false}, {"adjusted cv %", true, false, false},
    {"residual", true, false, false},
};

/* A narrow place has fewer columns. */
static const struct layout {
    bool stdev, residual;
} layouts[] = {{true, true}, {true, false}, {false, false}};
#define LAYOUTS (sizeof(layouts) / sizeof(*layouts))

/* --- which rows --- */

/* The setting that an effect calls controlled, whatever it is made of? */
static bool is_controlled(const struct repeat_run_of *run, size_t row)
{
    for (size_t i = 0; i < run->report.effect_count; i++)
        if (run->report.effects[i].controlled == row)
            return true;
    return false;
}

static bool is_shown(const struct repeat_run_of *run, size_t index)
{
    const struct repeat_row *row = &run->report.rows[index];
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    if (!cell || cell->sweep != SWEEP_NONE || cell->detail != DETAIL_NONE ||
        !repeat_is_detailed(run, cell->program))
        return false;
    if (run->options->all)
        return true;
    /* Raw counts of sources stand where these are side by side. */
    return !repeat_counts_repetitions(run, row) &&
           (!cell->controls || cell->controls == CONTROLS_ALL || is_controlled(run, index));
}

/* --- cells of the table --- */

static void add_names(struct table *table, const struct repeat_run_of *run,
                      const struct repeat_cell *cell, const struct repeat_row *row,
                      const struct repeat_row *before)
{
    const struct repeat_cell *last = before ? repeat_cell_of(run, before) : NULL;
    const bool several = run->file.program_count > 1 && run->options->all;
    const bool same_program = last && last->program == cell->program;
    const bool same_event = same_program && last->machine == cell->machine &&
                            strcmp(repeat_event_of(run, before), repeat_event_of(run, row)) == 0;
    AUTO_TEXT struct text event = {0};
    char setting[200];
    text_puts(&event, same_event ? "" : repeat_event_of(run, row));
    if (!same_event)
        repeat_put_machine(run, cell->machine, &event);
    table_add(table, TONE_PLAIN,
              several && !same_program ? repeat_program_name(run, cell->program) : "");
    table_add(table, TONE_PLAIN, text_string(&event));
    table_add(table, TONE_PLAIN, setting_name(cell->controls, setting, sizeof(setting)));
}

static void add_percent(struct table *table, enum tone tone, double percent)
{
    char text[NUMBER_SIZE];
    repeat_percent(percent, text, sizeof(text));
    table_add(table, tone, text);
}

static void add_number(struct table *table, enum tone tone, double value)
{
    char text[NUMBER_SIZE];
    repeat_number(value, text, sizeof(text));
    table_add(table, tone, text);
}

/* "+0.3 (-1 to 2)" */
static void add_residual(struct table *table, const struct repeat_row *row)
{
    char residual[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    if (!row->is_adjusted || !isfinite(row->residual)) {
        table_add(table, TONE_PLAIN, "");
        return;
    }
    repeat_difference(row->residual, residual, sizeof(residual));
    repeat_difference(row->residual_low, low, sizeof(low));
    repeat_difference(row->residual_high, high, sizeof(high));
    if (isfinite(row->residual_low) && isfinite(row->residual_high))
        table_addf(table, TONE_PLAIN, "%s (%s to %s)", residual, low, high);
    else
        table_add(table, TONE_PLAIN, residual);
}

static void add_row(struct table *table, const struct layout *layout,
                    const struct repeat_run_of *run, const struct repeat_row *row,
                    const struct repeat_row *before)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    const bool same = row->runs && row->distinct == 1;
    add_names(table, run, cell, row, before);
    if (row->runs) {
        add_number(table, TONE_STRONG, same ? (double)row->min : rint(row->mean));
        if (layout->stdev)
            add_number(table, TONE_PLAIN, row->stdev);
        else
            table_add(table, TONE_PLAIN, "");
        add_percent(table, same ? TONE_GOOD : TONE_PLAIN, row->cv_percent);
    } else {
        table_add(table, TONE_DIM, "-");
        table_add(table, TONE_PLAIN, "");
        table_add(table, TONE_DIM, "-");
    }
    table_addf(table, same ? TONE_GOOD : TONE_PLAIN, "%zu of %zu", repeat_alike(run, row),
               row->runs);
    if (row->is_adjusted)
        add_percent(table, TONE_PLAIN, row->adjusted_cv_percent);
    else
        table_add(table, TONE_PLAIN, "");
    if (layout->residual)
        add_residual(table, row);
    else
        table_add(table, TONE_PLAIN, "");
}

static bool fill(struct table *table, const struct layout *layout, const struct repeat_run_of *run)
{
    const struct repeat_row *before = NULL;
    bool adjusted = false;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        if (!is_shown(run, i))
            continue;
        add_row(table, layout, run, row, before);
        adjusted |= row->is_adjusted;
        before = row;
    }
    return adjusted;
}

static void put_legend(bool adjusted, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_puts(&words, "cv: standard deviation over mean; identical: runs with the count that most "
                      "have");
    if (adjusted)
        text_puts(&words, "; adjusted: without what page faults and interrupts add; residual: what "
                          "is then left over the truth, or over the source that agrees with it");
    section_put_words(text_string(&words), style, out);
}

void repeat_put_table(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    bool adjusted = false, any = false;
    AUTO_TEXT struct text lines = {0};
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct table table = {.columns = columns, .column_count = COLUMNS};
        adjusted = fill(&table, &layouts[i], run);
        any = table.count > 0;
        bool fits = i + 1 == LAYOUTS || table_width(&table) <= style->width;
        if (fits && any)
            table_put(&table, style, &lines);
        table_free(&table);
        if (fits)
            break;
    }
    out->failed |= lines.failed;
    if (!any)
        return;
    text_putc(out, '\n');
    text_puts(out, text_string(&lines));
    put_legend(adjusted, style, out);
}
