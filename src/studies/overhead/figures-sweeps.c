/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pictures of sweeps, of predecessors, and of machines and peers side by side. */
#include <math.h>

#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Calls by machine, in the order of the versions of their kernels; of one machine alone what is
 * executed in user mode and in the kernel. */

static const char *mode_words(const struct overhead_machine_row *row)
{
    static const char *const modes[][2] = {
        {"u", "user"}, {"k", "kernel"}, {"uk", "user and kernel"}};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (overhead_same_word(row->meter->mode, modes[i][0]))
            return modes[i][1];
    return "any";
}

static const char *unit_of(const struct overhead_machine_row *row)
{
    return meter_unit_names[row->meter->unit];
}

/* Both modes together and time are for comparing machines; of one machine the modes are. */
static bool is_shown(const struct overhead_run *run, const struct overhead_machine_row *row)
{
    bool half =
        overhead_same_word(row->meter->mode, "u") || overhead_same_word(row->meter->mode, "k");
    return isfinite(row->median) && (run->file.machine_count > 1) != half;
}

/* How many calls were compared with another machine's. */
static size_t put_comparison(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_machine_row *most = NULL;
    size_t compared = 0, different = 0;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (!is_shown(run, row) || !overhead_same_word(unit_of(row), unit) || !row->has_ratio ||
            row->machine == row->reference)
            continue;
        compared++;
        different += row->differs;
        if (row->differs && row->ratio > 0 &&
            (!most || fabs(log(row->ratio)) > fabs(log(most->ratio))))
            most = row;
    }
    text_printf(words,
                "%zu of %zu calls cost more or less than on the first machine that has "
                "them, beyond chance. ",
                different, compared);
    if (!most)
        return compared;
    text_puts(words, "The largest difference: ");
    text_put_clean(words, most->path);
    text_putc(words, '.');
    text_put_clean(words, most->kind);
    overhead_put_machine(&run->file, most->machine, words);
    text_printf(words, ", %.2f times as many %s as", most->ratio, unit);
    overhead_put_machine(&run->file, most->reference, words);
    text_puts(words, ".");
    return compared;
}

static void add_unit(const struct overhead_run *run, const char *unit, json_t *figures)
{
    const bool several = run->file.machine_count > 1;
    const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_SERIES),
        {"kind", "call", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"mode", "mode", several ? ROLE_NONE : ROLE_SERIES, true},
        {"median", "median", ROLE_VALUE, false},
        {"low", "at least (95 %)", ROLE_LOW, false},
        {"high", "at most (95 %)", ROLE_HIGH, false},
        {"ratio", "times the first machine", ROLE_NONE, false},
        {"ratio_low", "ratio at least", ROLE_NONE, false},
        {"ratio_high", "ratio at most", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = overhead_unit_figure(
        unit, (struct figure_spec){
                  .id = several ? "machines" : "executed",
                  .title = several ? "What a call costs, by machine and kernel, in "
                                   : "What a call executes, by mode, in ",
                  .paper = several ? OVERHEAD_PAPER "Figure 1" : NULL,
                  .kind = FIGURE_BARS,
                  .x = {unit, SCALE_LINEAR, true},
                  .columns = columns,
              });
    for (size_t i = 0; i < report->machine_row_count && figure_has_room(figure); i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (!is_shown(run, row) || !overhead_same_word(unit_of(row), unit))
            continue;
        double ratio = row->has_ratio ? 1 : NAN;
        FIGURE_ROW(figure, OVERHEAD_CALLED_JSON(run, row), json_text(mode_words(row)),
                   figure_number(row->median), figure_number(row->low), figure_number(row->high),
                   figure_number(ratio * row->ratio), figure_number(ratio * row->ratio_low),
                   figure_number(ratio * row->ratio_high), json_count(row->processes));
    }
    if (!several) {
        text_puts(&words, "Instructions of a call in user mode and in the kernel. ");
        if (overhead_hides_switches(&run->report))
            text_puts(&words,
                      "Of start and stop they are the least: the operating system halts the "
                      "meters while it switches a counter.");
    } else if (!put_comparison(run, unit, &words)) {
        json_decref(figure); /* of one machine alone */
        return;
    }
    overhead_append_figure(run, figures, figure, &words);
}

void overhead_add_machine_figures(const struct overhead_run *run, json_t *figures)
{
    for (int unit = 0; unit < METER_UNITS; unit++)
        add_unit(run, meter_unit_names[unit], figures);
}

/* ----------------------------------------------------------------------------------------------
 * What other interfaces cost beyond the bare calls; and what metering itself costs. */

