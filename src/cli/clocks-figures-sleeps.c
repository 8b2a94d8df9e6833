/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The paper's Figure 1 as a figure: how long a sleep was asked for, and what clocks say it took. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/clocks-show.h"
#include "output/figure.h"

#define AGREES 0.01 /* farther from the reference is worth a word */
#define NAMED  3u   /* clocks that the caption names */

/* --- which points --- */

/* What clocks have in common, so that a picture of many has few colours; drawn in this order, the
 * paper's last and above the others. */
enum sort { SORT_SYSTEM, SORT_COARSE, SORT_CPU_TIME, SORT_CYCLES, SORT_OWN, SORT_COUNTER };
static const char *const sorts[] = {
    [SORT_SYSTEM] = "the operating system's clocks",
    [SORT_COARSE] = "clocks in coarse steps",
    [SORT_CPU_TIME] = "CPU time",
    [SORT_CYCLES] = "cycles",
    [SORT_OWN] = "clocks of your own",
    [SORT_COUNTER] = "the CPU's counter",
};

static enum sort sort_of(const struct clocks_run *run, uint32_t clock)
{
    const struct clock_known *known = &run->file.clocks[clock];
    if (known->external)
        return SORT_OWN;
    if (known->role == ROLE_CPU_TIME)
        return SORT_CPU_TIME;
    if (known->role == ROLE_CYCLES)
        return SORT_CYCLES;
    if (known->way && strcmp(known->way, "instruction") == 0)
        return SORT_COUNTER;
    return clocks_seen(run, clock).granularity.coarse ? SORT_COARSE : SORT_SYSTEM;
}

struct sleep {
    const struct clock_point *point;
    enum sort sort;
};

/* Sorted so that those of one clock and length are together. */
struct sleeps {
    struct sleep *all;
    size_t count, beyond; /* beyond: points that an axis has no room for */
};

static int by_clock_and_length(const void *left, const void *right)
{
    const struct sleep *one = left, *other = right;
    const struct clock_point *a = one->point, *b = other->point;
    if (one->sort != other->sort)
        return one->sort < other->sort ? -1 : 1;
    if (a->clock != b->clock)
        return a->clock < b->clock ? -1 : 1;
    if (a->requested_ms != b->requested_ms)
        return a->requested_ms < b->requested_ms ? -1 : 1;
    return (a->measured_ms > b->measured_ms) - (a->measured_ms < b->measured_ms);
}

static double ratio_of(const struct clock_point *point)
{
    return point->reference_ms > 0 ? point->measured_ms / point->reference_ms : (double)NAN;
}

/* Times stand on log axes; beside the reference a clock that stood still has its place, too. */
static bool is_drawn(const struct clock_point *point, bool compared)
{
    return isfinite(point->requested_ms) && point->requested_ms > 0 &&
           (compared ? isfinite(ratio_of(point))
                     : isfinite(point->measured_ms) && point->measured_ms > 0);
}

static bool is_reference(const struct clocks_run *run, uint32_t clock)
{
    return run->report.reference.clock >= 0 && (uint32_t)run->report.reference.clock == clock;
}

/* compared: what can be held against the reference, which itself agrees with itself. */
static bool gather(const struct clocks_run *run, bool compared, struct sleeps *sleeps)
{
    const struct clocks_report *report = &run->report;
    sleeps->all = calloc(report->point_count + 1, sizeof(*sleeps->all));
    if (!sleeps->all)
        return false;
    for (size_t i = 0; i < report->point_count; i++) {
        const struct clock_point *point = &report->points[i];
        if (point->clock >= run->file.clock_count || !clocks_is_judged(run, point->clock) ||
            (compared && is_reference(run, point->clock)))
            continue;
        if (is_drawn(point, compared))
            sleeps->all[sleeps->count++] = (struct sleep){point, sort_of(run, point->clock)};
        else
            sleeps->beyond++;
    }
    qsort(sleeps->all, sleeps->count, sizeof(*sleeps->all), by_clock_and_length);
    return true;
}

/* Where the next clock, or the next length of the same clock, begins. */
static size_t end_of(const struct sleeps *sleeps, size_t begin, bool lengths)
{
    const struct clock_point *first = sleeps->all[begin].point;
    size_t end = begin + 1;
    while (end < sleeps->count && sleeps->all[end].point->clock == first->clock &&
           (!lengths || sleeps->all[end].point->requested_ms == first->requested_ms))
        end++;
    return end;
}

/* --- rows --- */

