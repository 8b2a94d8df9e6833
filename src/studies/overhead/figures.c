/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay overhead`: those of the paper, from what was measured here. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What the figures share. Each part appends its figures where there is something to draw. */

#define PAPER "Weaver 2015, "

typedef void figures_part(const struct overhead_run *run, json_t *figures);

/* The first column of every figure; append_figure takes it away where there is one
 * machine. */
#define MACHINE_COLUMN(role)                                                                       \
    {                                                                                              \
        "machine", "machine", role, true                                                           \
    }

static json_t *machine_json(const struct overhead_case *file, uint32_t machine)
{
    static const char on[] = " on ";
    AUTO_TEXT struct text label = {0};
    overhead_put_machine(file, machine, &label);
    return label.length ? json_text(text_string(&label) + strlen(on)) : json_null();
}

/* Of one unit, which is added to the id and the title: "levels", "Levels in ". */
static json_t *unit_figure(const char *unit, struct figure_spec spec)
{
    AUTO_TEXT struct text id = {0}, title = {0};
    figure_put_id(&id, spec.id, unit);
    text_puts(&title, spec.title);
    text_put_clean(&title, unit);
    spec.id = text_string(&id);
    spec.title = text_string(&title);
    return figure_new(&spec);
}

/* caption NULL: it has one. */
static void append_figure(const struct overhead_run *run, json_t *figures, json_t *figure,
                          const struct text *caption)
{
    if (caption)
        figure_set_caption(figure, caption);
    if (run->file.machine_count < 2)
        figure_drop_column(figure, "machine");
    figures_append_apart(figures, figure);
}

/* What a figure is in. Meters of one unit share a figure; user mode and kernel alone have none
 * where both together have one. */
struct units {
    const char *list[16];
    size_t count;
};
static void units_add(const struct overhead_run *run, const struct overhead_meter *meter,
                      struct units *units)
{
    const char *unit = overhead_unit(meter);
    if (overhead_is_half(&run->report, meter) ||
        units->count == sizeof(units->list) / sizeof(*units->list))
        return;
    for (size_t i = 0; i < units->count; i++)
        if (overhead_same_word(units->list[i], unit))
            return;
    units->list[units->count++] = unit;
}

static bool has_unit(const struct overhead_run *run, const struct overhead_meter *meter,
                     const char *unit)
{
    return overhead_same_word(overhead_unit(meter), unit) && !overhead_is_half(&run->report, meter);
}

/* What begins a row of most: the machine's name, the kind of call, path and variant. */
#define CALLED_JSON(run, called)                                                                   \
    machine_json(&(run)->file, (called)->machine),                                                 \
        json_text((run)->file.operations[(called)->operation].kind),                               \
        json_text((run)->file.operations[(called)->operation].path), json_text((called)->variant)

/* "perf-read.read, lazy", and "on NAME" where there are several machines. */
static void put_series(const struct overhead_run *run, const void *called, struct text *out)
{
    overhead_put_called(run, called, out);
    overhead_put_machine(&run->file, ((const struct overhead_called *)called)->machine, out);
}

/* ----------------------------------------------------------------------------------------------
 * What each call costs once all was called before, a box each; and those that cost now this, now
 * that. */

/* More values than that make no smoother violin. */
#define POOLED_MOST 20000u
#define KINDS_MOST  16u

/* The cheapest and the dearest call of a kind. */
static void put_kind(const struct overhead_run *run, const char *kind, const char *unit,
                     struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_row *least = NULL, *most = NULL;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (!has_unit(run, row->meter, unit) || !overhead_is_usual(run, i) ||
            !overhead_same_word(run->file.operations[row->operation].kind, kind) ||
            !isfinite(row->median))
            continue;
        least = !least || row->median < least->median ? row : least;
        most = !most || row->median > most->median ? row : most;
    }
    if (!least)
        return;
    text_printf(words, "The cheapest %s is ", kind);
    put_series(run, least, words);
    text_printf(words, " with %s %s", OVERHEAD_COST(least->median), unit);
    if (most != least) {
        text_puts(words, ", the dearest ");
        put_series(run, most, words);
        text_printf(words, " with %s", OVERHEAD_COST(most->median));
    }
    text_puts(words, ". ");
}

static json_t *levels_json(const struct overhead_row *row)
{
    AUTO_TEXT struct text words = {0};
    if (row->level_count < 2)
        return json_null();
    for (size_t i = 0; i < row->level_count; i++) {
        text_printf(&words, "%s%s (", i ? ", " : "", OVERHEAD_COST(row->levels[i].median));
        overhead_put_share(row->levels[i].share, &words);
        text_puts(&words, ")");
    }
    return json_text(text_string(&words));
}

static void add_box(const struct overhead_run *run, const struct overhead_cells *cells,
                    const struct overhead_row *row, struct pooled *pooled, json_t *figure)
{
    struct distribution box = {0};
    /* Undisturbed calls up to the 99th of a hundred: beyond it a violin would be a line. */
    size_t step = row->runs / POOLED_MOST + 1;
    pooled_clear(pooled);
    for (size_t i = 0; i < cells->count; i++) {
        const struct overhead_cell *cell = &cells->list[i];
        const struct overhead_factors *factors = &cell->factors;
        if (!(factors->machine == row->machine && factors->operation == row->operation &&
              factors->events == row->events && factors->separate == row->separate &&
              factors->reads == row->reads && factors->temperature == row->temperature &&
              overhead_same_word(cell->tour->link, row->link) &&
              overhead_same_word(cell->tour->counted, row->counted) &&
              overhead_same_meter(cell->meter, row->meter)))
            continue;
        double metering = run->report.timers[cell->factors.meter].cost;
        for (size_t j = 0; j < cell->runs; j += step) {
            double cost = (double)cells->values[cell->begin + j] - metering;
            if (cost <= row->p99)
                pooled_add(pooled, cost);
        }
    }
    if (distribution_of(pooled->values, pooled->count, &box) < 0)
        box.density = box.samples = json_null();
    FIGURE_ROW(figure, CALLED_JSON(run, row), figure_number(row->min), figure_number(row->q1),
               figure_number(row->median), figure_number(row->q3), figure_number(row->p99),
               figure_number(row->max), figure_number(row->low), figure_number(row->high),
               levels_json(row), json_count(row->events), json_text(row->counted),
               json_count(row->runs), json_count(row->processes), json_count(row->disturbed),
               box.density, box.samples);
}

static bool is_of(const struct overhead_run *run, size_t index, const char *unit, const char *kind)
{
    const struct overhead_row *row = &run->report.rows[index];
    return has_unit(run, row->meter, unit) && overhead_is_usual(run, index) &&
           overhead_same_word(run->file.operations[row->operation].kind, kind);
}

/* The cheapest first. */
static int by_cost(const void *left, const void *right)
{
    const struct overhead_row *a = *(const struct overhead_row *const *)left,
                              *b = *(const struct overhead_row *const *)right;
    if (a->median != b->median)
        return a->median < b->median ? -1 : 1;
    return (a > b) - (a < b);
}

static const char *paper_of(const char *kind)
{
    static const char *const papers[][2] = {
        {"start", PAPER "Figure 1b"}, {"stop", PAPER "Figure 1c"}, {"read", PAPER "Figure 1a"}};
    for (size_t i = 0; i < sizeof(papers) / sizeof(*papers); i++)
        if (overhead_same_word(kind, papers[i][0]))
            return papers[i][1];
    return NULL;
}

/* Reads in user code are so much cheaper than starts that each kind has an axis of its own. */
static void add_kind(const struct overhead_run *run, const struct overhead_cells *cells,
                     const char *unit, const char *kind, json_t *figures)
{
    static const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_GROUP),
        {"kind", "call", ROLE_NONE, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"min", "least", ROLE_MIN, false},
        {"q1", "lower quartile", ROLE_Q1, false},
        {"median", "median", ROLE_MEDIAN, false},
        {"q3", "upper quartile", ROLE_Q3, false},
        {"p99", "99 of 100 below", ROLE_MAX, false},
        {"max", "most", ROLE_NONE, false},
        {"low", "median at least (95 %)", ROLE_NONE, false},
        {"high", "median at most (95 %)", ROLE_NONE, false},
        {"levels", "levels", ROLE_NONE, false},
        {"events", "counters", ROLE_NONE, false},
        {"counted", "counted", ROLE_NONE, false},
        {"runs", "calls", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {"disturbed", "calls left aside", ROLE_NONE, false},
        {"density", "density", ROLE_DENSITY, false},
        {"samples", "samples", ROLE_SAMPLES, false},
        {0},
    };
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "calls", kind);
    text_puts(&title, "What a ");
    text_put_clean(&title, kind);
    text_puts(&title, " costs once all was called before, in ");
    json_t *figure = unit_figure(unit, (struct figure_spec){
                                           .id = text_string(&id),
                                           .title = text_string(&title),
                                           .paper = paper_of(kind),
                                           .kind = FIGURE_BOXES,
                                           .x = {unit, SCALE_LINEAR, false},
                                           .columns = columns,
                                       });
    const struct overhead_report *report = &run->report;
    AUTO_POOLED struct pooled pooled = {0};
    AUTO_MEMORY const struct overhead_row **list = memory_new(report->row_count + 1, sizeof(*list));
    size_t count = 0;
    for (size_t i = 0; i < report->row_count; i++)
        if (is_of(run, i, unit, kind))
            list[count++] = &report->rows[i];
    if (count)
        qsort(list, count, sizeof(*list), by_cost);
    for (size_t i = 0; i < count && figure_has_room(figure); i++)
        add_box(run, cells, list[i], &pooled, figure);
    figure_fit_scale(figure, "x");
    put_kind(run, kind, unit, &words);
    text_puts(&words, "Boxes are the middle half of the undisturbed calls, whiskers reach from the "
                      "least to the 99th of a hundred.");
    append_figure(run, figures, figure, &words);
}

static int by_order(const void *left, const void *right)
{
    size_t a = overhead_kind_order(*(const char *const *)left),
           b = overhead_kind_order(*(const char *const *)right);
    return (a > b) - (a < b);
}

static void add_unit(const struct overhead_run *run, const struct overhead_cells *cells,
                     const char *unit, json_t *figures)
{
    const char *kinds[KINDS_MOST] = {0};
    size_t count = 0;
    for (size_t i = 0; i < run->file.operation_count; i++) {
        const char *kind = run->file.operations[i].kind;
        bool known = count == KINDS_MOST;
        for (size_t j = 0; j < count && !known; j++)
            known = overhead_same_word(kinds[j], kind);
        if (!known)
            kinds[count++] = kind;
    }
    qsort(kinds, count, sizeof(*kinds), by_order);
    for (size_t i = 0; i < count; i++)
        add_kind(run, cells, unit, kinds[i], figures);
}

/* --- levels --- */

static void add_level_figure(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_GROUP),
        {"path", "path", ROLE_NONE, true},
        {"call", "call", ROLE_GROUP, false},
        {"level", "level", ROLE_GROUP, false},
        {"median", "median", ROLE_VALUE, false},
        {"q1", "lower quartile", ROLE_LOW, false},
        {"q3", "upper quartile", ROLE_HIGH, false},
        {"share", "% of calls", ROLE_NONE, false},
        {"by", "decided by", ROLE_SERIES, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    size_t calls = 0;
    AUTO_TEXT struct text words = {0};
    json_t *figure = unit_figure(unit, (struct figure_spec){
                                           .id = "levels",
                                           .title = "Calls that cost now this, now that, in ",
                                           .kind = FIGURE_BARS,
                                           .x = {unit, SCALE_LINEAR, true},
                                           .columns = columns,
                                       });
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (!has_unit(run, row->meter, unit) || row->level_count < 2 ||
            !overhead_is_usual(run, i) || !figure_has_room(figure))
            continue;
        static const char *const by[] = {"", "process", "call", "the call before"};
        AUTO_TEXT struct text call = {0};
        overhead_put_row_call(&run->file, row, &call);
        for (size_t j = 0; j < row->level_count; j++) {
            const struct overhead_level *level = &row->levels[j];
            AUTO_TEXT struct text name = {0};
            text_printf(&name, "%zu: ", j + 1);
            overhead_put_share(level->share, &name);
            text_puts(&name, " of calls");
            FIGURE_ROW(figure, machine_json(&run->file, row->machine),
                       json_text(run->file.operations[row->operation].path),
                       json_text(text_string(&call)), json_text(text_string(&name)),
                       figure_number(level->median), figure_number(level->q1),
                       figure_number(level->q3), figure_number(100 * level->share),
                       json_text(by[row->levels_kind]));
        }
        calls++;
    }
    text_printf(&words,
                "The costs of %zu call%s fall into heaps with nothing between them: a mean, or the "
                "median over all, would be a cost that hardly any call has.",
                calls, calls == 1 ? "" : "s");
    append_figure(run, figures, figure, &words);
}

static void add_call_figures(const struct overhead_run *run, json_t *figures)
{
    const struct overhead_report *report = &run->report;
    struct units units = {0};
    struct memory_scope scope;
    memory_scope_begin(&scope);
    struct overhead_cells cells = overhead_cells_collect(&run->file, report);
    for (size_t i = 0; i < report->row_count; i++)
        units_add(run, report->rows[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_unit(run, &cells, units.list[i], figures);
        add_level_figure(run, units.list[i], figures);
    }
    memory_scope_end(&scope);
}

/* ----------------------------------------------------------------------------------------------
 * The first call of a process against later ones, and the same call again and again. */

#define TOLD_MOST       4u /* in a caption */
#define LEAST_PROCESSES 5u /* of times; what is emulated varies little */

static bool says_something(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return cold->processes >=
           (overhead_is_emulated(&run->file, cold->machine) ? 1u : LEAST_PROCESSES);
}

static bool same_call(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return overhead_same_call(left, right) && left->events == right->events &&
           overhead_same_word(left->link, right->link) &&
           overhead_same_word(left->counted, right->counted);
}

/* Of one call in one variant: where nothing of its instrument was called before, else the first. */
static bool is_first_call(const struct overhead_run *run, size_t index)
{
    const struct overhead_cold *list = run->report.cold, *cold = &list[index];
    if (!says_something(run, cold) || !isfinite(cold->first))
        return false;
    for (size_t i = 0; i < run->report.cold_count; i++)
        if (i != index && same_call(&list[i], cold) && says_something(run, &list[i]) &&
            (list[i].opening > cold->opening || (i < index && list[i].opening == cold->opening)))
            return false;
    return true;
}

static double later_of(const struct overhead_cold *cold)
{
    return isfinite(cold->warm) ? cold->warm : cold->second;
}

static void put_dearest(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_cold *most = NULL, *least = NULL;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!has_unit(run, cold->meter, unit) || !is_first_call(run, i) || !isfinite(cold->ratio))
            continue;
        most = !most || cold->ratio > most->ratio ? cold : most;
        least = !least || cold->ratio < least->ratio ? cold : least;
    }
    if (!most)
        return;
    text_puts(words, "The first ");
    put_series(run, most, words);
    text_printf(words, " costs %.3g times a later one (%s against %s %s), which is the most",
                most->ratio, OVERHEAD_COST(most->first), OVERHEAD_COST(later_of(most)), unit);
    if (least != most) {
        text_puts(words, "; the first ");
        put_series(run, least, words);
        text_printf(words, " costs %.3g times", least->ratio);
    }
    text_puts(words, ". ");
}

static void add_firsts(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_GROUP),
        {"kind", "call", ROLE_FACET, true},
        {"path", "path", ROLE_GROUP, true},
        {"variant", "variant", ROLE_GROUP, true},
        {"first", "first call", ROLE_BEFORE, false},
        {"later", "later calls", ROLE_AFTER, false},
        {"second", "second call", ROLE_NONE, false},
        {"extra", "the first costs more by", ROLE_NONE, false},
        {"low", "at least (95 %)", ROLE_NONE, false},
        {"high", "at most (95 %)", ROLE_NONE, false},
        {"ratio", "times a later one", ROLE_NONE, false},
        {"faults", "page faults in the first", ROLE_NONE, false},
        {"before", "straight after", ROLE_NONE, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure =
        unit_figure(unit, (struct figure_spec){
                              .id = "first-calls",
                              .title = "The first call of a process against later ones, in ",
                              .paper = PAPER "Figures 3, 4, 6 and 7",
                              .kind = FIGURE_DUMBBELLS,
                              .x = {unit, SCALE_LOG, false},
                              .columns = columns,
                          });
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (has_unit(run, cold->meter, unit) && is_first_call(run, i) && figure_has_room(figure))
            FIGURE_ROW(figure, CALLED_JSON(run, cold), figure_number(cold->first),
                       figure_number(later_of(cold)), figure_number(cold->second),
                       figure_number(cold->extra), figure_number(cold->low),
                       figure_number(cold->high), figure_number(cold->ratio),
                       figure_number(cold->faults),
                       json_text(overhead_before(&run->file, cold->predecessor)),
                       json_count(cold->processes));
    }
    figure_fit_scale(figure, "x");
    put_dearest(run, unit, &words);
    text_puts(&words, "Lazily linked programs bind a symbol in its first call; a page that nobody "
                      "touched is mapped by the first read.");
    append_figure(run, figures, figure, &words);
}

/* --- again and again --- */

static void put_decline(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    size_t told = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!has_unit(run, cold->meter, unit) || !cold->row_length || !isfinite(cold->later_ratio))
            continue;
        put_series(run, cold, words);
        text_printf(words, ": from %s to %s %s%s. ", OVERHEAD_COST(cold->row[0]),
                    OVERHEAD_COST(cold->later), unit,
                    cold->goes_on    ? ", and it still falls after the second"
                    : cold->declines ? ", settled by the second"
                                     : ", which is no fall beyond chance");
        if (++told == TOLD_MOST)
            return;
    }
}

static void add_rows(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_NONE),
        {"path", "path", ROLE_NONE, true},
        {"variant", "variant", ROLE_NONE, true},
        {"call", "call", ROLE_SERIES, false},
        {"number", "number of the call", ROLE_X, false},
        {"median", "median", ROLE_Y, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    json_t *figure =
        unit_figure(unit, (struct figure_spec){
                              .id = "again",
                              .title = "The same call again and again in a fresh process, in ",
                              .paper = PAPER "Figure 5",
                              .kind = FIGURE_LINES,
                              .x = {"number of the call in its process", SCALE_LOG, false},
                              .y = {unit, SCALE_LOG, false},
                              .columns = columns,
                          });
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        AUTO_TEXT struct text call = {0};
        if (!has_unit(run, cold->meter, unit))
            continue;
        put_series(run, cold, &call);
        for (uint32_t j = 0;
             j < cold->row_length && j < OVERHEAD_MOST_POINTS && figure_has_room(figure); j++)
            FIGURE_ROW(figure, machine_json(&run->file, cold->machine),
                       json_text(run->file.operations[cold->operation].path),
                       json_text(cold->variant), json_text(text_string(&call)), json_integer(j + 1),
                       figure_number(cold->row[j]), json_count(cold->row_processes));
    }
    figure_fit_scale(figure, "y");
    put_decline(run, unit, &words);
    if (!words.length)
        text_puts(&words, "Medians over processes.");
    append_figure(run, figures, figure, &words);
}

static void add_cold_figures(const struct overhead_run *run, json_t *figures)
{
    struct units units = {0};
    for (size_t i = 0; i < run->report.cold_count; i++)
        units_add(run, run->report.cold[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_firsts(run, units.list[i], figures);
        add_rows(run, units.list[i], figures);
    }
}

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

static void add_machines(const struct overhead_run *run, const char *unit, json_t *figures)
{
    const bool several = run->file.machine_count > 1;
    const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_SERIES),
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
    json_t *figure =
        unit_figure(unit, (struct figure_spec){
                              .id = several ? "machines" : "executed",
                              .title = several ? "What a call costs, by machine and kernel, in "
                                               : "What a call executes, by mode, in ",
                              .paper = several ? PAPER "Figure 1" : NULL,
                              .kind = FIGURE_BARS,
                              .x = {unit, SCALE_LINEAR, true},
                              .columns = columns,
                          });
    for (size_t i = 0; i < report->machine_row_count && figure_has_room(figure); i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (!is_shown(run, row) || !overhead_same_word(unit_of(row), unit))
            continue;
        double ratio = row->has_ratio ? 1 : NAN;
        FIGURE_ROW(figure, CALLED_JSON(run, row), json_text(mode_words(row)),
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
    append_figure(run, figures, figure, &words);
}

static void add_machine_figures(const struct overhead_run *run, json_t *figures)
{
    for (int unit = 0; unit < METER_UNITS; unit++)
        add_machines(run, meter_unit_names[unit], figures);
}

/* ----------------------------------------------------------------------------------------------
 * What other interfaces cost beyond the bare calls; and what metering itself costs. */

static bool is_drawn(const struct overhead_report *report, const struct overhead_peer *peer)
{
    return isfinite(peer->ratio) && !overhead_is_half(report, peer->meter);
}

static void put_dearest_peer(const struct overhead_run *run, struct text *words)
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
        MACHINE_COLUMN(ROLE_GROUP),
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
            FIGURE_ROW(figure, machine_json(&run->file, peer->machine), json_text(peer->what),
                       json_text(peer->path), json_text(peer->variant), json_text(peer->bare_path),
                       json_text(overhead_unit(peer->meter)), percent_more(peer->ratio),
                       percent_more(peer->low), percent_more(peer->high),
                       figure_number(peer->ratio), figure_number(peer->cost),
                       figure_number(peer->bare), json_count(peer->processes));
    }
    put_dearest_peer(run, &words);
    text_puts(&words, "0 is the same task by bare calls; of a command, the command alone.");
    append_figure(run, figures, figure, &words);
}

static void add_metering(const struct overhead_run *run, json_t *figures)
{
    static const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_NONE),
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
        FIGURE_ROW(figure, machine_json(&run->file, timer->machine), json_text(timer->meter->event),
                   json_text(overhead_unit(timer->meter)),
                   figure_number(timer->known ? timer->cost : NAN), figure_number(timer->low),
                   figure_number(timer->high),
                   figure_number(timer->resolution > 0 ? timer->resolution : NAN),
                   gauge ? json_count(gauge->passes) : NULL,
                   gauge && gauge->known ? figure_number(100 * gauge->share) : NULL);
    }
    append_figure(run, figures, figure, NULL);
}

static void add_peer_figures(const struct overhead_run *run, json_t *figures)
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

static void add_predecessors(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        MACHINE_COLUMN(ROLE_NONE),
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
        unit_figure(unit, (struct figure_spec){
                              .id = "predecessors",
                              .title = "What the call before changes, in % of the usual ",
                              .kind = FIGURE_MATRIX,
                              .x = {"straight after", SCALE_LINEAR, false},
                              .columns = columns,
                          });
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *usual = &report->rows[i];
        if (!has_unit(run, usual->meter, unit) || !overhead_is_usual(run, i) ||
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
            FIGURE_ROW(
                figure, machine_json(&run->file, row->machine), json_text(text_string(&before)),
                json_text(text_string(&call)), figure_number(rint(10 * percent) / 10),
                figure_number(row->median), figure_number(row->low), figure_number(row->high),
                figure_number(usual->median), json_text(run->file.operations[row->operation].path),
                json_text(run->file.operations[row->operation].kind), json_text(row->variant),
                json_count(row->runs));
            extreme.pairs++;
            if (!extreme.row || fabs(percent) > fabs(extreme.percent)) {
                extreme.row = row;
                extreme.percent = percent;
            }
        }
    }
    put_extreme(run, &extreme, &words);
    append_figure(run, figures, figure, &words);
}

static void add_predecessor_figures(const struct overhead_run *run, json_t *figures)
{
    struct units units = {0};
    for (size_t i = 0; i < run->report.row_count; i++)
        units_add(run, run->report.rows[i].meter, &units);
    for (size_t i = 0; i < units.count; i++)
        add_predecessors(run, units.list[i], figures);
}

/* ----------------------------------------------------------------------------------------------
 * How cost grows with the number of events, and of reads in a row. */

/* What one figure is of: a kind of call by events, or reads in a row (kind NULL). */
struct sweep {
    const char *unit, *kind;
};

static bool is_swept(const struct overhead_run *run, const struct overhead_slope *slope,
                     const struct sweep *sweep)
{
    if (slope->by_reads == (sweep->kind != NULL) || !has_unit(run, slope->meter, sweep->unit))
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
        FIGURE_ROW(
            figure, CALLED_JSON(run, slope), json_text(slope->separate ? "separate" : "group"),
            json_text(text_string(&series)), json_count(point->count), figure_number(each),
            figure_number(point->median), figure_number(slope->slope), figure_number(slope->low),
            figure_number(slope->high), json_text(shape_of(slope)), json_count(slope->processes));
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
        if (!is_swept(run, slope, sweep) || !isfinite(slope->slope))
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
        MACHINE_COLUMN(ROLE_NONE),
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
    json_t *figure = unit_figure(unit, (struct figure_spec){
                                           .id = text_string(&id),
                                           .title = text_string(&title),
                                           .paper = by_reads ? PAPER "Figure 5" : PAPER "Figure 8",
                                           .kind = FIGURE_LINES,
                                           .x = {by_reads ? "reads in a row" : "events",
                                                 by_reads ? SCALE_LOG : SCALE_LINEAR, false},
                                           .y = {text_string(&axis), SCALE_LINEAR, true},
                                           .columns = columns,
                                       });
    for (size_t i = 0; i < report->slope_count; i++)
        if (is_swept(run, &report->slopes[i], sweep))
            add_points(run, &report->slopes[i], figure);
    put_slopes(run, sweep, &words);
    if (!words.length)
        text_puts(&words, "Medians over processes.");
    if (!by_reads)
        figure_add_note(figure, "group: one call for all events; separate: one call each.");
    append_figure(run, figures, figure, &words);
}

static void add_sweep_figures(const struct overhead_run *run, json_t *figures)
{
    struct units units = {0};
    for (size_t i = 0; i < run->report.slope_count; i++)
        units_add(run, run->report.slopes[i].meter, &units);
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

/* --- all figures --- */

json_t *overhead_figures(const void *kept)
{
    const struct overhead_run *run = kept;
    static figures_part *const parts[] = {
        add_call_figures,        add_machine_figures, add_cold_figures,
        add_predecessor_figures, add_sweep_figures,   add_peer_figures,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, figures);
    return figures;
}