static bool is_drawn(const struct overhead_report *report, const struct overhead_peer *peer)
{
    return isfinite(peer->ratio) && !overhead_is_half(report, peer->meter);
}

static void put_dearest(const struct overhead_run *run, struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_peer *most = NULL;
    for (size_t i = 0; i < report->peer_count; i++)
        if (is_drawn(report, &report->peers[i]) && (!most || report->peers[i].ratio > most->ratio))
            most = &report->peers[i];
    if (!most)
        return;
    text_puts(words, "The dearest is ");
    text_put_clean(words, most->path);
    text_puts(words, " for ");
    text_put_clean(words, most->what);
    overhead_put_machine(&run->file, most->machine, words);
    text_printf(words, ": %.3g times what ", most->ratio);
    text_put_clean(words, most->bare_path);
    text_puts(words, " takes. ");
}

/* Of a ratio near 1 only what is beyond it can be seen. */
static json_t *percent_more(double ratio)
{
    return figure_number(100 * (ratio - 1));
}

static void add_peers(const struct overhead_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_GROUP),
        {"what", "for", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"bare_path", "against", ROLE_GROUP, true},
        {"unit", "unit", ROLE_SERIES, true},
        {"more", "more than the bare calls, %", ROLE_VALUE, false},
        {"low", "at least (95 %)", ROLE_LOW, false},
        {"high", "at most (95 %)", ROLE_HIGH, false},
        {"ratio", "times the bare calls", ROLE_NONE, false},
        {"cost", "costs", ROLE_NONE, false},
        {"bare", "bare", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "peers",
        .title = "What other interfaces cost beyond the bare calls",
        .kind = FIGURE_BARS,
        .x = {"more than the bare calls, %", SCALE_LINEAR, true},
        .columns = columns,
    });
    for (size_t i = 0; i < report->peer_count && figure_has_room(figure); i++) {
        const struct overhead_peer *peer = &report->peers[i];
        if (is_drawn(report, peer))
            FIGURE_ROW(figure, overhead_machine_json(&run->file, peer->machine),
                       json_text(peer->what), json_text(peer->path), json_text(peer->variant),
                       json_text(peer->bare_path), json_text(overhead_unit(peer->meter)),
                       percent_more(peer->ratio), percent_more(peer->low), percent_more(peer->high),
                       figure_number(peer->ratio), figure_number(peer->cost),
                       figure_number(peer->bare), json_count(peer->processes));
    }
    put_dearest(run, &words);
    text_puts(&words, "0 is the same task by bare calls; of a command, the command alone.");
    overhead_append_figure(run, figures, figure, &words);
}

static void add_metering(const struct overhead_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_NONE),
        {"meter", "meter", ROLE_NONE, false},
        {"unit", "unit", ROLE_NONE, false},
        {"cost", "metering costs", ROLE_NONE, false},
        {"low", "95 % of processes from", ROLE_NONE, false},
        {"high", "to", ROLE_NONE, false},
        {"resolution", "step", ROLE_NONE, false},
        {"passes", "passes", ROLE_NONE, false},
        {"disturbed", "% disturbed", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "metering",
        .title = "What metering costs, and how many passes were disturbed",
        .caption = "What reading a meter around nothing costs was taken off every figure; passes "
                   "in which somebody else used the core were left aside.",
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < report->timer_count && figure_has_room(figure); i++) {
        const struct overhead_timer *timer = &report->timers[i];
        const struct overhead_gauge *gauge =
            overhead_gauge_of(report, timer->machine, timer->meter);
        FIGURE_ROW(figure, overhead_machine_json(&run->file, timer->machine),
                   json_text(timer->meter->event), json_text(overhead_unit(timer->meter)),
                   figure_number(timer->known ? timer->cost : NAN), figure_number(timer->low),
                   figure_number(timer->high),
                   figure_number(timer->resolution > 0 ? timer->resolution : NAN),
                   gauge ? json_count(gauge->passes) : NULL,
                   gauge && gauge->known ? figure_number(100 * gauge->share) : NULL);
    }
    overhead_append_figure(run, figures, figure, NULL);
}

void overhead_add_peer_figures(const struct overhead_run *run, json_t *figures)
{
    add_peers(run, figures);
    add_metering(run, figures);
}

/* ----------------------------------------------------------------------------------------------
 * What the call before changes: each call after each other one, against what it usually costs. */

struct extreme {
    const struct overhead_row *row;
    double percent;
    size_t pairs;
};

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