static void add_point(json_t *figure, const struct clocks_run *run, const struct sleep *sleep)
{
    const struct clock_point *point = sleep->point;
    FIGURE_ROW(figure, json_text(sorts[sleep->sort]),
               json_text(clocks_name(&run->file, point->clock)), figure_number(point->requested_ms),
               figure_number(point->measured_ms), figure_number(point->reference_ms),
               figure_number(1e6 * (ratio_of(point) - 1)));
}

/* At most `most` of each length, evenly from the shortest to the longest. */
static void add_points(json_t *figure, const struct clocks_run *run, const struct sleeps *sleeps,
                       size_t most)
{
    size_t added = 0;
    for (size_t begin = 0, end; begin < sleeps->count; begin = end) {
        end = end_of(sleeps, begin, true);
        const size_t there = end - begin, kept = there < most ? there : most;
        for (size_t i = 0; i < kept && added < FIGURE_MOST_ROWS; i++, added++) {
            const size_t at = kept > 1 ? i * (there - 1) / (kept - 1) : there / 2;
            add_point(figure, run, &sleeps->all[begin + at]);
        }
    }
}

static size_t most_of_a_length(const struct sleeps *sleeps)
{
    size_t lengths = 0;
    for (size_t begin = 0; begin < sleeps->count; begin = end_of(sleeps, begin, true))
        lengths++;
    const size_t most = FIGURE_MOST_ROWS / (lengths ? lengths : 1);
    return most ? most : 1;
}

static void add_line(json_t *figure, const struct sleeps *sleeps)
{
    double shortest = INFINITY, longest = 0;
    for (size_t i = 0; i < sleeps->count; i++) {
        shortest = fmin(shortest, sleeps->all[i].point->requested_ms);
        longest = fmax(longest, sleeps->all[i].point->requested_ms);
    }
    if (sleeps->count)
        figure_add_line(figure, "as asked for", NULL, 0, 1, shortest, longest);
}

/* --- words --- */

struct sleeper {
    uint32_t clock;
    double worst; /* ratio to the reference, the farthest from 1 */
};

static int by_worst(const void *left, const void *right)
{
    const struct sleeper *a = left, *b = right;
    const double one = fabs(a->worst - 1), other = fabs(b->worst - 1);
    return (one < other) - (one > other);
}

/* Clocks that were compared with another, the worst first. */
static size_t find_sleepers(const struct sleeps *sleeps, struct sleeper *sleepers)
{
    size_t count = 0;
    for (size_t begin = 0, end; begin < sleeps->count; begin = end) {
        struct sleeper sleeper = {.clock = sleeps->all[begin].point->clock, .worst = NAN};
        end = end_of(sleeps, begin, false);
        for (size_t i = begin; i < end; i++) {
            const double ratio = ratio_of(sleeps->all[i].point);
            if (isnan(sleeper.worst) || fabs(ratio - 1) > fabs(sleeper.worst - 1))
                sleeper.worst = ratio;
        }
        sleepers[count++] = sleeper;
    }
    qsort(sleepers, count, sizeof(*sleepers), by_worst);
    return count;
}

static bool is_counter(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL && clock->way && strcmp(clock->way, "instruction") == 0;
}

static bool is_at_fault(const struct clocks_run *run, uint32_t clock)
{
    return run->report.verdicts && run->report.verdicts[clock].trust == TRUST_NOT_DEPENDABLE;
}

/* What the paper saw, beside the same counter here. */
static void put_counter(const struct clocks_run *run, const struct sleeper *sleepers, size_t count,
                        struct text *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct sleeper *sleeper = &sleepers[i];
        if (!is_counter(&run->file.clocks[sleeper->clock]))
            continue;
        const char *name = clocks_name(&run->file, sleeper->clock);
        text_puts(out, " In the paper the CPU's counter read too low and scattered; here ");
        if (fabs(sleeper->worst - 1) <= AGREES)
            text_printf(out, "%s stays within %.2g ppm of the reference%s.", name,
                        1e6 * fabs(sleeper->worst - 1),
                        is_at_fault(run, sleeper->clock)
                            ? ", and yet it is not dependable for another reason"
                            : "");
        else
            text_printf(out, "%s is off, too: at worst it shows %.3g %% of a sleep.", name,
                        100 * sleeper->worst);
        return;
    }
}

static void put_caption(const struct clocks_run *run, const struct sleeper *sleepers, size_t count,
                        struct text *out)
{
    size_t off = 0;
    while (off < count && fabs(sleepers[off].worst - 1) > AGREES)
        off++;
    text_puts(out, "A dot is a sleep: how long was asked for (across), and how long a clock says "
                   "it took (up); the line is what was asked for, and a sleep is never shorter.");
    if (!count)
        return;
    text_printf(out, " %zu of %zu clocks stay within 1 %% of the reference in every sleep.",
                count - off, count);
    for (size_t i = 0; i < off && i < NAMED; i++)
        text_printf(out, "%s%s shows %.3g %% of one", i ? ", " : " At worst ",
                    clocks_name(&run->file, sleepers[i].clock), 100 * sleepers[i].worst);
    if (off > NAMED)
        text_printf(out, "; %zu more are off as well", off - NAMED);
    text_puts(out, off ? "." : "");
    put_counter(run, sleepers, count, out);
    if (run->file.emulated)
        text_puts(out, " The time of this machine is made by a program: it says nothing of "
                       "hardware.");
}

