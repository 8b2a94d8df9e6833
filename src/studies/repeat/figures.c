/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay repeat`, and what they share. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "studies/repeat/parts.h"

static bool is_of_class(const struct repeat_row *row, const char *class)
{
    return strcmp(row->cell->class[row->event], class) == 0;
}

bool repeat_counts_repetitions(const struct repeat_row *row)
{
    return is_of_class(row, "instructions-raw");
}

/* ----------------------------------------------------------------------------------------------
 * Which control brings which part: each switched on alone, and each left out, program by program.
 */

/* A variance that grew tenfold would take all colour from the rest. Whole, for people who read it
 * in a field. */
static double drawn(double percent)
{
    return rint(fmin(100, fmax(-100, percent))) + 0.0;
}

/* Of each program and machine the effect that says most. A row for each of its controls, where
 * there is a figure; else what decides is told: "aslr (perl), hash-seeds (perl)". */
static void visit(const struct repeating *run, bool alone, json_t *figure, struct text *by)
{
    const struct repeat_effect **list;
    const size_t count = repeat_leaders(run, false, &list);
    size_t added = 0;
    for (size_t i = 0; i < count; i++) {
        const struct repeat_cell *cell = list[i]->as_is->cell;
        const char *program = repeat_program_name(run, cell->at.program);
        for (int control = 0; control < CONTROL_COUNT; control++) {
            const struct control_part *part = &list[i]->parts[control];
            const struct control_setting *share = alone ? &part->only : &part->without;
            const double percent = 100 * share->part;
            AUTO_TEXT struct text where = {0};
            if (!isfinite(percent) || !isfinite(share->cv) || added == FIGURE_MOST_ROWS)
                continue;
            if (by) {
                if (alone ? part->brings : part->is_needed)
                    text_printf(by, "%s%s (%s)", by->length ? ", " : "", control_names[control],
                                program);
                continue;
            }
            text_puts(&where, program);
            repeat_put_machine(run, cell->at.machine, &where);
            added++;
            FIGURE_ROW(figure, json_text(text_string(&where)), json_text(control_names[control]),
                       figure_number(drawn(percent)), figure_number(percent),
                       figure_number(100 * share->low), figure_number(100 * share->high),
                       figure_number(share->cv), figure_number(share->shifts ? share->shift : NAN),
                       json_text(program), json_text(repeat_machine_name(run, cell->at.machine)),
                       json_text(repeat_event_of(list[i]->as_is)), json_text(cell->source));
        }
    }
}

static json_t *controls_figure(const struct repeating *run, bool alone)
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
    visit(run, alone, NULL, &by);
    text_puts(&caption,
              alone ? "How much of the as-is variance is gone with one control on and nothing "
                      "else: 100 % is all, 0 nothing, less than 0 means that it grew."
                    : "How much of the as-is variance comes back with all controls on but "
                      "one: 0 means that it is not needed.");
    if (by.length)
        text_printf(&caption, " %s: %s.",
                    alone ? "Alone they bring most of what can be had" : "Needed",
                    text_string(&by));
    else
        text_puts(&caption, " The runs at hand prove it of no single one.");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = alone ? "repeat-control-alone" : "repeat-control-without",
        .title =
            alone ? "What each control brings by itself" : "What comes back without each control",
        .caption = text_string(&caption),
        .kind = FIGURE_MATRIX,
        .x.label = "control",
        .y.label = "program",
        .columns = columns,
    });
    visit(run, alone, figure, NULL);
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * What the operating system adds to counts, what is left when that is subtracted, and which of
 * several events of one class is the proper one. */

/* --- what faults and interrupts add --- */

static json_t *contributions_figure(const struct repeating *run)
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
    const struct repeat_contribution *list = run->report.contributions;
    const size_t count = run->report.contribution_count;
    size_t sure = 0;
    while (sure < count && !(list[sure].known && isfinite(list[sure].each) && list[sure].firm &&
                             list[sure].low > 0))
        sure++;
    text_puts(&caption,
              "How many events one page fault or one interrupt adds to a count, estimated "
              "over all runs, with 95 %.");
    if (sure < count)
        text_printf(&caption, " Here %s grow by %.3g with each %s; in the paper by one.",
                    list[sure].event, list[sure].each, disturbance_names[list[sure].of]);
    else
        text_puts(&caption, " None is above 0 for certain here.");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-contributions",
        .title = "What the operating system adds",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "events for each fault or interrupt", .scale = SCALE_SYMLOG, .zero = true},
        .columns = columns,
    });
    size_t added = 0;
    for (size_t i = 0; i < count && added < FIGURE_MOST_ROWS; i++) {
        const struct repeat_contribution *at = &list[i];
        if (!at->known || !isfinite(at->each))
            continue;
        FIGURE_ROW(figure, json_text(at->event), json_text(disturbance_names[at->of]),
                   json_text(repeat_machine_name(run, at->machine)), figure_number(at->each),
                   figure_number(at->low), figure_number(at->high),
                   json_text(at->firm ? "known" : "not known"), json_count(at->runs),
                   json_count(at->programs), figure_number(at->residual));
        added++;
    }
    return figure;
}

/* --- adjusted counts --- */

static bool is_adjusted(const struct repeat_row *row)
{
    return row->is_adjusted && row->cell->sweep == SWEEP_NONE && isfinite(row->stdev) &&
           isfinite(row->adjusted_stdev);
}

static void put_adjusted_caption(const struct repeating *run, struct text *out)
{
    size_t rows = 0, less = 0, known = 0, right = 0;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct repeat_row *row = &run->report.rows[i];
        if (!is_adjusted(row))
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

static json_t *adjusted_figure(const struct repeating *run)
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
        const struct repeat_cell *cell = row->cell;
        if (!is_adjusted(row))
            continue;
        FIGURE_ROW(figure, json_text(repeat_program_name(run, cell->at.program)),
                   json_text(repeat_event_of(row)), json_text(REPEAT_SETTING(cell->controls)),
                   json_text(cell->source), json_text(repeat_machine_name(run, cell->at.machine)),
                   figure_number(row->stdev), figure_number(row->adjusted_stdev),
                   figure_number(row->mean), figure_number(row->adjusted_mean),
                   figure_number(row->residual), figure_number(row->residual_low),
                   figure_number(row->residual_high));
        added++;
    }
    return figure;
}

/* --- the proper counter --- */

static json_t *ranking_figure(const struct repeating *run)
{
    static const struct figure_column columns[] = {
        {.key = "class", .filter = true},
        {.key = "place"},
        {.key = "event", .filter = true},
        {.key = "machine", .filter = true},
        {.key = "off_percent", .title = "off the truth, %"},
        {.key = "stdev_percent", .title = "standard deviation, %"},
        {.key = "programs"},
        {0},
    };
    const struct figure_spec spec = {
        .id = "repeat-ranking",
        .title = "Which of several events is the proper one",
        .caption = "Events that claim to count the same, by how near they come to the truth over "
                   "programs whose truth is known; the first of a class is the one to use here.",
        .kind = FIGURE_TABLE,
        .columns = columns,
        .fields = &repeat_rank_table,
    };
    json_t *figure = figure_new(&spec);
    for (size_t i = 0; i < run->report.rank_count && i < FIGURE_MOST_ROWS; i++)
        fields_figure_add(figure, &spec, &run->report.ranks[i], run);
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
static bool find_change(const struct repeat_effect *effect, struct change *change)
{
    *change = (struct change){effect->as_is, effect->controlled, effect->as_is->cell};
    return change->as_is->runs > 1 && change->controlled->runs > 1 &&
           isfinite(change->as_is->cv_percent) && isfinite(change->controlled->cv_percent);
}

/* Of all effects, or where they are too many of each program the one that says most. */
static bool is_shown(const struct repeating *run, const struct repeat_effect *effect,
                     struct change *change)
{
    return find_change(effect, change) && !repeat_counts_repetitions(change->as_is) &&
           (run->report.effect_count <= FIGURE_MOST_ROWS ||
            effect == repeat_leading(run, change->cell->at.machine, change->cell->at.program));
}

#define PAPER_LEFT 0.002 /* % that the paper was left with: the axis reaches below it */

/* Identical counts have no place on a log axis: they stand at its end, a decade below all others.
 */
static double end_of_axis(const struct repeating *run)
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

static void put_worst(const struct repeating *run, const struct change *change, double percent,
                      struct text *out)
{
    if (percent > 0)
        text_printf(out, "by up to %s %% (%s, %s)", REPEAT_PERCENT(percent),
                    repeat_program_name(run, change->cell->at.program),
                    repeat_event_of(change->as_is));
    else
        text_puts(out, "not at all");
}

/* Of instructions where any are shown, else of all. Returns whether anything varies. */
static bool put_variation_caption(const struct repeating *run, double end, struct text *out)
{
    struct overall all = {0}, instructions = {0};
    struct change change;
    for (size_t i = 0; i < run->report.effect_count; i++) {
        if (!is_shown(run, &run->report.effects[i], &change))
            continue;
        for (int pass = 0; pass < 1 + is_of_class(change.as_is, "instructions"); pass++) {
            struct overall *overall = pass ? &instructions : &all;
            const struct change *before = &overall->worst_before, *after = &overall->worst_after;
            overall->rows++;
            overall->identical += change.controlled->distinct == 1;
            if (!before->cell || change.as_is->cv_percent > before->as_is->cv_percent)
                overall->worst_before = change;
            if (!after->cell || change.controlled->cv_percent > after->controlled->cv_percent)
                overall->worst_after = change;
        }
    }
    text_printf(out,
                "Coefficient of variation of what a program counts from run to run: as it is, and "
                "with all controls on. Identical counts stand at the left end, at %g %%.",
                end);
    const struct overall *told = instructions.rows ? &instructions : &all;
    if (!told->rows)
        return false;
    text_printf(out, " %s vary ", instructions.rows ? "Counts of instructions" : "Counts");
    put_worst(run, &told->worst_before, told->worst_before.as_is->cv_percent, out);
    text_puts(out, " as they are and ");
    put_worst(run, &told->worst_after, told->worst_after.controlled->cv_percent, out);
    text_printf(out, " when controlled; %zu of %zu are then identical in every run.",
                told->identical, told->rows);
    if (instructions.rows)
        text_puts(out, " In the paper it was 1.07 %, and less than 0.002 % in the end.");
    return all.worst_before.as_is->cv_percent > 0 || all.worst_after.controlled->cv_percent > 0;
}

static json_t *variation_figure(const struct repeating *run)
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
        const struct repeat_row *as_is = change.as_is, *controlled = change.controlled;
        FIGURE_ROW(figure, json_text(repeat_program_name(run, change.cell->at.program)),
                   json_text(repeat_event_of(as_is)), json_text(change.cell->source),
                   json_text(repeat_machine_name(run, change.cell->at.machine)),
                   figure_number(fmax(as_is->cv_percent, end)),
                   figure_number(fmax(controlled->cv_percent, end)),
                   figure_number(as_is->cv_percent), figure_number(controlled->cv_percent),
                   figure_number(as_is->mean), json_count(as_is->runs),
                   json_count(controlled->runs), json_count(repeat_alike(as_is)),
                   json_count(repeat_alike(controlled)), json_text(reasons_text(&effect->who)));
        added++;
    }
    if (run->report.effect_count > FIGURE_MOST_ROWS)
        figure_add_note(figure, "Of each program the event that says most.");
    return figure;
}

/* --- all programs of a source --- */

#define LEAST_PROGRAMS 3u /* fewer make no box */

static json_t *spread_figure(const struct repeating *run)
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
    static const char *const settings[] = {"as-is", "controlled"};
    const size_t effects = run->report.effect_count;
    double *deviations[2] = {memory_new(effects, sizeof(double)),
                             memory_new(effects, sizeof(double))}; /* of each program */
    struct change first, change;
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
    for (size_t i = 0; i < effects; i++) {
        size_t count = 0;
        bool begins = true; /* the first with its machine and source */
        if (!find_change(&run->report.effects[i], &first) ||
            !is_of_class(first.as_is, "instructions"))
            continue;
        for (size_t j = 0; j < effects && begins; j++) {
            if (!find_change(&run->report.effects[j], &change) ||
                !is_of_class(change.as_is, "instructions") ||
                change.cell->at.machine != first.cell->at.machine ||
                strcmp(change.cell->source, first.cell->source) != 0)
                continue;
            begins = j >= i;
            deviations[0][count] = change.as_is->stdev;
            deviations[1][count++] = change.controlled->stdev;
        }
        for (int setting = 0; setting < 2 && begins && count >= LEAST_PROGRAMS; setting++) {
            struct distribution seen;
            if (distribution_of(deviations[setting], count, &seen) < 0)
                continue;
            FIGURE_ROW(figure, json_text(first.cell->source), json_text(settings[setting]),
                       json_text(repeat_machine_name(run, first.cell->at.machine)),
                       json_count(count), figure_number(seen.min), figure_number(seen.q1),
                       figure_number(seen.median), figure_number(seen.q3), figure_number(seen.max),
                       seen.samples);
            json_decref(seen.density);
        }
    }
    return figure;
}

/* --- all of them --- */

enum figure_role repeat_machine_role(const struct repeating *run)
{
    return run->file.machine_count > 1 ? ROLE_FACET : ROLE_NONE;
}

json_t *repeat_figures(const void *shown)
{
    const struct repeating *run = shown;
    json_t *const all[] = {variation_figure(run),
                           spread_figure(run),
                           repeat_machines_figure(run),
                           controls_figure(run, true),
                           controls_figure(run, false),
                           repeat_sweep_figure(run, SWEEP_ENVIRONMENT),
                           repeat_sweep_figure(run, SWEEP_STACK),
                           repeat_sweep_figure(run, SWEEP_ASLR),
                           repeat_causes_figure(run),
                           repeat_sources_figure(run),
                           repeat_repetitions_figure(run),
                           contributions_figure(run),
                           adjusted_figure(run),
                           ranking_figure(run)};
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i]);
    return figures;
}
