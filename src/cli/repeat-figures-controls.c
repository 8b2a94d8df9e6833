/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which control brings which part: each switched on alone, and each left out, program by program.
 */
#include <math.h>

#include "cli/repeat-show.h"

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

json_t *repeat_alone_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-control-alone",
                                     .title = "What each control brings by itself"};
    return controls_figure(run, alone, &spec,
                           "How much of the as-is variance is gone with one control on and nothing "
                           "else: 100 % is all, 0 nothing, less than 0 means that it grew.",
                           "Alone they bring most of what can be had");
}

json_t *repeat_without_figure(const struct repeat_run_of *run)
{
    const struct figure_spec spec = {.id = "repeat-control-without",
                                     .title = "What comes back without each control"};
    return controls_figure(run, left_out, &spec,
                           "How much of the as-is variance comes back with all controls on but "
                           "one: 0 means that it is not needed.",
                           "Needed");
}