static void predecessors_add_unit(const struct overhead_run *run, const char *unit, json_t *figures)
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
    AUTO_TEXT struct text words = {0};
    json_t *figure =
        overhead_unit_figure(unit, (struct figure_spec){
                                       .id = "predecessors",
                                       .title = "What the call before changes, in % of the usual ",
                                       .kind = FIGURE_MATRIX,
                                       .x = {"straight after", SCALE_LINEAR, false},
                                       .columns = columns,
                                   });
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *usual = &report->rows[i];
        if (!overhead_has_unit(run, usual->meter, unit) || !overhead_is_usual(run, i) ||
            overhead_is_folded(run, i) || !(usual->median > 0))
            continue;
        /* All that stands behind one summary, but for calls in a row before it: sweeps alone have
         * them. */
        for (size_t j = 0; j < report->row_count; j++) {
            const struct overhead_row *row = &report->rows[j];
            AUTO_TEXT struct text call = {0}, before = {0};
            if (!overhead_is_pair(row, usual) || row->predecessor_times > 1 ||
                !isfinite(row->median) || !figure_has_room(figure))
                continue;
            double percent = 100 * (row->median / usual->median - 1);
            overhead_put_row_call(&run->file, row, &call);
            overhead_put_machine(&run->file, row->machine, &call);
            text_put_clean(&before, overhead_before(&run->file, row->predecessor));
            FIGURE_ROW(figure, overhead_machine_json(&run->file, row->machine),
                       json_text(text_string(&before)), json_text(text_string(&call)),
                       figure_number(rint(10 * percent) / 10), figure_number(row->median),
                       figure_number(row->low), figure_number(row->high),
                       figure_number(usual->median),
                       json_text(run->file.operations[row->operation].path),
                       json_text(run->file.operations[row->operation].kind),
                       json_text(row->variant), json_count(row->runs));
            extreme.pairs++;
            if (!extreme.row || fabs(percent) > fabs(extreme.percent)) {
                extreme.row = row;
                extreme.percent = percent;
            }
        }
    }
    put_extreme(run, &extreme, &words);
    overhead_append_figure(run, figures, figure, &words);
}

void overhead_add_predecessor_figures(const struct overhead_run *run, json_t *figures)
{
    struct overhead_units units = {0};
    for (size_t i = 0; i < run->report.row_count; i++)
        overhead_units_add(run, run->report.rows[i].meter, &units);
    for (size_t i = 0; i < units.count; i++)
        predecessors_add_unit(run, units.list[i], figures);
}

/* ----------------------------------------------------------------------------------------------
 * How cost grows with the number of events, and of reads in a row. */

/* What one figure is of: a kind of call by events, or reads in a row (kind NULL). */
struct sweep {
    const char *unit, *kind;
};

static bool is_of(const struct overhead_run *run, const struct overhead_slope *slope,
                  const struct sweep *sweep)
{
    if (slope->by_reads == (sweep->kind != NULL) ||
        !overhead_has_unit(run, slope->meter, sweep->unit))
        return false;
    return !sweep->kind ||
           (slope->operation < run->file.operation_count &&
            overhead_same_word(run->file.operations[slope->operation].kind, sweep->kind));
}

static void put_call(const struct overhead_run *run, const struct overhead_slope *slope,
                     struct text *out)
{
    overhead_put_called(run, slope, out);
    text_puts(out, slope->by_reads ? "" : slope->separate ? ", separate" : ", group");
    overhead_put_machine(&run->file, slope->machine, out);
}

static const char *shape_of(const struct overhead_slope *slope)
{
    if (slope->straight)
        return "straight";
    if (slope->miss <= OVERHEAD_TOLD)
        return "nearly straight";
    return slope->first_apart ? "straight from the second on" : "bent";
}

static void add_points(const struct overhead_run *run, const struct overhead_slope *slope,
                       json_t *figure)
{
    AUTO_TEXT struct text series = {0};
    /* The title says which kind of call: "perf-read, static, group". */
    const char *path = slope->operation < run->file.operation_count
                           ? run->file.operations[slope->operation].path
                           : "?";
    overhead_put_call(path, slope->variant, &series);
    if (!slope->by_reads)
        text_puts(&series, slope->separate ? ", separate" : ", group");
    overhead_put_machine(&run->file, slope->machine, &series);
    for (size_t i = 0; i < slope->points && figure_has_room(figure); i++) {
        const struct overhead_point *point = &slope->measured[i];
        double each = slope->by_reads ? point->median / (double)point->count : point->median;
        FIGURE_ROW(figure, OVERHEAD_CALLED_JSON(run, slope),
                   json_text(slope->separate ? "separate" : "group"),
                   json_text(text_string(&series)), json_count(point->count), figure_number(each),
                   figure_number(point->median), figure_number(slope->slope),
                   figure_number(slope->low), figure_number(slope->high),
                   json_text(shape_of(slope)), json_count(slope->processes));
    }
    if (!slope->by_reads && slope->points)
        figure_add_line(figure, "fitted", text_string(&series), slope->base, slope->slope,
                        (double)slope->measured[0].count, (double)slope->most_count);
}

