/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A row for every event of every source, as it is and controlled: how much it varies, and what is
 * left when faults and interrupts are taken out. With --all every setting. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which control brought which part of what control brings: each switched on alone, and each left
 * out. Controls that change nothing share a line. */

#define LITTLE     0.05 /* of the variance: less is not worth a line */
#define LEAST_ROLE 19u  /* columns for what a control is to it, which wrap */

static bool is_measured(const struct control_part *part)
{
    return isfinite(part->only.cv) || isfinite(part->without.cv);
}

static bool does_something(const struct control_part *part)
{
    const bool much = (isfinite(part->only.part) && part->only.low > LITTLE) ||
                      (isfinite(part->without.part) && part->without.low > LITTLE);
    return part->brings || part->is_needed || part->only.shifts || part->without.shifts || much;
}

/* "84 % (70 to 92)" of the variance. */
static void add_setting(struct table *table, bool interval, const struct control_setting *setting)
{
    table_add(table, TONE_PLAIN, REPEAT_PERCENT(setting->cv));
    if (!isfinite(setting->part)) {
        table_add(table, TONE_DIM, "-");
        return;
    }
    if (interval && isfinite(setting->low) && isfinite(setting->high))
        table_addf(table, TONE_STRONG, "%.0f %% (%.0f to %.0f)", 100 * setting->part + 0.0,
                   100 * setting->low + 0.0, 100 * setting->high + 0.0);
    else
        table_addf(table, TONE_STRONG, "%.0f %%", 100 * setting->part + 0.0);
}

static void add_part(struct table *table, bool intervals, const struct control_part *part,
                     enum control control)
{
    const bool moves = part->only.shifts || part->without.shifts;
    table_add(table, part->brings || part->is_needed ? TONE_GOOD : TONE_PLAIN,
              control_names[control]);
    add_setting(table, intervals, &part->only);
    add_setting(table, intervals, &part->without);
    /* By how much it moves the mean, where that is beyond chance: on beside off. */
    table_add(table, TONE_PLAIN,
              moves ? REPEAT_DIFFERENCE(part->only.shifts ? rint(part->only.shift)
                                                          : -rint(part->without.shift))
                    : "");
    table_add(table, TONE_PLAIN,
              part->brings           ? part->is_needed ? "did it" : "brings it"
              : part->is_needed      ? "needed"
              : moves                ? "moves it"
              : does_something(part) ? "a part"
                                     : "nothing");
}

static void put_effect(const struct repeating *run, const struct repeat_effect *effect,
                       const struct repeat_cell *cell, const struct style *style, struct text *out)
{
    static const struct column part_columns[] = {
        {"control"},          {"alone cv%", true}, {"takes away", true}, {"without cv%", true},
        {"comes back", true}, {"moves by", true},  {"", .wraps = true}};
    const bool all = run->studying.options->all;
    AUTO_TEXT struct text heading = {0};
    AUTO_TEXT struct text idle = {0}; /* "Nothing beyond chance by: argv0, cpu." */
    text_puts(&heading, "Which control brings what: ");
    if (run->file.program_count > 1 && all)
        text_printf(&heading, "%s, ", repeat_program_name(run, cell->at.program));
    text_puts(&heading, repeat_event_of(effect->as_is));
    repeat_put_machine(run, cell->at.machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    /* Parts that are worth a row, or all; a narrow place has no intervals. */
    for (int intervals = 1; intervals >= 0; intervals--) {
        struct table table = {.columns = part_columns,
                              .column_count = sizeof(part_columns) / sizeof(*part_columns)};
        for (int control = 0; control < CONTROL_COUNT; control++) {
            const struct control_part *part = &effect->parts[control];
            if (is_measured(part) && (all || does_something(part)))
                add_part(&table, intervals, part, (enum control)control);
        }
        bool fits = !intervals || table_width(&table) + LEAST_ROLE <= style->width;
        if (fits && table.count)
            table_put(&table, style, out);
        table_free(&table);
        if (fits)
            break;
    }
    for (int control = 0; control < CONTROL_COUNT && !all; control++)
        if (is_measured(&effect->parts[control]) && !does_something(&effect->parts[control]))
            text_printf(&idle, "%s%s",
                        idle.length ? ", " : "Nothing beyond chance by: ", control_names[control]);
    if (idle.length)
        section_put_words(text_string(&idle), style, out);
}

void repeat_put_controls(const struct repeating *run, const struct style *style, struct text *out)
{
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        const struct repeat_cell *cell = effect->as_is->cell;
        bool measured = false;
        if (!repeat_is_detailed(run, cell->at.program))
            continue;
        for (int control = 0; control < CONTROL_COUNT; control++)
            measured |= is_measured(&effect->parts[control]);
        if (measured && (run->studying.options->all ||
                         effect == repeat_leading(run, cell->at.machine, cell->at.program)))
            put_effect(run, effect, cell, style, out);
    }
}

