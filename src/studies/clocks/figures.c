/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay clocks`, and the first of them: which clock can be trusted. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/clocks-show.h"
#include "output/figure.h"

void clocks_note_reference(const struct clocks_run *run, json_t *figure)
{
    AUTO_TEXT struct text note = {0};
    text_printf(&note, "Reference: %s.", run->report.reference.why);
    if (run->report.reference.why[0])
        figure_add_note(figure, text_string(&note));
}

/* "3 dependable, 4 cpu-time only" */
static void put_counts(const struct clocks_run *run, const uint32_t *order, size_t count,
                       struct text *out)
{
    bool first = true;
    for (int trust = 0; trust < CLOCK_TRUSTS; trust++) {
        size_t clocks = 0;
        for (size_t i = 0; i < count; i++)
            clocks += run->report.verdicts[order[i]].trust == (enum clock_trust)trust;
        if (!clocks)
            continue;
        text_printf(out, "%s%zu %s", first ? "" : ", ", clocks, clock_trust_names[trust]);
        first = false;
    }
}

static void add_clock(json_t *figure, const struct clocks_run *run, uint32_t clock)
{
    const struct clock_seen seen = clocks_seen(run, clock);
    const struct clock_verdict *verdict = seen.verdict;
    const struct clock_row *worst = clocks_worst_row(run, verdict);
    AUTO_TEXT struct text over = {0};
    if (worst)
        clocks_put_interval(worst, &over);
    FIGURE_ROW(figure, json_text(clocks_name(&run->file, clock)),
               json_text(clock_trust_names[verdict->trust]),
               json_text(verdict->fault ? clock_fault_names[verdict->fault] : NULL),
               json_text(verdict->why), figure_number(seen.cost.known ? seen.cost.ns : NAN),
               figure_number(seen.granularity.known ? seen.granularity.resolution_ns : NAN),
               figure_number(verdict->worst_ratio), json_text(worst ? text_string(&over) : NULL),
               figure_number(verdict->shortest_us), json_text(seen.clock->way),
               json_text(clock_role_names[seen.clock->role]));
}

json_t *clocks_trust_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_NONE, true},
        {"trust", "trust", ROLE_NONE, true},
        {"fault", "fault", ROLE_NONE, false},
        {"why", "why", ROLE_NONE, false},
        {"cost_ns", "a reading, ns", ROLE_NONE, false},
        {"resolution_ns", "resolution, ns", ROLE_NONE, false},
        {"worst_ratio", "worst ratio", ROLE_NONE, false},
        {"over", "over", ROLE_NONE, false},
        {"shortest_us", "shortest to 1 %, µs", ROLE_NONE, false},
        {"way", "read by", ROLE_NONE, false},
        {"role", "tells", ROLE_NONE, false},
        {0},
    };
    AUTO_FREE uint32_t *order = calloc(run->file.clock_count + 1, sizeof(*order));
    const size_t count = order && run->report.verdicts ? clocks_by_use(run, order) : 0;
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption, "Of %zu clocks: ", count);
    if (count)
        put_counts(run, order, count, &caption);
    text_puts(&caption, ". The worst ratio is an interval by the clock over the same by the "
                        "reference; 1 is right. The shortest interval is what the clock tells to "
                        "1 % with its own resolution and cost.");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-trust",
        .title = "Which clock can be trusted",
        .caption = text_string(&caption),
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < count && i < FIGURE_MOST_ROWS; i++)
        add_clock(figure, run, order[i]);
    clocks_note_reference(run, figure);
    return figure;
}

json_t *clocks_figures(const struct clocks_run *run)
{
    static clocks_figure *const all[] = {
        clocks_trust_figure,     clocks_sleeps_figure,  clocks_sleep_errors_figure,
        clocks_intervals_figure, clocks_reading_figure, clocks_offsets_figure,
        clocks_rates_figure,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i](run));
    return figures;
}
