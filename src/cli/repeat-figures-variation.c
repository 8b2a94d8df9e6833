/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's Figures 1 to 3: how much programs vary before and after control, each by itself, and
 * all of one source together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/distribution.h"
#include "cli/repeat-show.h"

/* --- each program --- */

struct change {
    const struct repeat_row *as_is, *controlled;
    const struct repeat_cell *cell;
};

/* False: there are not several runs of both. */
static bool find_change(const struct repeat_run_of *run, const struct repeat_effect *effect,
                        struct change *change)
{
    *change = (struct change){.as_is = repeat_row_at(run, effect->as_is),
                              .controlled = repeat_row_at(run, effect->controlled)};
    change->cell = repeat_cell_of(run, change->as_is);
    return change->cell && repeat_cell_of(run, change->controlled) && change->as_is->runs > 1 &&
           change->controlled->runs > 1 && isfinite(change->as_is->cv_percent) &&
           isfinite(change->controlled->cv_percent);
}

/* Of all effects, or where they are too many of each program the one that says most. */
static bool is_shown(const struct repeat_run_of *run, const struct repeat_effect *effect,
                     struct change *change)
{
    return find_change(run, effect, change) && !repeat_counts_repetitions(run, change->as_is) &&
           (run->report.effect_count <= FIGURE_MOST_ROWS ||
            effect == repeat_leading(run, change->cell->machine, change->cell->program));
}

#define PAPER_LEFT 0.002 /* % that the paper was left with: the axis reaches below it */

/* Identical counts have no place on a log axis: they stand at its end, a decade below all others.
 */
static double end_of_axis(const struct repeat_run_of *run)
{
    double least = PAPER_LEFT;
    struct change change;
    for (size_t i = 0; i < run->report.effect_count; i++) {
        if (!is_shown(run, &run->report.effects[i], &change))
            continue;
        if (change.as_is->cv_percent > 0)
            least = fmin(least, change.as_is->cv_percent);
        if (change.controlled->cv_percent > 0)
            least = fmin(least, change.controlled->cv_percent);
    }
    return pow(10, floor(log10(least)) - 1);
}

struct overall {
    size_t rows, identical;
    struct change worst_before, worst_after;
};

static void look_at(const struct change *change, struct overall *overall)
{
    overall->rows++;
    overall->identical += change->controlled->distinct == 1;
    if (!overall->worst_before.cell ||
        change->as_is->cv_percent > overall->worst_before.as_is->cv_percent)
        overall->worst_before = *change;
    if (!overall->worst_after.cell ||
        change->controlled->cv_percent > overall->worst_after.controlled->cv_percent)
        overall->worst_after = *change;
}

static void put_worst(const struct repeat_run_of *run, const struct change *change, double percent,
                      struct text *out)
{
    char number[NUMBER_SIZE];
    if (!(percent > 0)) {
        text_puts(out, "not at all");
        return;
    }
    repeat_percent(percent, number, sizeof(number));
    text_printf(out, "by up to %s %% (%s, %s)", number,
                repeat_program_name(run, change->cell->program),
                repeat_event_of(run, change->as_is));
}

static void put_overall(const struct repeat_run_of *run, const struct overall *overall,
                        bool instructions, struct text *out)
{
    text_printf(out, " %s vary ", instructions ? "Counts of instructions" : "Counts");
    put_worst(run, &overall->worst_before, overall->worst_before.as_is->cv_percent, out);
    text_puts(out, " as they are and ");
    put_worst(run, &overall->worst_after, overall->worst_after.controlled->cv_percent, out);
    text_printf(out, " when controlled; %zu of %zu are then identical in every run.",
                overall->identical, overall->rows);
    if (instructions)
        text_puts(out, " In the paper it was 1.07 %, and less than 0.002 % in the end.");
}

/* Returns whether anything varies. */
static bool put_variation_caption(const struct repeat_run_of *run, double end, struct text *out)
{
    struct overall all = {0}, instructions = {0};
    struct change change;
    for (size_t i = 0; i < run->report.effect_count; i++) {
        if (!is_shown(run, &run->report.effects[i], &change))
            continue;
        look_at(&change, &all);
        if (repeat_counts_instructions(run, change.as_is))
            look_at(&change, &instructions);
    }
    text_printf(out,
                "Coefficient of variation of what a program counts from run to run: as it is, and "
                "with all controls on. Identical counts stand at the left end, at %g %%.",
                end);
    if (instructions.rows)
        put_overall(run, &instructions, true, out);
    else if (all.rows)
        put_overall(run, &all, false, out);
    return all.rows &&
           (all.worst_before.as_is->cv_percent > 0 || all.worst_after.controlled->cv_percent > 0);
}

static void add_change(json_t *figure, const struct repeat_run_of *run,
                       const struct repeat_effect *effect, const struct change *change, double end)
{
    const struct repeat_row *as_is = change->as_is, *controlled = change->controlled;
    FIGURE_ROW(figure, json_text(repeat_program_name(run, change->cell->program)),
               json_text(repeat_event_of(run, as_is)), json_text(change->cell->source),
               json_text(repeat_machine_name(run, change->cell->machine)),
               figure_number(fmax(as_is->cv_percent, end)),
               figure_number(fmax(controlled->cv_percent, end)), figure_number(as_is->cv_percent),
               figure_number(controlled->cv_percent), figure_number(as_is->mean),
               json_count(as_is->runs), json_count(controlled->runs),
               json_count(repeat_alike(run, as_is)), json_count(repeat_alike(run, controlled)),
               json_text(effect->who));
}

