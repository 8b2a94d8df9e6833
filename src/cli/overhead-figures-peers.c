/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What other interfaces cost beyond the bare calls; and what metering itself costs. */
#include <math.h>

#include "cli/overhead-figures.h"
#include "show/utf8.h"

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
    figure_set_caption(figure, &words);
    overhead_append_figure(run, figures, figure);
}

/* --- metering --- */

static const struct overhead_gauge *gauge_of(const struct overhead_report *report,
                                             const struct overhead_timer *timer)
{
    for (size_t i = 0; i < report->gauge_count; i++)
        if (report->gauges[i].machine == timer->machine &&
            overhead_is_like_meter(report->gauges[i].meter, timer->meter))
            return &report->gauges[i];
    return NULL;
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
        const struct overhead_gauge *gauge = gauge_of(report, timer);
        FIGURE_ROW(figure, overhead_machine_json(&run->file, timer->machine),
                   json_text(timer->meter->event), json_text(overhead_unit(timer->meter)),
                   figure_number(timer->known ? timer->cost : NAN), figure_number(timer->low),
                   figure_number(timer->high),
                   figure_number(timer->resolution > 0 ? timer->resolution : NAN),
                   gauge ? json_count(gauge->passes) : NULL,
                   gauge && gauge->known ? figure_number(100 * gauge->share) : NULL);
    }
    overhead_append_figure(run, figures, figure);
}

void overhead_add_peer_figures(const struct overhead_run *run, json_t *figures)
{
    add_peers(run, figures);
    add_metering(run, figures);
}
