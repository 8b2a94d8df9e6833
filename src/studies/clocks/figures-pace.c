/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether CPUs agree on a clock, and how fast the clock runs: figures with their bounds. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/clocks-show.h"
#include "output/figure.h"

/* --- CPUs against each other --- */

/* A pair of CPUs in ns. A clock whose offset is not constant has its limits the other way round. */
struct apart {
    const struct clock_pair *pair;
    double each; /* ns of a tick */
    double offset, low, high;
    bool constant;
    double sure; /* at least so far apart, whatever the offset is */
};

static struct apart apart_of(const struct clocks_run *run, const struct clock_pair *pair)
{
    const struct clock_scale *scales = run->report.scales;
    const bool known = pair->clock < run->file.clock_count && scales && scales[pair->clock].known;
    const double each = known ? scales[pair->clock].ns_per_tick : (double)NAN;
    struct apart apart = {.pair = pair,
                          .each = each,
                          .constant = pair->low <= pair->high,
                          .low = each * fmin(pair->low, pair->high),
                          .high = each * fmax(pair->low, pair->high)};
    apart.offset = apart.constant ? each * pair->offset : (apart.low + apart.high) / 2;
    apart.sure = apart.constant ? fmax(0, fmax(apart.low, -apart.high)) : apart.high - apart.low;
    return apart;
}

static int by_certainty(const void *left, const void *right)
{
    const struct apart *a = left, *b = right;
    if (a->sure != b->sure)
        return a->sure > b->sure ? -1 : 1;
    return (a->pair > b->pair) - (a->pair < b->pair);
}

/* Pairs that can be told in ns, in their order; where they are too many the farthest apart first.
 */
static size_t gather_pairs(const struct clocks_run *run, struct apart *all)
{
    size_t count = 0;
    for (size_t i = 0; i < run->report.pair_count; i++) {
        all[count] = apart_of(run, &run->report.pairs[i]);
        if (isfinite(all[count].offset) && clocks_is_judged(run, run->report.pairs[i].clock))
            count++;
    }
    if (count > FIGURE_MOST_ROWS)
        qsort(all, count, sizeof(*all), by_certainty);
    return count;
}

/* The largest offset that is left open. */
static double reach_of(const struct apart *apart)
{
    return fmax(-apart->low, apart->high);
}

/* "160 ns (tsc)" */
static void put_reach(const struct clocks_run *run, const struct apart *apart, struct text *out)
{
    clocks_put_time(apart ? reach_of(apart) : NAN, out);
    text_printf(out, " (%s)", apart ? clocks_name(&run->file, apart->pair->clock) : "?");
}

static void put_offsets_caption(const struct clocks_run *run, const struct apart *all, size_t count,
                                struct text *out)
{
    const struct apart *worst = NULL, *narrow = NULL, *wide = NULL;
    size_t apart = 0, moving = 0;
    for (size_t i = 0; i < count; i++) {
        apart += all[i].sure > 0;
        moving += !all[i].constant;
        narrow = !narrow || reach_of(&all[i]) < reach_of(narrow) ? &all[i] : narrow;
        wide = !wide || reach_of(&all[i]) > reach_of(wide) ? &all[i] : wide;
        if (all[i].sure > 0 && (!worst || all[i].sure > worst->sure))
            worst = &all[i];
    }
    text_puts(out, "By how much one CPU's readings are ahead of another's at the same moment; the "
                   "whiskers hold every offset that no round trip contradicts.");
    if (!worst) {
        text_puts(out, " It may be nothing for each of them: nobody is ahead by more than ");
        put_reach(run, narrow, out);
        if (wide != narrow) {
            text_puts(out, ", or at the widest ");
            put_reach(run, wide, out);
        }
        text_puts(out, ".");
        return;
    }
    text_printf(out, " In %zu of %zu rows the CPUs disagree for certain", apart, count);
    if (moving)
        text_printf(out, ", in %zu by an offset that is not constant", moving);
    text_printf(out, "; most: %s, CPUs %" PRId32 " and %" PRId32 ", by at least ",
                clocks_name(&run->file, worst->pair->clock), worst->pair->cpu,
                worst->pair->partner);
    clocks_put_time(worst->sure, out);
    text_puts(out, ".");
}

static void add_pair(json_t *figure, const struct clocks_run *run, const struct apart *apart)
{
    const struct clock_pair *pair = apart->pair;
    char cpus[NUMBER_SIZE];
    snprintf(cpus, sizeof(cpus), "%" PRId32 "–%" PRId32, pair->cpu, pair->partner);
    FIGURE_ROW(figure, json_text(clocks_name(&run->file, pair->clock)), json_text(cpus),
               figure_number(apart->offset), figure_number(apart->low), figure_number(apart->high),
               json_text(apart->constant ? "constant" : "not constant"), json_count(pair->trips),
               json_count(pair->backward));
}

