/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control brought which part of what control brings: each switched on alone, and each left
 * out. Controls that change nothing share a line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/repeat-show.h"

#define LITTLE     0.05 /* of the variance: less is not worth a line */
#define LEAST_ROLE 19u  /* columns for what a control is to it, which wrap */

static bool is_measured(const struct control_part *part)
{
    return isfinite(part->only_cv) || isfinite(part->without_cv);
}

static bool does_something(const struct control_part *part)
{
    const bool much = (isfinite(part->only_part) && part->only_low > LITTLE) ||
                      (isfinite(part->without_part) && part->without_low > LITTLE);
    return part->brings || part->is_needed || part->only_shifts || part->without_shifts || much;
}

/* "84 % (70 to 92)" of the variance. */
static void add_share(struct table *table, bool interval, double part, double low, double high)
{
    if (!isfinite(part)) {
        table_add(table, TONE_DIM, "-");
        return;
    }
    if (interval && isfinite(low) && isfinite(high))
        table_addf(table, TONE_STRONG, "%.0f %% (%.0f to %.0f)", 100 * part + 0.0, 100 * low + 0.0,
                   100 * high + 0.0);
    else
        table_addf(table, TONE_STRONG, "%.0f %%", 100 * part + 0.0);
}

static void add_percent(struct table *table, double percent)
{
    char text[NUMBER_SIZE];
    repeat_percent(percent, text, sizeof(text));
    table_add(table, TONE_PLAIN, text);
}

/* By how much it moves the mean, where that is beyond chance: on beside off. */
static void add_shift(struct table *table, const struct control_part *part)
{
    char text[NUMBER_SIZE] = "";
    if (part->only_shifts)
        repeat_difference(rint(part->only_shift), text, sizeof(text));
    else if (part->without_shifts)
        repeat_difference(-rint(part->without_shift), text, sizeof(text));
    table_add(table, TONE_PLAIN, text);
}

static const char *role_of(const struct control_part *part)
{
    if (part->brings)
        return part->is_needed ? "did it" : "brings it";
    if (part->is_needed)
        return "needed";
    if (part->only_shifts || part->without_shifts)
        return "moves it";
    return does_something(part) ? "a part" : "nothing";
}

static void add_part(struct table *table, bool intervals, const struct control_part *part)
{
    table_add(table, part->brings || part->is_needed ? TONE_GOOD : TONE_PLAIN,
              control_names[part->control]);
    add_percent(table, part->only_cv);
    add_share(table, intervals, part->only_part, part->only_low, part->only_high);
    add_percent(table, part->without_cv);
    add_share(table, intervals, part->without_part, part->without_low, part->without_high);
    add_shift(table, part);
    table_add(table, TONE_PLAIN, role_of(part));
}

/* "No change by: argv0, cpu." */
static void put_idle(const struct repeat_effect *effect, const struct style *style,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0};
    for (int control = 0; control < CONTROL_COUNT; control++) {
        const struct control_part *part = &effect->parts[control];
        if (is_measured(part) && !does_something(part))
            text_printf(&words, "%s%s",
                        words.length ? ", " : "Nothing beyond chance by: ", control_names[control]);
    }
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

/* Parts that are worth a row, or all. */
static void fill(struct table *table, const struct repeat_run_of *run,
                 const struct repeat_effect *effect, bool intervals)
{
    for (int control = 0; control < CONTROL_COUNT; control++) {
        /* Where a part was not filled, its control is that of its place. */
        struct control_part part = effect->parts[control];
        part.control = (enum control)control;
        if (is_measured(&part) && (run->options->all || does_something(&part)))
            add_part(table, intervals, &part);
    }
}

static void put_parts(const struct repeat_run_of *run, const struct repeat_effect *effect,
                      const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {"control", false, false, false},   {"alone cv%", true, false, false},
        {"takes away", true, false, false}, {"without cv%", true, false, false},
        {"comes back", true, false, false}, {"moves by", true, false, false},
        {"", false, true, false},
    };
    /* A narrow place has no intervals. */
    for (int intervals = 1; intervals >= 0; intervals--) {
        struct table table = {.columns = columns,
                              .column_count = sizeof(columns) / sizeof(*columns)};
        fill(&table, run, effect, intervals);
        bool fits = !intervals || table_width(&table) + LEAST_ROLE <= style->width;
        if (fits && table.count)
            table_put(&table, style, out);
        table_free(&table);
        if (fits)
            break;
    }
}

static bool any_measured(const struct repeat_effect *effect)
{
    for (int control = 0; control < CONTROL_COUNT; control++)
        if (is_measured(&effect->parts[control]))
            return true;
    return false;
}

static void put_effect(const struct repeat_run_of *run, const struct repeat_effect *effect,
                       const struct repeat_cell *cell, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text heading = {0};
    if (!any_measured(effect))
        return;
    text_puts(&heading, "Which control brings what: ");
    if (run->file.program_count > 1 && run->options->all)
        text_printf(&heading, "%s, ", repeat_program_name(run, cell->program));
    text_puts(&heading, repeat_event_of(run, repeat_row_at(run, effect->as_is)));
    repeat_put_machine(run, cell->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    put_parts(run, effect, style, out);
    if (!run->options->all)
        put_idle(effect, style, out);
}

void repeat_put_controls(const struct repeat_run_of *run, const struct style *style,
                         struct text *out)
{
    for (size_t i = 0; i < run->report.effect_count; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        const struct repeat_cell *cell = repeat_cell_of(run, repeat_row_at(run, effect->as_is));
        if (!cell || !repeat_is_detailed(run, cell->program))
            continue;
        if (run->options->all || effect == repeat_leading(run, cell->machine, cell->program))
            put_effect(run, effect, cell, style, out);
    }
}
