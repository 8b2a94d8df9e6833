/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What metering itself costs: spans with nothing in them, in warm passes that nobody disturbed;
 * the median of each process, then of processes. And the step in which the meter counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "stats/spread.h"
#include "judge/overhead/clock.h"
#include "judge/overhead/passes.h"
#include "judge/overhead/resolution.h"
#include "stats/moments.h"

/* Spans from which the step is read. */
enum { MOST_LOOKED_AT = 1 << 16 };

struct timing {
    const struct overhead_case *file;
    struct overhead_timer *timer;
    const struct overhead_gauge *gauge; /* NULL: take disturbed passes, too */
    bool cold;                          /* there is no warm tour */
    double *medians;                    /* of processes */
    size_t processes, runs;
};

static int add_timer(struct overhead_report *report, uint32_t machine,
                     const struct overhead_meter *meter)
{

    if (overhead_timer_of(report, machine, meter))
        return 0;
    struct overhead_timer *grown =
        reallocarray(report->timers, report->timer_count + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    report->timers = grown;
    grown[report->timer_count++] = (struct overhead_timer){.machine = machine, .meter = meter};
    return 0;
}

static bool is_counted(const struct timing *timing, const struct overhead_passes *passes,
                       size_t process, uint32_t pass, uint32_t meter)
{
    if (!timing->gauge)
        return true;
    double gauge = overhead_pass_gauge(passes, process, pass, meter) - timing->timer->cost;
    return !overhead_pass_unsettled(passes, process, pass) &&
           !(timing->gauge->known && gauge > timing->gauge->limit);
}

/* Nothing of one pass; of a cold one without the first, for which the meter itself was cold. */
static size_t take_pass(const struct timing *timing, const struct overhead_passes *passes,
                        size_t process, uint32_t pass, uint32_t meter, int64_t *spans)
{
    const int64_t *values = overhead_pass_values(passes->tour, process, pass);
    size_t first = timing->cold && pass == 0 ? 1 : 0, taken = 0;
    for (size_t i = first; i < passes->nothing_count; i++)
        spans[taken++] = values[(size_t)passes->nothings[i] * passes->tour->meter_count + meter];
    return taken;
}

static int time_tour(struct timing *timing, const struct overhead_tour *tour, uint32_t meter)
{
    AUTO_PASSES struct overhead_passes passes = {0};
    int error = overhead_passes_open(timing->file, tour, &passes);
    if (error || !passes.nothing_count)
        return error;
    size_t most = 0;
    for (size_t i = 0; i < tour->processes; i++)
        most = tour->passes[i] > most ? tour->passes[i] : most;
    AUTO_FREE int64_t *spans = calloc(2 * most * passes.nothing_count + 1, sizeof(*spans));
    if (!spans)
        return -ENOMEM;
    for (size_t process = 0; process < tour->processes; process++) {
        size_t count = 0;
        for (uint32_t pass = 0; pass < tour->passes[process]; pass++)
            if (is_counted(timing, &passes, process, pass, meter))
                count += take_pass(timing, &passes, process, pass, meter, spans + count);
        if (!count)
            continue;
        error_sort(spans, count, spans + most * passes.nothing_count);
        timing->medians[timing->processes++] =
            overhead_middle_by(timing->timer->meter, spans, count);
        timing->runs += count;
    }
    return 0;
}

/* Over all tours of the machine and meter that are warm, or cold. */
static int time_tours(struct timing *timing)
{
    timing->processes = timing->runs = 0;
    for (size_t i = 0; i < timing->file->tour_count; i++) {
        const struct overhead_tour *tour = &timing->file->tours[i];
        int meter = overhead_meter_index(tour, timing->timer->meter);
        if (tour->machine != timing->timer->machine || meter < 0 || tour->cold != timing->cold)
            continue;
        int error = time_tour(timing, tour, (uint32_t)meter);
        if (error)
            return error;
    }
    if (!timing->processes)
        return 0;
    sort_values(timing->medians, timing->processes);
    struct overhead_timer *timer = timing->timer;
    timer->known = true;
    timer->cost = quantile(timing->medians, timing->processes, 0.5);
    timer->low = quantile(timing->medians, timing->processes, 0.025);
    timer->high = quantile(timing->medians, timing->processes, 0.975);
    timer->processes = timing->processes;
    timer->runs = timing->runs;
    return 0;
}

/* --- the step --- */

static size_t spans_of(const struct overhead_tour *tour)
{
    return tour->processes ? tour->begins[tour->processes] : 0;
}

static int find_step(const struct overhead_case *file, struct overhead_timer *timer)
{
    size_t all = 0, seen = 0, count = 0;
    enum meter_unit unit = timer->meter->unit;
    for (size_t i = 0; i < file->tour_count; i++)
        if (file->tours[i].machine == timer->machine &&
            overhead_meter_index(&file->tours[i], timer->meter) >= 0)
            all += spans_of(&file->tours[i]);
    if (unit != METER_TICKS && unit != METER_NS) { /* a count counts in ones */
        timer->resolution = timer->meter->step > 1 ? timer->meter->step : all > 0;
        return 0;
    }
    AUTO_FREE int64_t *values = calloc(MOST_LOOKED_AT + 1, sizeof(*values));
    AUTO_FREE int64_t *scratch = calloc(2 * MOST_LOOKED_AT + 2, sizeof(*scratch));
    if (!values || !scratch)
        return -ENOMEM;
    size_t stride = all / MOST_LOOKED_AT + 1;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        int meter = overhead_meter_index(tour, timer->meter);
        if (tour->machine != timer->machine || meter < 0)
            continue;
        for (size_t at = 0; at < spans_of(tour); at++)
            if (seen++ % stride == 0 && count < MOST_LOOKED_AT)
                values[count++] = tour->values[at * tour->meter_count + (size_t)meter];
    }
    timer->resolution = find_resolution(values, count, scratch);
    return 0;
}

/* --- one timer --- */

/* What is undisturbed follows from the gauge, whose cost contains that of metering: first by all
 * passes, then by those that the gauge lets stand. Where it lets none stand, all count. */
static int judge_timer(const struct overhead_case *file, struct overhead_timer *timer,
                       double *medians)
{
    struct timing timing = {.file = file, .timer = timer, .medians = medians};
    int error = time_tours(&timing);
    if (!error)
        error = find_step(file, timer);
    if (!error && !timing.processes) {
        timing.cold = true;
        return time_tours(&timing);
    }
    struct overhead_gauge gauge = {.machine = timer->machine, .meter = timer->meter};
    if (!error)
        error = overhead_measure_gauge(file, timer->cost, timer->resolution, &gauge);
    timing.gauge = &gauge;
    return error ? error : time_tours(&timing);
}

int overhead_judge_timers(const struct overhead_case *file, struct overhead_report *report)
{
    size_t processes = 1;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        processes += tour->processes;
        for (uint32_t meter = 0; meter < tour->meter_count; meter++) {
            int error = add_timer(report, tour->machine, &tour->meters[meter]);
            if (error)
                return error;
        }
    }
    AUTO_FREE double *medians = calloc(processes, sizeof(*medians));
    if (!medians)
        return -ENOMEM;
    for (size_t i = 0; i < report->timer_count; i++) {
        int error = judge_timer(file, &report->timers[i], medians);
        if (error)
            return error;
    }
    return 0;
}