/* Rows and notes of a figure of sleeps, whatever is drawn of them. */
static void fill(json_t *figure, const struct clocks_run *run, const struct sleeps *sleeps)
{
    add_points(figure, run, sleeps, most_of_a_length(sleeps));
    if (sleeps->count > FIGURE_MOST_ROWS)
        figure_add_note(figure, "Of many sleeps of one length some are drawn, evenly from the "
                                "shortest to the longest.");
    if (sleeps->beyond)
        figure_add_note(figure, "Sleeps over which a clock did not move, or whose rate is not "
                                "known, have no place on the axis.");
}

/* Columns as add_point fills them; one of the last is drawn upwards. */
#define SLEEP_COLUMNS(measured, off)                                                               \
    {"sort", "sort", ROLE_SERIES, false}, {"clock", "clock", ROLE_NONE, true},                     \
        {"requested_ms", "asked for, ms", ROLE_X, false},                                          \
        {"measured_ms", "by the clock, ms", measured, false},                                      \
        {"reference_ms", "by the reference, ms", ROLE_NONE, false},                                \
        {"off_ppm", "off the reference, ppm", off, false},                                         \
    {                                                                                              \
        0                                                                                          \
    }

json_t *clocks_sleeps_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {SLEEP_COLUMNS(ROLE_Y, ROLE_NONE)};
    struct sleeps sleeps = {0}, compared = {0};
    AUTO_TEXT struct text caption = {0};
    AUTO_FREE struct sleeper *sleepers = calloc(run->file.clock_count + 1, sizeof(*sleepers));
    if (sleepers && gather(run, false, &sleeps) && gather(run, true, &compared))
        put_caption(run, sleepers, find_sleepers(&compared, sleepers), &caption);
    free(compared.all);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-sleeps",
        .title = "Sleeps as clocks see them",
        .caption = text_string(&caption),
        .paper = "Kuperberg and Reussner 2011, Figure 1",
        .kind = FIGURE_POINTS,
        .x = {.label = "sleep asked for, ms", .scale = SCALE_LOG},
        .y = {.label = "by the clock, ms", .scale = SCALE_LOG},
        .columns = columns,
    });
    fill(figure, run, &sleeps);
    add_line(figure, &sleeps);
    free(sleeps.all);
    return figure;
}

/* --- the same beside the reference --- */

/* " CPU time: up to -999,000 ppm." of every sort that there is. */
static void put_errors(const struct sleeps *sleeps, struct text *out)
{
    for (size_t i = 0; i < sleeps->count;) {
        const enum sort sort = sleeps->all[i].sort;
        double worst = NAN;
        char ppm[NUMBER_SIZE];
        for (; i < sleeps->count && sleeps->all[i].sort == sort; i++) {
            const double off = 1e6 * (ratio_of(sleeps->all[i].point) - 1);
            worst = isnan(worst) || fabs(off) > fabs(worst) ? off : worst;
        }
        clocks_ppm(worst, ppm, sizeof(ppm));
        if (isfinite(worst))
            text_printf(out, "%s%s by up to %s ppm", out->length ? ", " : "", sorts[sort], ppm);
    }
}

json_t *clocks_sleep_errors_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {SLEEP_COLUMNS(ROLE_NONE, ROLE_Y)};
    struct sleeps sleeps = {0};
    AUTO_TEXT struct text caption = {0};
    AUTO_TEXT struct text errors = {0};
    if (gather(run, true, &sleeps))
        put_errors(&sleeps, &errors);
    text_printf(&caption,
                "By how many millionths a clock's duration of a sleep differs from the "
                "reference's, read at the same moments: %s. Clocks of CPU time show what the "
                "thread used.",
                errors.length ? text_string(&errors) : "there is no reference");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-sleep-errors",
        .title = "How far clocks are off the reference over sleeps",
        .caption = text_string(&caption),
        .kind = FIGURE_POINTS,
        .x = {.label = "sleep asked for, ms", .scale = SCALE_LOG},
        .y = {.label = "off the reference, ppm", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    if (errors.length)
        fill(figure, run, &sleeps);
    free(sleeps.all);
    return figure;
}