/* The steepest and the flattest of all. */
static void put_slopes(const struct overhead_run *run, const struct sweep *sweep,
                       struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_slope *most = NULL, *least = NULL;
    size_t straight = 0, count = 0;
    for (size_t i = 0; i < report->slope_count; i++) {
        const struct overhead_slope *slope = &report->slopes[i];
        if (!is_of(run, slope, sweep) || !isfinite(slope->slope))
            continue;
        count++;
        straight += slope->straight || slope->miss <= OVERHEAD_TOLD;
        most = !most || slope->slope > most->slope ? slope : most;
        least = !least || slope->slope < least->slope ? slope : least;
    }
    if (!most)
        return;
    text_printf(words, "%zu of %zu grow as a straight line. Each further %s adds %s %s (", straight,
                count, sweep->kind ? "event" : "read", OVERHEAD_COST(least->slope), sweep->unit);
    put_call(run, least, words);
    text_puts(words, ")");
    if (most != least) {
        text_printf(words, " to %s (", OVERHEAD_COST(most->slope));
        put_call(run, most, words);
        text_puts(words, ")");
    }
    text_puts(words, ".");
}

static void add_sweep(const struct overhead_run *run, const struct sweep *sweep, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_NONE),
        {"kind", "call", ROLE_NONE, true},
        {"path", "path", ROLE_NONE, true},
        {"variant", "variant", ROLE_NONE, true},
        {"layout", "opened", ROLE_NONE, true},
        {"way", "way", ROLE_SERIES, false},
        {"count", "how many", ROLE_X, false},
        {"cost", "cost", ROLE_Y, false},
        {"median", "median of a span", ROLE_NONE, false},
        {"slope", "for each further", ROLE_NONE, false},
        {"low", "at least (95 %)", ROLE_NONE, false},
        {"high", "at most (95 %)", ROLE_NONE, false},
        {"shape", "growth", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    const char *unit = sweep->unit;
    const bool by_reads = !sweep->kind;
    AUTO_TEXT struct text id = {0}, title = {0}, axis = {0}, words = {0};
    figure_put_id(&id, by_reads ? "reads-in-a-row" : "more-events", by_reads ? "" : sweep->kind);
    text_puts(&title,
              by_reads ? "Reads in a row, what each of them costs in " : "More events, what a ");
    if (!by_reads) {
        text_put_clean(&title, sweep->kind);
        text_puts(&title, " costs in ");
    }
    text_printf(&axis, by_reads ? "%s a read" : "%s a call", unit);
    json_t *figure = overhead_unit_figure(
        unit, (struct figure_spec){
                  .id = text_string(&id),
                  .title = text_string(&title),
                  .paper = by_reads ? OVERHEAD_PAPER "Figure 5" : OVERHEAD_PAPER "Figure 8",
                  .kind = FIGURE_LINES,
                  .x = {by_reads ? "reads in a row" : "events", by_reads ? SCALE_LOG : SCALE_LINEAR,
                        false},
                  .y = {text_string(&axis), SCALE_LINEAR, true},
                  .columns = columns,
              });
    for (size_t i = 0; i < report->slope_count; i++)
        if (is_of(run, &report->slopes[i], sweep))
            add_points(run, &report->slopes[i], figure);
    put_slopes(run, sweep, &words);
    if (!words.length)
        text_puts(&words, "Medians over processes.");
    if (!by_reads)
        figure_add_note(figure, "group: one call for all events; separate: one call each.");
    overhead_append_figure(run, figures, figure, &words);
}

void overhead_add_sweep_figures(const struct overhead_run *run, json_t *figures)
{
    struct overhead_units units = {0};
    for (size_t i = 0; i < run->report.slope_count; i++)
        overhead_units_add(run, run->report.slopes[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        /* A figure for each kind of call, in the order in which operations name them. */
        const struct overhead_operation *called = run->file.operations;
        for (size_t k = 0; k < run->file.operation_count; k++) {
            bool first = true;
            for (size_t j = 0; j < k && first; j++)
                first = !overhead_same_word(called[j].kind, called[k].kind);
            if (first)
                add_sweep(run, &(struct sweep){units.list[i], called[k].kind}, figures);
        }
        add_sweep(run, &(struct sweep){units.list[i], NULL}, figures);
    }
}