json_t *clocks_offsets_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_GROUP, true},
        {"cpus", "CPUs", ROLE_GROUP, false},
        {"offset_ns", "offset, ns", ROLE_VALUE, false},
        {"low", "low", ROLE_LOW, false},
        {"high", "high", ROLE_HIGH, false},
        {"constant", "is it constant", ROLE_SERIES, false},
        {"trips", "round trips", ROLE_NONE, false},
        {"backward", "went backwards", ROLE_NONE, false},
        {0},
    };
    AUTO_FREE struct apart *all = calloc(run->report.pair_count + 1, sizeof(*all));
    const size_t count = all ? gather_pairs(run, all) : 0;
    AUTO_TEXT struct text caption = {0};
    put_offsets_caption(run, all, count, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-offsets",
        .title = "Do CPUs agree on the time",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "the second CPU is ahead by, ns", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    for (size_t i = 0; i < count && i < FIGURE_MOST_ROWS; i++)
        add_pair(figure, run, &all[i]);
    if (count > FIGURE_MOST_ROWS)
        figure_add_note(figure, "There are more pairs: these are the farthest apart.");
    return figure;
}

/* --- rate --- */

struct rates {
    size_t count, off;                 /* off: their interval excludes 0 */
    const struct clock_rate *farthest; /* of those */
    uint32_t clock;
    bool independent;
};

/* Against its own calibration by the same counter a rate says nothing. */
static bool is_told(const struct clock_rate *rate)
{
    return rate->known && isfinite(rate->ppm) && (rate->against_claim || rate->independent);
}

static void look_at(uint32_t clock, const struct clock_rate *rate, struct rates *rates)
{
    rates->count++;
    rates->independent |= rate->independent;
    if (!(rate->low > 0 || rate->high < 0))
        return;
    rates->off++;
    if (!rates->farthest || fabs(rate->ppm) > fabs(rates->farthest->ppm)) {
        rates->farthest = rate;
        rates->clock = clock;
    }
}

static void put_rates_caption(const struct clocks_run *run, const struct rates *rates,
                              struct text *out)
{
    text_puts(out, "How many millionths a clock runs faster than it claims (or than it was "
                   "calibrated), held against another, with what 95 % and the bounds of readings "
                   "leave open.");
    char ppm[NUMBER_SIZE];
    clocks_ppm(rates->farthest ? rates->farthest->ppm : NAN, ppm, sizeof(ppm));
    text_printf(out, " %zu of %zu are off for certain", rates->off, rates->count);
    if (rates->farthest)
        text_printf(out, "; farthest is %s against %s, %s ppm",
                    clocks_name(&run->file, rates->clock),
                    clocks_name(&run->file, rates->farthest->against), ppm);
    text_puts(out, ".");
    if (!rates->independent)
        text_puts(out, " None of the clocks that they were held against is known to be another "
                       "counter, so that agreement proves nothing.");
}

static void add_rate(json_t *figure, const struct clocks_run *run, uint32_t clock,
                     const struct clock_rate *rate)
{
    FIGURE_ROW(figure, json_text(clocks_name(&run->file, clock)),
               json_text(clocks_name(&run->file, rate->against)), figure_number(rate->ppm),
               figure_number(rate->low), figure_number(rate->high),
               json_text(rate->independent ? "independent" : "not known to be independent"),
               json_text(rate->against_claim ? "what it claims" : "its calibration"),
               figure_number(rate->span_s), figure_number(rate->slowest_ppm),
               figure_number(rate->fastest_ppm));
}

/* Every rate that is told goes to the figure where there is one, and else into the overview. */
static void visit_rates(const struct clocks_run *run, json_t *figure, struct rates *rates)
{
    size_t added = 0;
    for (size_t clock = 0; run->report.rates && clock < run->file.clock_count; clock++)
        for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
            const struct clock_rate *rate = &run->report.rates[clock][i];
            if (!is_told(rate) || !clocks_is_judged(run, clock) || added == FIGURE_MOST_ROWS)
                continue;
            added++;
            if (figure)
                add_rate(figure, run, (uint32_t)clock, rate);
            else
                look_at((uint32_t)clock, rate, rates);
        }
}

json_t *clocks_rates_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_GROUP, true},
        {"against", "against", ROLE_GROUP, false},
        {"ppm", "ppm", ROLE_VALUE, false},
        {"low", "low", ROLE_LOW, false},
        {"high", "high", ROLE_HIGH, false},
        {"independent", "the other is", ROLE_SERIES, false},
        {"beyond", "beyond", ROLE_NONE, false},
        {"span_s", "over, s", ROLE_NONE, false},
        {"slowest_ppm", "slowest stretch, ppm", ROLE_NONE, false},
        {"fastest_ppm", "fastest stretch, ppm", ROLE_NONE, false},
        {0},
    };
    struct rates rates = {0};
    AUTO_TEXT struct text caption = {0};
    visit_rates(run, NULL, &rates);
    put_rates_caption(run, &rates, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-rates",
        .title = "How fast clocks run",
        .caption = text_string(&caption),
        .kind = FIGURE_BARS,
        .x = {.label = "faster by, ppm", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    visit_rates(run, figure, NULL);
    return figure;
}