/* ----------------------------------------------------------------------------------------------
 * What changing one thing in steps does to the count: a sentence for each sweep. */

void repeat_put_sweeps(const struct repeating *run, const struct style *style, struct text *out)
{
    const struct repeat_report *report = &run->report;
    const bool all = run->studying.options->all;
    bool any = false;
    for (size_t i = 0; i < report->sweep_count; i++) {
        const struct repeat_sweep *sweep = &report->sweeps[i];
        AUTO_TEXT struct text words = {0};
        if (!repeat_is_detailed(run, sweep->at.program))
            continue;
        if (!any)
            section_put_heading("What the count depends on", style, out);
        any = true;
        if (run->file.program_count > 1 && all)
            text_printf(&words, "%s, ", repeat_program_name(run, sweep->at.program));
        text_printf(&words, "%s, %s", sweep_names[sweep->sweep], sweep->event);
        repeat_put_machine(run, sweep->at.machine, &words);
        text_puts(&words, ": ");
        reasons_put(&sweep->what, &words);
        section_put_item(text_string(&words), style, out);
    }
}

/* ----------------------------------------------------------------------------------------------
 * What the operating system adds to counts, a fault and an interrupt at a time; and which of
 * several events of one class is the proper one. */

/* --- faults and interrupts --- */

/* "a page-fault adds 1.00 (0.98 to 1.02) instructions:u, by 96 runs of 3 programs" */
static void put_known(const struct repeat_contribution *contribution, struct text *out)
{
    char each[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    number_significant(contribution->each, 3, each, sizeof(each));
    number_significant(contribution->low, 3, low, sizeof(low));
    number_significant(contribution->high, 3, high, sizeof(high));
    text_printf(out, "a%s %s adds %s (%s to %s) %s, by %zu runs of %zu program%s",
                contribution->of == DISTURBANCE_INTERRUPT ? "n" : "",
                disturbance_names[contribution->of], each, low, high, contribution->event,
                contribution->runs, contribution->programs, contribution->programs == 1 ? "" : "s");
    if (isfinite(contribution->residual))
        text_printf(out, "; standard deviation that is left %s",
                    REPEAT_NUMBER(contribution->residual));
    if (!contribution->firm && (contribution->low > 0 || contribution->high < 0))
        text_printf(out, "; it may be what the program itself does more then, and is not "
                         "subtracted: programs of known length tell (without --no-subjects)");
}

void repeat_put_system(const struct repeating *run, const struct style *style, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < run->report.contribution_count; i++) {
        const struct repeat_contribution *contribution = &run->report.contributions[i];
        AUTO_TEXT struct text words = {0};
        if (!contribution->known && !run->studying.options->all)
            continue;
        if (!any)
            section_put_heading("What the operating system adds to counts", style, out);
        any = true;
        if (contribution->known)
            put_known(contribution, &words);
        else
            text_printf(&words, "what a%s %s adds to %s is not known: %s",
                        contribution->of == DISTURBANCE_INTERRUPT ? "n" : "",
                        disturbance_names[contribution->of], contribution->event,
                        reasons_text(&contribution->why));
        repeat_put_machine(run, contribution->machine, &words);
        section_put_item(text_string(&words), style, out);
    }
}

/* --- the proper counter --- */

void repeat_put_ranking(const struct repeating *run, const struct style *style, struct text *out)
{
    if (!run->report.rank_count)
        return;
    section_put_heading("The proper counter of a class, nearest to the truth first", style, out);
    fields_put_table(&repeat_ranking, run, run, style, out);
}

/* --- the table --- */

static const struct column columns[] = {
    {"program"},       {"event"},      {"setting"},         {"mean", true},
    {"stdev", true},   {"cv %", true}, {"identical", true}, {"adjusted cv %", true},
    {"residual", true}};

/* A narrow place has fewer columns. */
static const struct layout {
    bool stdev, residual;
} layouts[] = {{true, true}, {true, false}, {false, false}};
#define LAYOUTS (sizeof(layouts) / sizeof(*layouts))

/* --- which rows --- */