json_t *repeat_variation_figure(const struct repeat_run_of *run)
{
    const struct figure_column columns[] = {
        {"program", "program", ROLE_GROUP, true},
        {"event", "event", ROLE_GROUP, true},
        {"source", "source", ROLE_NONE, true},
        {"machine", "machine", repeat_machine_role(run), true},
        {"before", "as-is", ROLE_BEFORE, false},
        {"after", "controlled", ROLE_AFTER, false},
        {"as_is_percent", "as-is, exactly %", ROLE_NONE, false},
        {"controlled_percent", "controlled, exactly %", ROLE_NONE, false},
        {"mean", "mean as-is", ROLE_NONE, false},
        {"as_is_runs", "runs as-is", ROLE_NONE, false},
        {"controlled_runs", "runs controlled", ROLE_NONE, false},
        {"as_is_alike", "alike as-is", ROLE_NONE, false},
        {"controlled_alike", "alike controlled", ROLE_NONE, false},
        {"who", "by which control", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    struct change change;
    size_t added = 0;
    const double end = end_of_axis(run);
    const bool varies = put_variation_caption(run, end, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-variation",
        .title = "Variation before and after control",
        .caption = text_string(&caption),
        .paper = "Weaver and McKee 2008, Figures 1 and 2",
        .kind = varies ? FIGURE_DUMBBELLS : FIGURE_TABLE,
        .x = {.label = "coefficient of variation, %", .scale = SCALE_LOG},
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.effect_count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_effect *effect = &run->report.effects[i];
        if (!is_shown(run, effect, &change))
            continue;
        add_change(figure, run, effect, &change, end);
        added++;
    }
    if (run->report.effect_count > FIGURE_MOST_ROWS)
        figure_add_note(figure, "Of each program the event that says most.");
    return figure;
}

/* --- all programs of a source --- */

#define LEAST_PROGRAMS 3u /* fewer make no box */

struct pool {
    size_t machine;
    const char *source;
    double *deviations[2]; /* as-is, controlled: of each program */
    size_t count;
};

static bool is_of(const struct pool *pool, const struct change *change)
{
    return change->cell->machine == pool->machine &&
           strcmp(change->cell->source, pool->source) == 0;
}

/* Is it the first with its machine and source? */
static bool begins_pool(const struct repeat_run_of *run, size_t effect, struct pool *pool)
{
    struct change change;
    if (!find_change(run, &run->report.effects[effect], &change) ||
        !repeat_counts_instructions(run, change.as_is))
        return false;
    pool->machine = change.cell->machine;
    pool->source = change.cell->source;
    for (size_t i = 0; i < effect; i++)
        if (find_change(run, &run->report.effects[i], &change) && is_of(pool, &change) &&
            repeat_counts_instructions(run, change.as_is))
            return false;
    return true;
}

static void fill_pool(const struct repeat_run_of *run, struct pool *pool)
{
    struct change change;
    pool->count = 0;
    for (size_t i = 0; i < run->report.effect_count; i++)
        if (find_change(run, &run->report.effects[i], &change) && is_of(pool, &change) &&
            repeat_counts_instructions(run, change.as_is)) {
            pool->deviations[0][pool->count] = change.as_is->stdev;
            pool->deviations[1][pool->count++] = change.controlled->stdev;
        }
}

static void add_box(json_t *figure, const struct repeat_run_of *run, const struct pool *pool,
                    int setting)
{
    static const char *const settings[] = {"as-is", "controlled"};
    struct distribution seen;
    if (distribution_of(pool->deviations[setting], pool->count, &seen) < 0)
        return;
    FIGURE_ROW(figure, json_text(pool->source), json_text(settings[setting]),
               json_text(repeat_machine_name(run, pool->machine)), json_count(pool->count),
               figure_number(seen.min), figure_number(seen.q1), figure_number(seen.median),
               figure_number(seen.q3), figure_number(seen.max), seen.samples);
    json_decref(seen.density);
}

json_t *repeat_spread_figure(const struct repeat_run_of *run)
{
    const struct figure_column columns[] = {
        {"source", "source", ROLE_GROUP, true},
        {"setting", "setting", ROLE_GROUP, true},
        {"machine", "machine", repeat_machine_role(run), true},
        {"programs", "programs", ROLE_NONE, false},
        {"min", "lowest", ROLE_MIN, false},
        {"q1", "first quartile", ROLE_Q1, false},
        {"median", "median", ROLE_MEDIAN, false},
        {"q3", "third quartile", ROLE_Q3, false},
        {"max", "highest", ROLE_MAX, false},
        {"samples", "programs' deviations", ROLE_SAMPLES, false},
        {0},
    };
    const size_t most = run->report.effect_count + 1;
    AUTO_FREE double *as_is = calloc(most, sizeof(*as_is));
    AUTO_FREE double *controlled = calloc(most, sizeof(*controlled));
    struct pool pool = {.deviations = {as_is, controlled}};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-spread",
        .title = "How far runs lie apart, by who counts",
        .caption = "The standard deviation of each program's instructions, over all programs that "
                   "a source counted, as they are and controlled. A box far to the right in both "
                   "settings is a source whose counts differ whatever is held constant.",
        .paper = "Weaver and McKee 2008, Figure 3",
        .kind = FIGURE_BOXES,
        .x = {.label = "standard deviation, instructions", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns,
    });
    for (size_t i = 0; as_is && controlled && i < run->report.effect_count; i++) {
        if (!begins_pool(run, i, &pool))
            continue;
        fill_pool(run, &pool);
        for (int setting = 0; setting < 2 && pool.count >= LEAST_PROGRAMS; setting++)
            add_box(figure, run, &pool, setting);
    }
    return figure;
}
