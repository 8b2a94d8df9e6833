/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the meter itself costs, how fine it counts, and how often somebody else used the core. */
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"
#include "judge/overhead/clock.h"
#include "show/utf8.h"

/* "ticks: reading them twice takes 34 (32 to 36), which every figure below leaves out; they come in
 * steps of 26." */
static void put_timer(const struct overhead_case *file, const struct overhead_timer *timer,
                      const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    text_put_clean(&words, timer->meter ? timer->meter->event : "ns");
    overhead_put_machine(file, timer->machine, &words);
    text_puts(&words, ": ");
    if (!timer->known) {
        text_puts(&words, "what reading it costs is not known, because no call of nothing was "
                          "metered; it is in every figure");
    } else {
        text_puts(&words, "reading it around a call costs ");
        overhead_put_interval(timer->cost, timer->low, timer->high, &words);
        text_printf(&words, " %s, taken off every figure",
                    timer->meter ? meter_unit_names[timer->meter->unit] : "ns");
    }
    if (timer->resolution > 1) {
        char step[NUMBER_SIZE];
        overhead_cost(timer->resolution, step, sizeof(step));
        text_printf(&words, "; it counts in steps of %s", step);
        if (overhead_is_clock(timer->meter))
            text_puts(&words, ", the instructions that a tick of the emulated clock takes by the "
                              "gauge, and figures are means between the steps");
    }
    section_put_words(text_string(&words), style, out);
}

static void put_gauge(const struct overhead_case *file, bool all,
                      const struct overhead_gauge *gauge, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    char passes[NUMBER_SIZE], usual[NUMBER_SIZE], limit[NUMBER_SIZE];
    if (!gauge->known)
        return;
    number_count(gauge->passes, passes, sizeof(passes));
    overhead_cost(gauge->usual, usual, sizeof(usual));
    overhead_cost(gauge->limit, limit, sizeof(limit));
    text_puts(&words, "disturbed");
    overhead_put_machine(file, gauge->machine, &words);
    text_puts(&words, ": ");
    overhead_put_share(gauge->share, &words);
    text_printf(&words,
                " of %s passes through the calls, left out above, as the gauge tells, a block of "
                "additions in every pass",
                passes);
    bool told = gauge->share > 0 && gauge->why[0];
    if (all || !told)
        text_printf(&words, ", when it takes more than %s %s instead of %s", limit,
                    gauge->meter ? meter_unit_names[gauge->meter->unit] : "ns", usual);
    if (told) {
        text_puts(&words, "; ");
        text_put_clean(&words, gauge->why);
    }
    section_put_words(text_string(&words), style, out);
}

/* A meter that counts occupies counters of its own. */
static void put_beside(const struct overhead_report *report, const struct style *style,
                       struct text *out)
{
    bool counted = false;
    for (size_t i = 0; i < report->timer_count; i++) {
        const struct overhead_meter *meter = report->timers[i].meter;
        counted |= meter && meter->unit != METER_TICKS && meter->unit != METER_NS;
    }
    if (counted)
        section_put_words("Meters that are counters of the CPU are open beside those of the call "
                          "and read in user code, without a system call.",
                          style, out);
}

/* Why ticks of an emulated machine are not instructions. */
static void put_clock(const struct overhead_case *file, uint32_t index, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!file->machines[index].tick_why[0])
        return;
    text_puts(&words, "ticks");
    overhead_put_machine(file, index, &words);
    text_printf(&words, " are not instructions: %s", file->machines[index].tick_why);
    section_put_words(text_string(&words), style, out);
}

void overhead_put_metering(const struct overhead_run *run, const struct style *style,
                           struct text *out)
{
    const struct overhead_report *report = &run->report;
    if (!report->calls || (!report->timer_count && !report->gauge_count))
        return;
    section_put_heading("Metering", style, out);
    for (size_t i = 0; i < report->timer_count; i++)
        put_timer(&run->file, &report->timers[i], style, out);
    for (size_t i = 0; i < run->file.machine_count; i++)
        put_clock(&run->file, (uint32_t)i, style, out);
    put_beside(report, style, out);
    for (size_t i = 0; i < report->gauge_count; i++)
        put_gauge(&run->file, run->options->all, &report->gauges[i], style, out);
}
