/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The first call of a process against later ones, and the same call again and again. */
#include <math.h>

#include "cli/overhead-figures.h"
#include "show/utf8.h"

#define TOLD_MOST       4u /* in a caption */
#define LEAST_PROCESSES 5u /* of times; what is emulated varies little */

static bool says_something(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return cold->processes >=
           (overhead_is_emulated(&run->file, cold->machine) ? 1u : LEAST_PROCESSES);
}

static bool same_call(const struct overhead_cold *left, const struct overhead_cold *right)
{
    return left->operation == right->operation && left->events == right->events &&
           overhead_same_cold_group(left, right) &&
           overhead_same_word(left->variant, right->variant) &&
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
        if (!overhead_has_unit(run, cold->meter, unit) || !is_first_call(run, i) ||
            !isfinite(cold->ratio))
            continue;
        most = !most || cold->ratio > most->ratio ? cold : most;
        least = !least || cold->ratio < least->ratio ? cold : least;
    }
    if (!most)
        return;
    text_puts(words, "The first ");
    overhead_put_series(&run->file, most->machine, most->operation, most->variant, words);
    text_printf(words, " costs %.3g times a later one (", most->ratio);
    overhead_put_cost(words, most->first);
    text_puts(words, " against ");
    overhead_put_cost(words, later_of(most));
    text_printf(words, " %s), which is the most", unit);
    if (least != most) {
        text_puts(words, "; the first ");
        overhead_put_series(&run->file, least->machine, least->operation, least->variant, words);
        text_printf(words, " costs %.3g times", least->ratio);
    }
    text_puts(words, ". ");
}

static void add_first(const struct overhead_run *run, const struct overhead_cold *cold,
                      json_t *figure)
{
    FIGURE_ROW(figure, overhead_machine_json(&run->file, cold->machine),
               overhead_kind_json(&run->file, cold->operation),
               overhead_path_json(&run->file, cold->operation), json_text(cold->variant),
               figure_number(cold->first), figure_number(later_of(cold)),
               figure_number(cold->second), figure_number(cold->extra), figure_number(cold->low),
               figure_number(cold->high), figure_number(cold->ratio), figure_number(cold->faults),
               json_text(overhead_before(&run->file, cold->predecessor)),
               json_count(cold->processes));
}

static void add_firsts(const struct overhead_run *run, const char *unit, json_t *figures)
{
    static const struct figure_column columns[] = {
        OVERHEAD_MACHINE_COLUMN(ROLE_GROUP),
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
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "first-calls", unit);
    text_puts(&title, "The first call of a process against later ones, in ");
    text_put_clean(&title, unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = OVERHEAD_PAPER "Figures 3, 4, 6 and 7",
        .kind = FIGURE_DUMBBELLS,
        .x = {unit, SCALE_LOG, false},
        .columns = columns,
    });
    for (size_t i = 0; i < report->cold_count; i++)
        if (overhead_has_unit(run, report->cold[i].meter, unit) && is_first_call(run, i) &&
            figure_has_room(figure))
            add_first(run, &report->cold[i], figure);
    figure_fit_scale(figure, "x");
    put_dearest(run, unit, &words);
    text_puts(&words, "Lazily linked programs bind a symbol in its first call; a page that nobody "
                      "touched is mapped by the first read.");
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

/* --- again and again --- */

static void put_decline(const struct overhead_run *run, const char *unit, struct text *words)
{
    const struct overhead_report *report = &run->report;
    size_t told = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_has_unit(run, cold->meter, unit) || !cold->row_length ||
            !isfinite(cold->later_ratio))
            continue;
        overhead_put_series(&run->file, cold->machine, cold->operation, cold->variant, words);
        text_puts(words, ": from ");
        overhead_put_cost(words, cold->row[0]);
        text_puts(words, " to ");
        overhead_put_cost(words, cold->later);
        text_printf(words, " %s%s. ", unit,
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
        OVERHEAD_MACHINE_COLUMN(ROLE_NONE),
        {"path", "path", ROLE_NONE, true},
        {"variant", "variant", ROLE_NONE, true},
        {"call", "call", ROLE_SERIES, false},
        {"number", "number of the call", ROLE_X, false},
        {"median", "median", ROLE_Y, false},
        {"processes", "processes", ROLE_NONE, false},
        {0},
    };
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text id = {0}, title = {0}, words = {0};
    figure_put_id(&id, "again", unit);
    text_puts(&title, "The same call again and again in a fresh process, in ");
    text_put_clean(&title, unit);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = text_string(&id),
        .title = text_string(&title),
        .paper = OVERHEAD_PAPER "Figure 5",
        .kind = FIGURE_LINES,
        .x = {"number of the call in its process", SCALE_LOG, false},
        .y = {unit, SCALE_LOG, false},
        .columns = columns,
    });
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        AUTO_TEXT struct text call = {0};
        if (!overhead_has_unit(run, cold->meter, unit))
            continue;
        overhead_put_series(&run->file, cold->machine, cold->operation, cold->variant, &call);
        for (uint32_t j = 0;
             j < cold->row_length && j < OVERHEAD_MOST_POINTS && figure_has_room(figure); j++)
            FIGURE_ROW(figure, overhead_machine_json(&run->file, cold->machine),
                       overhead_path_json(&run->file, cold->operation), json_text(cold->variant),
                       json_text(text_string(&call)), json_integer(j + 1),
                       figure_number(cold->row[j]), json_count(cold->row_processes));
    }
    figure_fit_scale(figure, "y");
    put_decline(run, unit, &words);
    if (!words.length)
        text_puts(&words, "Medians over processes.");
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

void overhead_add_cold_figures(const struct overhead_run *run, json_t *figures)
{
    struct overhead_units units = {0};
    for (size_t i = 0; i < run->report.cold_count; i++)
        overhead_units_add(run, run->report.cold[i].meter, &units);
    for (size_t i = 0; i < units.count; i++) {
        add_firsts(run, units.list[i], figures);
        add_rows(run, units.list[i], figures);
    }
}
