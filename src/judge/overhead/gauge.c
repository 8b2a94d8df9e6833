/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Is the core ours? The gauge is a block of independent additions: whoever shares the core's
 * execution units, or slows its clock, makes it dearer, and everything else with it. From the
 * gauges of all warm passes follows what is usual and where disturbance begins. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "judge/overhead/modes.h"
#include "judge/overhead/passes.h"
#include "stats/moments.h"

/* Nothing below this factor of the usual gauge is called disturbed where no valley tells; and heaps
 * nearer to the lowest than this are the same core at work (other places of code, other links). */
static const double FACTOR = 1.25;
/* Deviations of the usual spread, by its lower half: one of two thousand passes is beyond. */
static const double DEVIATIONS = 3.3;

struct passes_seen {
    double *gauges; /* of settled passes, sorted in the end */
    size_t count, unsettled, passes;
};

static bool tells_time(const struct overhead_meter *meter)
{
    return meter->unit == METER_TICKS || meter->unit == METER_NS || meter->unit == METER_CYCLES;
}

static int see_tour(const struct overhead_case *file, const struct overhead_tour *tour,
                    uint32_t meter, double cost, struct passes_seen *seen)
{
    AUTO_PASSES struct overhead_passes passes = {0};
    int error = overhead_passes_open(file, tour, &passes);
    if (error)
        return error;
    for (size_t process = 0; process < tour->processes; process++)
        for (uint32_t pass = 0; pass < tour->passes[process]; pass++) {
            double gauge = overhead_pass_gauge(&passes, process, pass, meter);
            seen->passes++;
            if (overhead_pass_unsettled(&passes, process, pass))
                seen->unsettled++;
            else if (!isnan(gauge))
                seen->gauges[seen->count++] = gauge - cost;
        }
    return 0;
}

static int see_passes(const struct overhead_case *file, const struct overhead_gauge *gauge,
                      double cost, struct passes_seen *seen)
{
    size_t most = 1;
    for (size_t i = 0; i < file->tour_count; i++)
        for (size_t process = 0; process < file->tours[i].processes; process++)
            most += file->tours[i].passes[process];
    seen->gauges = malloc(most * sizeof(*seen->gauges));
    if (!seen->gauges)
        return -ENOMEM;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        int meter = overhead_meter_index(tour, gauge->meter);
        if (tour->machine != gauge->machine || tour->cold || meter < 0)
            continue;
        int error = see_tour(file, tour, (uint32_t)meter, cost, seen);
        if (error)
            return error;
    }
    sort_values(seen->gauges, seen->count);
    return 0;
}

/* The usual spread in parts of the gauge; from the lower half, which nobody disturbs. */
static double usual_factor(const double *sorted, size_t count)
{
    double median = quantile(sorted, count, 0.5), q1 = quantile(sorted, count, 0.25);
    if (!(q1 > 0))
        return FACTOR;
    return fmax(FACTOR, exp(DEVIATIONS * log(median / q1) / 0.6745));
}

/* Heaps up to the first that is clearly dearer than the lowest are ours. */
static void find_limit(const struct passes_seen *seen, double resolution,
                       struct overhead_gauge *gauge)
{
    double q1 = quantile(seen->gauges, seen->count, 0.25);
    struct mode_search search = {.bandwidth = fmax(fmax(0.03 * fabs(q1), resolution), 1e-9),
                                 .least_share = 0.03,
                                 .distance = 0.08,
                                 .steps = 4 * resolution,
                                 .chance = 1e-5};
    struct mode modes[MOST_MODES];
    size_t found = find_modes(seen->gauges, seen->count, &search, modes), ours = 1;
    while (ours < found && modes[ours].peak < FACTOR * modes[0].peak)
        ours++;
    size_t count = modes[ours - 1].end;
    gauge->usual = quantile(seen->gauges, count, 0.5);
    if (ours < found)
        gauge->limit = modes[ours - 1].border;
    else
        gauge->limit =
            fmax(gauge->usual * usual_factor(seen->gauges, count), gauge->usual + 4 * resolution);
}

static size_t count_above(const struct passes_seen *seen, double limit)
{
    size_t count = 0;
    while (count < seen->count && seen->gauges[seen->count - 1 - count] > limit)
        count++;
    return count;
}

static void say_why(const struct passes_seen *seen, size_t above, struct overhead_gauge *gauge)
{
    double share = seen->count ? (double)above / (double)seen->count : 0;
    double dear = above ? seen->gauges[seen->count - 1 - above / 2] : 0;
    char *why = gauge->why;
    size_t room = sizeof(gauge->why);
    if (share > 0.8)
        snprintf(why, room,
                 "the gauge is %.2f times as dear in %.0f %% of passes: the core is shared or its "
                 "clock slowed; what is left is little to judge by",
                 dear / gauge->usual, 100 * share);
    else if (above)
        snprintf(why, room,
                 "the gauge is %.2f times as dear in %.2g %% of passes: another hyperthread shares "
                 "the core, or its clock slowed",
                 dear / gauge->usual, 100 * share);
    else if (seen->unsettled)
        snprintf(why, room, "page faults or lost CPU time in %.2g %% of passes",
                 100 * (double)seen->unsettled / (double)seen->passes);
    else
        snprintf(why, room,
                 "all passes alike: a core that is shared all the time would look the same");
}

/* What the passes say of the gauge. */
static void settle(const struct passes_seen *seen, double resolution, struct overhead_gauge *gauge)
{
    gauge->passes = seen->passes;
    gauge->known = seen->count > 0 && tells_time(gauge->meter);
    gauge->usual = gauge->limit = NAN;
    size_t above = 0;
    if (gauge->known) {
        find_limit(seen, resolution, gauge);
        above = count_above(seen, gauge->limit);
    }
    if (seen->passes)
        gauge->share = (double)(above + seen->unsettled) / (double)seen->passes;
    if (gauge->known)
        say_why(seen, above, gauge);
    else
        snprintf(gauge->why, sizeof(gauge->why), "%s",
                 seen->count ? "a count does not tell whether somebody shares the core"
                             : "no warm pass called the gauge");
}

int overhead_measure_gauge(const struct overhead_case *file, double cost, double resolution,
                           struct overhead_gauge *gauge)
{
    struct passes_seen seen = {0};
    int error = see_passes(file, gauge, cost, &seen);
    if (!error)
        settle(&seen, resolution, gauge);
    free(seen.gauges);
    return error;
}

int overhead_judge_gauges(const struct overhead_case *file, struct overhead_report *report)
{
    report->gauges = calloc(report->timer_count + 1, sizeof(*report->gauges));
    if (!report->gauges)
        return -ENOMEM;
    for (size_t i = 0; i < report->timer_count; i++) {
        const struct overhead_timer *timer = &report->timers[i];
        struct overhead_gauge *gauge = &report->gauges[report->gauge_count++];
        gauge->machine = timer->machine;
        gauge->meter = timer->meter;
        int error = overhead_measure_gauge(file, timer->cost, timer->resolution, gauge);
        if (error)
            return error;
    }
    return 0;
}