static bool is_shown(const struct repeating *run, size_t index)
{
    const struct repeat_row *row = &run->report.rows[index];
    const struct repeat_cell *cell = row->cell;
    if (cell->sweep != SWEEP_NONE || !repeat_is_detailed(run, cell->at.program))
        return false;
    if (run->studying.options->all)
        return true;
    /* What an effect calls controlled, whatever it is made of. */
    bool shown = !cell->controls || cell->controls == CONTROLS_ALL;
    for (size_t i = 0; i < run->report.effect_count && !shown; i++)
        shown = run->report.effects[i].controlled == row;
    /* Raw counts of sources stand where these are side by side. */
    return shown && !repeat_counts_repetitions(row);
}

/* --- cells of the table --- */

static void add_names(struct table *table, const struct repeating *run,
                      const struct repeat_cell *cell, const struct repeat_row *row,
                      const struct repeat_row *before)
{
    const struct repeat_cell *last = before ? before->cell : NULL;
    const bool several = run->file.program_count > 1 && run->studying.options->all;
    const bool same_program = last && last->at.program == cell->at.program;
    const bool same_event = same_program && last->at.machine == cell->at.machine &&
                            strcmp(repeat_event_of(before), repeat_event_of(row)) == 0;
    AUTO_TEXT struct text event = {0};
    text_puts(&event, same_event ? "" : repeat_event_of(row));
    if (!same_event)
        repeat_put_machine(run, cell->at.machine, &event);
    table_add(table, TONE_PLAIN,
              several && !same_program ? repeat_program_name(run, cell->at.program) : "");
    table_add(table, TONE_PLAIN, text_string(&event));
    table_add(table, TONE_PLAIN, REPEAT_SETTING(cell->controls));
}

static void add_row(struct table *table, const struct layout *layout, const struct repeating *run,
                    const struct repeat_row *row, const struct repeat_row *before)
{
    const struct repeat_cell *cell = row->cell;
    const bool same = row->runs && row->distinct == 1;
    AUTO_TEXT struct text residual = {0};
    add_names(table, run, cell, row, before);
    table_add(table, row->runs ? TONE_STRONG : TONE_DIM,
              row->runs ? REPEAT_NUMBER(same ? (double)row->min : rint(row->mean)) : "-");
    table_add(table, TONE_PLAIN, row->runs && layout->stdev ? REPEAT_NUMBER(row->stdev) : "");
    table_add(table,
              same        ? TONE_GOOD
              : row->runs ? TONE_PLAIN
                          : TONE_DIM,
              row->runs ? REPEAT_PERCENT(row->cv_percent) : "-");
    table_addf(table, same ? TONE_GOOD : TONE_PLAIN, "%zu of %zu", repeat_alike(row), row->runs);
    table_add(table, TONE_PLAIN, row->is_adjusted ? REPEAT_PERCENT(row->adjusted_cv_percent) : "");
    /* "+0.3 (-1 to 2)" */
    if (layout->residual && row->is_adjusted && isfinite(row->residual))
        text_puts(&residual, REPEAT_DIFFERENCE(row->residual));
    if (residual.length && isfinite(row->residual_low) && isfinite(row->residual_high))
        text_printf(&residual, " (%s to %s)", REPEAT_DIFFERENCE(row->residual_low),
                    REPEAT_DIFFERENCE(row->residual_high));
    table_add(table, TONE_PLAIN, text_string(&residual));
}

void repeat_put_table(const struct repeating *run, const struct style *style, struct text *out)
{
    bool adjusted = false, fits = false;
    AUTO_TEXT struct text lines = {0};
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < LAYOUTS && !fits; i++) {
        struct table table = {.columns = columns,
                              .column_count = sizeof(columns) / sizeof(*columns)};
        const struct repeat_row *before = NULL;
        for (size_t row = 0; row < run->report.row_count; row++) {
            if (!is_shown(run, row))
                continue;
            add_row(&table, &layouts[i], run, &run->report.rows[row], before);
            before = &run->report.rows[row];
            adjusted |= before->is_adjusted;
        }
        fits = i + 1 == LAYOUTS || table_width(&table) <= style->width;
        if (fits && table.count)
            table_put(&table, style, &lines);
        table_free(&table);
    }
    if (!lines.length)
        return;
    text_putc(out, '\n');
    text_puts(out, text_string(&lines));
    text_puts(&words, "cv: standard deviation over mean; identical: runs with the count that most "
                      "have");
    if (adjusted)
        text_puts(&words, "; adjusted: without what page faults and interrupts add; residual: what "
                          "is then left over the truth, or over the source that agrees with it");
    section_put_words(text_string(&words), style, out);
}
