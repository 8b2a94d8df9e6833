/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay repeat`, and what they share. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/figure.h"
#include "studies/repeat/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Which control brings which part: each switched on alone, and each left out, program by program.
 */

/* One control of one program. */
struct share {
    double percent;   /* of the as-is variance that is gone, or that comes back */
    double low, high; /* 95 % */
    double cv, shift;
    bool shifts, decides;
};

typedef struct share share_of(const struct control_part *part);

static struct share alone(const struct control_part *part)
{
    return (struct share){100 * part->only_part, 100 * part->only_low, 100 * part->only_high,
                          part->only_cv,         part->only_shift,     part->only_shifts,
                          part->brings};
}

static struct share left_out(const struct control_part *part)
{
    return (struct share){100 * part->without_part, 100 * part->without_low,
                          100 * part->without_high, part->without_cv,
                          part->without_shift,      part->without_shifts,
                          part->is_needed};
}

/* A variance that grew tenfold would take all colour from the rest. Whole, for people who read it
 * in a field. */
static double drawn(double percent)
{
    return rint(fmin(100, fmax(-100, percent))) + 0.0;
}

static bool is_measured(const struct share *share)
{
    return isfinite(share->percent) && isfinite(share->cv);
}

/* The effect that says most of each program and machine; calls `each` with it. */
struct view {
    const struct repeat_run_of *run;
    share_of *share;
    json_t *figure;  /* NULL: they are only counted */
    struct text *by; /* "aslr (perl), hash-seeds (perl)": what decides */
    size_t fields, decisive, added;
};

static void visit_control(struct view *view, const struct repeat_effect *effect, int control,
                          const struct repeat_cell *cell)
{
    const struct repeat_run_of *run = view->run;
    const struct share share = view->share(&effect->parts[control]);
    AUTO_TEXT struct text where = {0};
    if (!is_measured(&share) || view->added == FIGURE_MOST_ROWS)
        return;
    view->fields++;
    if (share.decides && !view->figure) {
        text_printf(view->by, "%s%s (%s)", view->decisive ? ", " : "", control_names[control],
                    repeat_program_name(run, cell->program));
        view->decisive++;
    }
    if (!view->figure)
        return;
    text_puts(&where, repeat_program_name(run, cell->program));
    repeat_put_machine(run, cell->machine, &where);
    view->added++;
    FIGURE_ROW(view->figure, json_text(text_string(&where)), json_text(control_names[control]),
               figure_number(drawn(share.percent)), figure_number(share.percent),
               figure_number(share.low), figure_number(share.high), figure_number(share.cv),
               figure_number(share.shifts ? share.shift : NAN),
               json_text(repeat_program_name(run, cell->program)),
               json_text(repeat_machine_name(run, cell->machine)),
               json_text(repeat_event_of(run, repeat_row_at(run, effect->as_is))),
               json_text(cell->source));
}

static void visit(struct view *view)
{
    const struct repeat_run_of *run = view->run;
    for (size_t program = 0; program < run->file.program_count; program++)
        for (size_t machine = 0; machine < run->file.machine_count; machine++) {
            const struct repeat_effect *effect = repeat_leading(run, machine, program);
            const struct repeat_cell *cell =
                effect ? repeat_cell_of(run, repeat_row_at(run, effect->as_is)) : NULL;
            for (int control = 0; cell && control < CONTROL_COUNT; control++)
                visit_control(view, effect, control, cell);
        }
}

static json_t *controls_figure(const struct repeat_run_of *run, share_of *share,
                               const struct figure_spec *like, const char *what, const char *decide)
{
    static const struct figure_column columns[] = {
        {"row", "program", ROLE_Y, false},
        {"control", "control", ROLE_X, true},
        {"drawn", "% of the variance", ROLE_VALUE, false},
        {"percent", "exactly, %", ROLE_NONE, false},
        {"low", "low", ROLE_NONE, false},
        {"high", "high", ROLE_NONE, false},
        {"cv_percent", "variation then, %", ROLE_NONE, false},
        {"shift", "moves the mean by", ROLE_NONE, false},
        {"program", "program", ROLE_NONE, true},
        {"machine", "machine", ROLE_NONE, true},
        {"event", "event", ROLE_NONE, true},
        {"source", "source", ROLE_NONE, true},
        {0},
    };
    AUTO_TEXT struct text by = {0};
    AUTO_TEXT struct text caption = {0};
    struct view view = {.run = run, .share = share, .by = &by};
    visit(&view);
    text_puts(&caption, what);
    if (view.decisive)
        text_printf(&caption, " %s: %s.", decide, text_string(&by));
    else
        text_puts(&caption, " The runs at hand prove it of no single one.");
    struct figure_spec spec = *like;
    spec.caption = text_string(&caption);
    spec.kind = FIGURE_MATRIX;
    spec.x.label = "control";
    spec.y.label = "program";
    spec.columns = columns;
    view.figure = figure_new(&spec);
    visit(&view);
    return view.figure;
}

static json_t *repeat_alone_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-control-alone",
                                     .title = "What each control brings by itself"};
    return controls_figure(run, alone, &spec,
                           "How much of the as-is variance is gone with one control on and nothing "
                           "else: 100 % is all, 0 nothing, less than 0 means that it grew.",
                           "Alone they bring most of what can be had");
}

static json_t *repeat_without_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-control-without",
                                     .title = "What comes back without each control"};
    return controls_figure(run, left_out, &spec,
                           "How much of the as-is variance comes back with all controls on but "
                           "one: 0 means that it is not needed.",
                           "Needed");
}

/* ----------------------------------------------------------------------------------------------
 * What the operating system adds to counts, what is left when that is subtracted, and which of
 * several events of one class is the proper one. */

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

static json_t *repeat_contributions_figure(const struct repeat_run_of *run)
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

static json_t *repeat_adjusted_figure(const struct repeat_run_of *run)
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

static json_t *repeat_ranking_figure(const struct repeat_run_of *run)
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

/* ----------------------------------------------------------------------------------------------
 * The paper's Figures 1 to 3: how much programs vary before and after control, each by itself, and
 * all of one source together. */

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

/* Does the row count instructions? */
static bool repeat_counts_instructions(const struct repeat_run_of *run,
                                       const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && cell->class[row->event] && strcmp(cell->class[row->event], "instructions") == 0;
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

static json_t *repeat_variation_figure(const struct repeat_run_of *run)
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

static json_t *repeat_spread_figure(const struct repeat_run_of *run)
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

/* ----------------------------------------------------------------------------------------------
 * The figures of `assay repeat`, and what they share. */

enum figure_role repeat_machine_role(const struct repeat_run_of *run)
{
    return run->file.machine_count > 1 ? ROLE_FACET : ROLE_NONE;
}

bool repeat_counts_repetitions(const struct repeat_run_of *run, const struct repeat_row *row)
{
    const struct repeat_cell *cell = repeat_cell_of(run, row);
    return cell && cell->class[row->event] &&
           strcmp(cell->class[row->event], "instructions-raw") == 0;
}

json_t *repeat_figures(const void *shown)
{
    const struct repeat_run_of *run = shown;
    static repeat_figure *const all[] = {
        repeat_variation_figure, repeat_spread_figure,      repeat_machines_figure,
        repeat_alone_figure,     repeat_without_figure,     repeat_environment_figure,
        repeat_stack_figure,     repeat_addresses_figure,   repeat_causes_figure,
        repeat_sources_figure,   repeat_repetitions_figure, repeat_contributions_figure,
        repeat_adjusted_figure,  repeat_ranking_figure,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i](run));
    return figures;
}
