/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the call before changes: each call after each other one, against what it usually costs. */
#include <math.h>

#include "cli/overhead-figures.h"
#include "show/utf8.h"

struct extreme {
    const struct overhead_row *row;
    double percent;
    size_t pairs;
};

static void add_pair(const struct overhead_run *run, const struct overhead_row *row,
                     const struct overhead_row *usual, json_t *figure, struct extreme *extreme)
{
    AUTO_TEXT struct text call = {0}, before = {0};
    double percent = 100 * (row->median / usual->median - 1);
    overhead_put_row_call(&run->file, row, &call);
    overhead_put_machine(&run->file, row->machine, &call);
    text_put_clean(&before, overhead_before(&run->file, row->predecessor));
    FIGURE_ROW(figure, overhead_machine_json(&run->file, row->machine),
               json_text(text_string(&before)), json_text(text_string(&call)),
               figure_number(rint(10 * percent) / 10), figure_number(row->median),
               figure_number(row->low), figure_number(row->high), figure_number(usual->median),
               overhead_path_json(&run->file, row->operation),
               overhead_kind_json(&run->file, row->operation), json_text(row->variant),
               json_count(row->runs));
    extreme->pairs++;
    if (!extreme->row || fabs(percent) > fabs(extreme->percent)) {
        extreme->row = row;
        extreme->percent = percent;
    }
}

/* All that stands behind one summary, but for calls in a row before it: sweeps alone have them. */
static void add_call(const struct overhead_run *run, const struct overhead_row *usual,
                     json_t *figure, struct extreme *extreme)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->row_count; i++)
        if (overhead_is_pair(&report->rows[i], usual) && report->rows[i].predecessor_times <= 1 &&
            usual->median > 0 && isfinite(report->rows[i].median) && figure_has_room(figure))
            add_pair(run, &report->rows[i], usual, figure, extreme);
}

static void put_extreme(const struct overhead_run *run, const struct extreme *extreme,
                        struct text *words)
{
    if (!extreme->row)
        return;
    text_printf(words, "Of %zu pairs the furthest from usual is ", extreme->pairs);
    overhead_put_row_call(&run->file, extreme->row, words);
    overhead_put_machine(&run->file, extreme->row->machine, words);
    text_puts(words, " straight after ");
    text_put_clean(words, overhead_before(&run->file, extreme->row->predecessor));
    text_printf(words, ": %+.0f %%. ", extreme->percent);
    text_puts(words, "Each field is the median after that call against the median over all calls "
                     "before.");
}

static void add_unit(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_NONE),
        {"before", "straight after", ROLE_X, false},
        {"call", "call", ROLE_Y, false},
        {"percent", "% more than usual", ROLE_VALUE, false},
        {"median", "median", ROLE_NONE, false},
        {"low", "at least (95 %)", ROLE_NONE, false},
        {"high", "at most (95 %)", ROLE_NONE, false},
        {"usual", "usually", ROLE_NONE, false},
        {"path", "path", ROLE_NONE, true},
        {"kind", "kind of call", ROLE_NONE, true},
        {"variant", "variant", ROLE_NONE, true},
        {"runs", "calls", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    struct extreme extreme = {0};
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "predecessors", unit);
    text_puts(&title, "What the call before changes, in % of the usual ");
    text_put_clean(&title, unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .kind = FIGURE_MATRIX,
        .x = {"straight after", SCALE_LINEAR, false},
        .columns = columns,
    });
    for (size_t i = 0; i < report->row_count; i++)
        if (overhead_has_unit(run, report->rows[i].meter, unit) && overhead_is_usual(run, i) &&
            !overhead_is_folded(run, i))
            add_call(run, &report->rows[i], figure, &extreme);
    put_extreme(run, &extreme, &words);
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

void overhead_add_predecessor_figures(const struct overhead_run *run, json_t *figures)
{
    struct overhead_units units = {0};
    for (size_t i = 0; i < run->report.row_count; i++)
        overhead_units_add(run, run->report.rows[i].meter, &units);
    for (size_t i = 0; i < units.count; i++)
        add_unit(run, units.list[i], figures);
}
