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
#include "output/plot.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which control brought which part of what control brings: each switched on alone, and each left
 * out. Controls that change nothing share a line. */

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

/* ----------------------------------------------------------------------------------------------
 * What changing one thing in steps does to the count: a sentence for each sweep, and of the first
 * that matters (with --all of each) a plot. */

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
                strchr("aeiou", contribution->of[0]) ? "n" : "", contribution->of, each, low, high,
                contribution->event, contribution->runs, contribution->programs,
                contribution->programs == 1 ? "" : "s");
    if (isfinite(contribution->residual)) {
        char residual[NUMBER_SIZE];
        repeat_number(contribution->residual, residual, sizeof(residual));
        text_printf(out, "; standard deviation that is left %s", residual);
    }
    if (!contribution->firm && (contribution->low > 0 || contribution->high < 0))
        text_printf(out, "; it may be what the program itself does more then, and is not "
                         "subtracted: programs of known length tell (without --no-subjects)");
}

static void put_contribution(const struct repeat_run_of *run,
                             const struct repeat_contribution *contribution,
                             const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (contribution->known)
        put_known(contribution, &words);
    else
        text_printf(&words, "what a%s %s adds to %s is not known: %s",
                    strchr("aeiou", contribution->of[0]) ? "n" : "", contribution->of,
                    contribution->event, contribution->why);
    repeat_put_machine(run, contribution->machine, &words);
    section_put_item(text_string(&words), style, out);
}

void repeat_put_system(const struct repeat_run_of *run, const struct style *style, struct text *out)
{
    bool any = false;
    for (size_t i = 0; i < run->report.contribution_count; i++) {
        const struct repeat_contribution *contribution = &run->report.contributions[i];
        if (!contribution->known && !run->options->all)
            continue;
        if (!any)
            section_put_heading("What the operating system adds to counts", style, out);
        any = true;
        put_contribution(run, contribution, style, out);
    }
}

/* --- the proper counter --- */

void repeat_put_ranking(const struct repeat_run_of *run, const struct style *style,
                        struct text *out)
{
    static const struct column columns[] = {
        {"class", false, false, false},   {"event", false, false, false},
        {"machine", false, false, false}, {"off by %", true, false, false},
        {"stdev %", true, false, false},  {"programs", true, false, false},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < run->report.rank_count; i++) {
        const struct repeat_rank *rank = &run->report.ranks[i];
        char off[NUMBER_SIZE], stdev[NUMBER_SIZE];
        repeat_percent(rank->off_percent, off, sizeof(off));
        repeat_percent(rank->stdev_percent, stdev, sizeof(stdev));
        table_add(&table, TONE_PLAIN, rank->place == 1 ? rank->class : "");
        table_add(&table, rank->place == 1 ? TONE_GOOD : TONE_PLAIN, rank->event);
        table_add(&table, TONE_PLAIN,
                  run->file.machine_count > 1 ? repeat_machine_name(run, rank->machine) : "");
        table_add(&table, TONE_PLAIN, off);
        table_add(&table, TONE_PLAIN, stdev);
        table_addf(&table, TONE_PLAIN, "%zu", rank->programs);
    }
    if (table.count) {
        section_put_heading("The proper counter of a class, nearest to the truth first", style,
                            out);
        table_put(&table, style, out);
    }
    table_free(&table);
}

/* ----------------------------------------------------------------------------------------------
 * A row for every event of every source, as it is and controlled: how much it varies, and what is
 * left when faults and interrupts are taken out. With --all every setting. */

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

static void table_add_percent(struct table *table, enum tone tone, double percent)
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
        table_add_percent(table, same ? TONE_GOOD : TONE_PLAIN, row->cv_percent);
    } else {
        table_add(table, TONE_DIM, "-");
        table_add(table, TONE_PLAIN, "");
        table_add(table, TONE_DIM, "-");
    }
    table_addf(table, same ? TONE_GOOD : TONE_PLAIN, "%zu of %zu", repeat_alike(run, row),
               row->runs);
    if (row->is_adjusted)
        table_add_percent(table, TONE_PLAIN, row->adjusted_cv_percent);
    else
        table_add(table, TONE_PLAIN, "");
    if (layout->residual)
        add_residual(table, row);
    else
        table_add(table, TONE_PLAIN, "");
}

static bool table_fill(struct table *table, const struct layout *layout,
                       const struct repeat_run_of *run)
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
        adjusted = table_fill(&table, &layouts[i], run);
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
