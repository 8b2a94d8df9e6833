/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's Figure 1 on a terminal: how long a sleep was asked for, and what clocks say it took.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/clocks-show.h"
#include "show/scatter.h"

#define ROWS   6u
#define BEYOND 1.1 /* times the longest sleep */

static bool has_points(const struct clocks_run *run, uint32_t clock)
{
    for (size_t i = 0; i < run->report.point_count; i++)
        if (run->report.points[i].clock == clock)
            return true;
    return false;
}

static bool is_copy(const struct clocks_run *run, uint32_t clock, uint32_t of)
{
    const struct clock_same *same = &run->report.same[clock];
    return same->known && same->same && same->with == of;
}

/* Are both made of one counter, and either in order or at fault in the same way? */
static bool are_alike(const struct clocks_run *run, uint32_t one, uint32_t other)
{
    const struct clock_known *left = &run->file.clocks[one], *right = &run->file.clocks[other];
    const struct clock_verdict *verdicts = run->report.verdicts;
    return !left->external && !right->external && left->role == ROLE_WALL &&
           right->role == ROLE_WALL && left->hardware && right->hardware &&
           strcmp(left->hardware, right->hardware) == 0 && verdicts &&
           verdicts[one].fault == verdicts[other].fault;
}

/* One in other clothes would only hide the other. */
static bool is_double(const struct clocks_run *run, uint32_t clock, const uint32_t *shown,
                      size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (are_alike(run, clock, shown[i]) ||
            (run->report.same && (is_copy(run, clock, shown[i]) || is_copy(run, shown[i], clock))))
            return true;
    return false;
}

static size_t choose(const struct clocks_run *run, uint32_t shown[CLOCKS_FEW])
{
    uint32_t few[CLOCKS_FEW];
    size_t count = clocks_few(run, few), chosen = 0;
    for (size_t i = 0; i < count; i++)
        if (has_points(run, few[i]) && !is_double(run, few[i], shown, chosen))
            shown[chosen++] = few[i];
    return chosen;
}

void clocks_put_plot(const struct clocks_run *run, const struct style *style, struct text *out)
{
    const struct clocks_report *report = &run->report;
    uint32_t shown[CLOCKS_FEW];
    const char *names[CLOCKS_FEW];
    size_t chosen = choose(run, shown), count = 0;
    AUTO_FREE struct scatter_point *points = calloc(report->point_count + 1, sizeof(*points));
    if (!points) {
        out->failed = true;
        return;
    }
    for (size_t i = 0; i < chosen; i++)
        names[i] = clocks_name(&run->file, shown[i]);
    for (size_t i = 0; i < report->point_count; i++)
        for (size_t series = 0; series < chosen; series++)
            if (report->points[i].clock == shown[series])
                points[count++] = (struct scatter_point){.x = report->points[i].requested_ms,
                                                         .y = report->points[i].measured_ms,
                                                         .series = series};
    const struct scatter scatter = {.series = names,
                                    .series_count = chosen,
                                    .points = points,
                                    .count = count,
                                    .line = "as asked for",
                                    .slope = 1,
                                    .beyond = BEYOND,
                                    .rows = ROWS};
    AUTO_TEXT struct text plot = {0};
    scatter_put(&scatter, style, &plot);
    out->failed |= plot.failed;
    if (!plot.length)
        return;
    section_put_heading("Sleeps: ms asked for (across), ms by the clock (up)", style, out);
    text_puts(out, text_string(&plot));
}
