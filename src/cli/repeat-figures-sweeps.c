/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What changing one thing in steps does to counts: a line for every program and event; and why
 * programs are not the same from run to run. */
#include <math.h>

#include "cli/repeat-show.h"

static size_t points_of(const struct repeat_run_of *run, const struct repeat_sweep *sweep)
{
    size_t count = 0;
    for (size_t i = 0; i < run->report.row_count; i++)
        count += run->report.rows[i].runs && repeat_is_point(run, sweep, &run->report.rows[i]);
    return count;
}

/* Differences within a sweep are small beside the counts themselves. */
static void add_point(json_t *figure, const struct repeat_run_of *run,
                      const struct repeat_sweep *sweep, const struct repeat_row *row)
{
    const double from = sweep->lowest;
    AUTO_TEXT struct text series = {0};
    text_printf(&series, "%s, %s", repeat_program_name(run, sweep->program), sweep->event);
    FIGURE_ROW(figure, json_text(text_string(&series)),
               figure_number((double)run->file.cells[row->cell].swept),
               figure_number(row->usual - from), figure_number((double)row->min - from),
               figure_number((double)row->max - from), figure_number(row->usual),
               json_count(row->runs), json_text(repeat_program_name(run, sweep->program)),
               json_text(sweep->event), json_text(sweep->source),
               json_text(repeat_machine_name(run, sweep->machine)));
}

/* Is it drawn at all? The same with repetitions would hide it. */
static bool is_drawn(const struct repeat_run_of *run, const struct repeat_sweep *sweep,
                     enum command_sweep kind)
{
    if (sweep->sweep != kind || !isfinite(sweep->lowest))
        return false;
    for (size_t i = 0; i < run->report.row_count; i++)
        if (repeat_is_point(run, sweep, &run->report.rows[i]))
            return !repeat_counts_repetitions(run, &run->report.rows[i]);
    return false;
}

#define ALIKE 20.0 /* lines that reach so many times as far as others would flatten them */

static enum figure_scale scale_of(const struct repeat_run_of *run, enum command_sweep kind)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < run->report.sweep_count; i++) {
        const struct repeat_sweep *sweep = &run->report.sweeps[i];
        const double reach = sweep->highest - sweep->lowest;
        if (!is_drawn(run, sweep, kind) || !(reach > 0))
            continue;
        least = fmin(least, reach);
        most = fmax(most, reach);
    }
    return most > ALIKE * least ? SCALE_SYMLOG : SCALE_LINEAR;
}

/* Whole sweeps, those that matter first, as many as there is room for; returns how many had none.
 */
static size_t add_sweeps(json_t *figure, const struct repeat_run_of *run, enum command_sweep kind)
{
    const struct repeat_report *report = &run->report;
    size_t room = FIGURE_MOST_ROWS, left = 0;
    for (int matters = 1; matters >= 0; matters--)
        for (size_t i = 0; i < report->sweep_count; i++) {
            const struct repeat_sweep *sweep = &report->sweeps[i];
            if (sweep->matters != (bool)matters || !is_drawn(run, sweep, kind))
                continue;
            const size_t points = points_of(run, sweep);
            left += points > room;
            if (points > room)
                continue;
            room -= points;
            for (size_t row = 0; row < report->row_count; row++)
                if (report->rows[row].runs && repeat_is_point(run, sweep, &report->rows[row]))
                    add_point(figure, run, sweep, &report->rows[row]);
        }
    return left;
}

static void put_caption(const struct repeat_run_of *run, enum command_sweep kind, const char *what,
                        struct text *out)
{
    const struct repeat_sweep *largest = NULL;
    size_t sweeps = 0, matter = 0;
    for (size_t i = 0; i < run->report.sweep_count; i++) {
        const struct repeat_sweep *sweep = &run->report.sweeps[i];
        if (!is_drawn(run, sweep, kind))
            continue;
        sweeps++;
        matter += sweep->matters;
        if (sweep->matters &&
            (!largest || sweep->highest - sweep->lowest > largest->highest - largest->lowest))
            largest = sweep;
    }
    text_printf(out,
                "%s Counts are shown beyond the lowest of their line, with all runs at a point "
                "between low and high. ",
                what);
    if (!largest) {
        if (sweeps == 1)
            text_puts(out, "Points differ by no more than runs at one point.");
        else
            text_printf(out,
                        "In none of %zu lines do points differ by more than runs at one point.",
                        sweeps);
        return;
    }
    text_printf(out,
                "In %zu of %zu lines points differ by more than runs at one point do; most in %s, "
                "%s",
                matter, sweeps, repeat_program_name(run, largest->program), largest->event);
    repeat_put_machine(run, largest->machine, out);
    text_printf(out, ": %s.", largest->what);
}

