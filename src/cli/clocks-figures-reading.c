/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one reading of a clock costs, and how finely the clock tells time. */
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/clocks-show.h"
#include "output/figure.h"

struct quantity {
    const char *name;
    double ns, low, high; /* NaN: not known */
};

/* Log axes have no place for what is not above 0. */
static double positive(double ns)
{
    return isfinite(ns) && ns > 0 ? ns : (double)NAN;
}

static struct quantity cost_of(const struct clock_seen *seen)
{
    const struct clock_cost *cost = &seen->cost;
    const double ns = cost->known ? positive(cost->ns) : (double)NAN;
    const double each = cost->ticks > 0 ? ns / cost->ticks : (double)NAN;
    return (struct quantity){"a reading", ns, positive(cost->low * each),
                             positive(cost->high * each)};
}

static struct quantity resolution_of(const struct clock_seen *seen)
{
    const struct clock_granularity *granularity = &seen->granularity;
    return (struct quantity){
        "resolution", granularity->known ? positive(granularity->resolution_ns) : (double)NAN, NAN,
        NAN};
}

/* "tsc (9.6 ns)" */
static void put_named(const struct clocks_run *run, uint32_t clock, double ns, struct text *out)
{
    text_printf(out, "%s (", clocks_name(&run->file, clock));
    clocks_put_time(ns, out);
    text_puts(out, ")");
}

struct extremes {
    size_t count;
    uint32_t least, most; /* clocks */
    double least_ns, most_ns;
};

static void look_at(uint32_t clock, double ns, struct extremes *extremes)
{
    if (!isfinite(ns))
        return;
    if (!extremes->count || ns < extremes->least_ns) {
        extremes->least = clock;
        extremes->least_ns = ns;
    }
    if (!extremes->count || ns > extremes->most_ns) {
        extremes->most = clock;
        extremes->most_ns = ns;
    }
    extremes->count++;
}

static void put_extremes(const struct clocks_run *run, const struct extremes *extremes,
                         const char *least, const char *most, struct text *out)
{
    char times[NUMBER_SIZE];
    if (!extremes->count)
        return;
    text_printf(out, " %s ", least);
    put_named(run, extremes->least, extremes->least_ns, out);
    if (extremes->most != extremes->least) {
        text_printf(out, ", %s ", most);
        put_named(run, extremes->most, extremes->most_ns, out);
        number_significant(extremes->most_ns / extremes->least_ns, 2, times, sizeof(times));
        text_printf(out, ", %s times as much", times);
    }
    text_puts(out, ".");
}

static void put_caption(const struct clocks_run *run, const uint32_t *order, size_t count,
                        struct text *out)
{
    struct extremes costs = {0}, steps = {0};
    for (size_t i = 0; i < count; i++) {
        const struct clock_seen seen = clocks_seen(run, order[i]);
        look_at(order[i], cost_of(&seen).ns, &costs);
        look_at(order[i], resolution_of(&seen).ns, &steps);
    }
    text_puts(out, "How long one reading takes (median, and what 95 % leave open), and how finely "
                   "the clock tells time: what is shorter than either cannot be measured by it.");
    put_extremes(run, &costs, "Cheapest to read is", "dearest", out);
    put_extremes(run, &steps, "Finest is", "coarsest", out);
}

json_t *clocks_reading_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_GROUP, true},
        {"what", "what", ROLE_FACET, false},
        {"ns", "ns", ROLE_VALUE, false},
        {"low", "low", ROLE_LOW, false},
        {"high", "high", ROLE_HIGH, false},
        {"trust", "trust", ROLE_SERIES, false},
        {0},
    };
    AUTO_FREE uint32_t *order = calloc(run->file.clock_count + 1, sizeof(*order));
    const size_t count = order ? clocks_by_use(run, order) : 0;
    AUTO_TEXT struct text caption = {0};
    put_caption(run, order, count, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-reading",
        .title = "What a reading costs, and how fine it is",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "ns", .scale = SCALE_LOG},
        .columns = columns,
    });
    for (size_t i = 0; i < count && 2 * i < FIGURE_MOST_ROWS; i++) {
        const struct clock_seen seen = clocks_seen(run, order[i]);
        const struct quantity both[] = {cost_of(&seen), resolution_of(&seen)};
        for (size_t j = 0; j < 2; j++)
            if (isfinite(both[j].ns))
                FIGURE_ROW(figure, json_text(clocks_name(&run->file, order[i])),
                           json_text(both[j].name), figure_number(both[j].ns),
                           figure_number(both[j].low), figure_number(both[j].high),
                           json_text(seen.verdict ? clock_trust_names[seen.verdict->trust] : NULL));
    }
    return figure;
}