static json_t *sweep_figure(const struct repeat_run_of *run, enum command_sweep kind,
                            const char *what, const struct figure_spec *like)
{
    const struct figure_column columns[] = {
        {"line", "program and event", ROLE_SERIES, false},
        {"swept", like->x.label, ROLE_X, false},
        {"beyond", "beyond the lowest", ROLE_Y, false},
        {"low", "low", ROLE_LOW, false},
        {"high", "high", ROLE_HIGH, false},
        {"count", "count", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {"program", "program", ROLE_NONE, true},
        {"event", "event", ROLE_NONE, true},
        {"source", "source", ROLE_NONE, true},
        {"machine", "machine", repeat_machine_role(run), true},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    put_caption(run, kind, what, &caption);
    struct figure_spec spec = *like;
    spec.caption = text_string(&caption);
    spec.y = (struct figure_axis){"counts beyond the lowest", scale_of(run, kind), true};
    spec.columns = columns;
    json_t *figure = figure_new(&spec);
    if (add_sweeps(figure, run, kind))
        figure_add_note(figure, "There are more lines than there is room for: those that matter "
                                "come first.");
    return figure;
}

json_t *repeat_environment_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-environment",
                                     .title = "Does the size of the environment change counts",
                                     .kind = FIGURE_LINES,
                                     .x = {.label = "bytes more in the environment"}};
    return sweep_figure(run, SWEEP_ENVIRONMENT,
                        "The same program with ever more bytes in one variable.", &spec);
}

json_t *repeat_stack_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-stack",
                                     .title = "Does the place of the stack change counts",
                                     .kind = FIGURE_LINES,
                                     .x = {.label = "bytes by which the stack begins lower"}};
    return sweep_figure(
        run, SWEEP_STACK,
        "The same program, arguments and environment, with a stack that begins lower.", &spec);
}

json_t *repeat_addresses_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-addresses",
                                     .title = "Do random addresses change counts",
                                     .kind = FIGURE_POINTS,
                                     .x = {.label = "draw of random addresses"}};
    return sweep_figure(run, SWEEP_ASLR, "The same program at addresses drawn anew.", &spec);
}

/* --- causes --- */

static void put_causes_caption(const struct repeat_run_of *run, struct text *out)
{
    size_t parted = 0;
    for (size_t i = 0; i < run->report.seen_count; i++)
        parted += run->report.seen[i].parted;
    text_printf(out,
                "What may make a program another from run to run, as its system calls and threads "
                "show it: %zu, of which two executions really parted at %zu.",
                run->report.seen_count, parted);
}

json_t *repeat_causes_figure(const struct repeat_run_of *run)
{
    static const struct figure_column columns[] = {
        {"program", "program", ROLE_NONE, true},
        {"machine", "machine", ROLE_NONE, true},
        {"cause", "cause", ROLE_NONE, true},
        {"parted", "parted here", ROLE_NONE, false},
        {"times", "times", ROLE_NONE, false},
        {"evidence", "evidence", ROLE_NONE, false},
        {0},
    };
    AUTO_TEXT struct text caption = {0};
    put_causes_caption(run, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "repeat-causes",
        .title = "Why programs are not the same from run to run",
        .caption = text_string(&caption),
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < run->report.seen_count && i < FIGURE_MOST_ROWS; i++) {
        const struct repeat_seen *seen = &run->report.seen[i];
        FIGURE_ROW(figure, json_text(repeat_program_name(run, seen->program)),
                   json_text(repeat_machine_name(run, seen->machine)),
                   json_text(repeat_parting_names[seen->cause]),
                   json_text(seen->parted ? "yes" : "no"), json_count(seen->times),
                   json_text(seen->evidence));
    }
    return figure;
}
