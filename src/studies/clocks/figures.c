/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay clocks`: rows, and which kind of picture shows them. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "output/figure.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What one reading of a clock costs, and how finely the clock tells time. */

/* Log axes have no place for what is not above 0. */
static double positive(double ns)
{
    return isfinite(ns) && ns > 0 ? ns : (double)NAN;
}

static json_t *clocks_reading_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {{"clock", "clock", ROLE_GROUP, true},
                                                   {"what", "what", ROLE_FACET},
                                                   {"ns", "ns", ROLE_VALUE},
                                                   {"low", "low", ROLE_LOW},
                                                   {"high", "high", ROLE_HIGH},
                                                   {"trust", "trust", ROLE_SERIES},
                                                   {0}};
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-reading",
        .title = "What a reading costs, and how fine it is",
        .caption = "How long one reading takes (median, and what 95 % leave open), and how finely "
                   "the clock tells time: what is shorter than either cannot be measured by it.",
        .kind = FIGURE_BARS,
        .x = {.label = "ns", .scale = SCALE_LOG},
        .columns = columns,
    });
    for (size_t i = 0; i < count && 2 * i < FIGURE_MOST_ROWS; i++) {
        const struct clock_seen seen = clocks_seen(run, order[i]);
        const struct clock_cost *cost = &seen.cost;
        const char *trust = clock_trust_names[seen.verdict->trust];
        const double ns = cost->known ? positive(cost->ns) : (double)NAN;
        const double each = cost->ticks > 0 ? ns / cost->ticks : (double)NAN;
        const double fine =
            seen.granularity.known ? positive(seen.granularity.resolution_ns) : (double)NAN;
        if (isfinite(ns))
            FIGURE_ROW(figure, json_text(seen.clock->name), json_text("a reading"),
                       figure_number(ns), figure_number(positive(cost->low * each)),
                       figure_number(positive(cost->high * each)), json_text(trust));
        if (isfinite(fine))
            FIGURE_ROW(figure, json_text(seen.clock->name), json_text("resolution"),
                       figure_number(fine), NULL, NULL, json_text(trust));
    }
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * Every clock over every kind of interval: how far it goes with the reference, as digits. */

#define MOST_DIGITS 9.0 /* more than a ratio of readings can say */

/* A clock over one kind of interval, whatever its length. */
struct tile {
    const struct clock_row *row; /* the first of them */
    double ratio;                /* the farthest from 1; of CPU time the farthest median */
    double low, high, naive;
    size_t runs, lengths;
};

static double farther(double one, double other)
{
    return isnan(one) || fabs(other - 1) > fabs(one - 1) ? other : one;
}

/* Rows of one kind stand in a row; returns where the next kind begins. */
static size_t find_tile(const struct clocks_run *run, size_t begin, struct tile *tile)
{
    const struct clock_row *rows = run->report.rows;
    const bool usual = run->file.clocks[rows[begin].clock].role == ROLE_CPU_TIME;
    size_t at = begin;
    *tile = (struct tile){.row = &rows[begin], .ratio = NAN, .low = NAN, .high = NAN, .naive = NAN};
    for (; at < run->report.row_count; at++) {
        const struct clock_row *row = &rows[at];
        if (row->clock != rows[begin].clock || !clocks_are_alike(&rows[begin], row))
            break;
        if (!row->runs)
            continue;
        tile->ratio = farther(tile->ratio, usual ? row->ratio_median
                                                 : clocks_worse(row->ratio_min, row->ratio_max));
        tile->naive = farther(tile->naive, usual ? row->naive_median
                                                 : clocks_worse(row->naive_min, row->naive_max));
        tile->low = fmin(tile->low, row->ratio_min);
        tile->high = fmax(tile->high, row->ratio_max);
        tile->runs += row->runs;
        tile->lengths++;
    }
    return at;
}

/* 1 %: 2 digits; a millionth: 6. To a tenth, for people who read it in a field. */
static double digits_of(double ratio)
{
    const double off = fabs(ratio - 1);
    return off > 0 ? round(10 * fmin(MOST_DIGITS, fmax(0, -log10(off)))) / 10 : MOST_DIGITS;
}

/* --- words --- */

struct overview {
    size_t fields, wall, wall_fine; /* fine: 1 % or better */
    struct tile worst;              /* of a wall clock */
    bool idle;                      /* CPU time that stood still over some interval */
    bool independent;
};

static void intervals_look_at(const struct clocks_run *run, const struct tile *tile,
                              struct overview *overview)
{
    const enum clock_role role = run->file.clocks[tile->row->clock].role;
    const double digits = digits_of(tile->ratio);
    overview->fields++;
    overview->independent |= tile->row->independent;
    if (role == ROLE_CPU_TIME && digits < 1)
        overview->idle = true;
    if (role != ROLE_WALL)
        return;
    overview->wall++;
    overview->wall_fine += digits >= 2;
    if (!overview->worst.row || digits < digits_of(overview->worst.ratio))
        overview->worst = *tile;
}

static void intervals_put_caption(const struct clocks_run *run, const struct overview *overview,
                                  struct text *out)
{
    const char *reference = overview->fields && run->report.reference.clock >= 0
                                ? clocks_name(&run->file, (uint32_t)run->report.reference.clock)
                                : "the reference";
    char ratio[NUMBER_SIZE];
    text_printf(out,
                "To how many digits a clock and %s agree over an interval, at worst (CPU time: "
                "usually): 2 digits are 1 %%, 6 a millionth, 0 no agreement.",
                reference);
    if (overview->worst.row) {
        clocks_ratio(overview->worst.ratio, ratio, sizeof(ratio));
        text_printf(out,
                    " Clocks of real time are right to 1 %% or better in %zu of %zu fields; the "
                    "farthest off is %s over ",
                    overview->wall_fine, overview->wall,
                    clocks_name(&run->file, overview->worst.row->clock));
        clocks_put_interval(overview->worst.row, out);
        text_printf(out, ", %s times the reference.", ratio);
    }
    if (overview->idle)
        text_puts(out, " CPU time stands still while its thread waits, as it claims to.");
    if (!overview->independent)
        text_puts(out, " As far as is known nothing that was read here is independent of the "
                       "reference: disagreement tells, agreement does not.");
}

/* --- rows --- */

/* Which clock the others were held against, and why that one. */
static void clocks_note_reference(const struct clocks_run *run, json_t *figure)
{
    AUTO_TEXT struct text note = {0};
    text_printf(&note, "Reference: %s.", reasons_text(&run->report.reference.why));
    if (run->report.reference.why.count)
        figure_add_note(figure, text_string(&note));
}

static json_t *clocks_intervals_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {{"clock", "clock", ROLE_Y, true},
                                                   {"workload", "workload", ROLE_NONE, true},
                                                   {"interval", "interval", ROLE_X},
                                                   {"digits", "digits that agree", ROLE_VALUE},
                                                   {"ratio", "ratio to the reference"},
                                                   {"ratio_min", "lowest"},
                                                   {"ratio_max", "highest"},
                                                   {"naive", "in the paper's order of reading"},
                                                   {"runs", "runs"},
                                                   {"lengths", "lengths"},
                                                   {0}};
    const size_t rows = run->report.row_count;
    struct overview overview = {0};
    struct tile tile;
    AUTO_TEXT struct text caption = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-intervals",
        .title = "Clocks against the reference, by what was timed",
        .kind = FIGURE_MATRIX,
        .x = {.label = "interval"},
        .y = {.label = "clock"},
        .columns = columns,
    });
    for (size_t at = 0; at < rows;) {
        at = find_tile(run, at, &tile);
        if (!isfinite(tile.ratio) || tile.row->clock == tile.row->reference ||
            !clocks_is_judged(run, tile.row->clock))
            continue;
        intervals_look_at(run, &tile, &overview);
        AUTO_TEXT struct text interval = {0};
        clocks_put_interval(tile.row, &interval);
        if (overview.fields <= FIGURE_MOST_ROWS)
            FIGURE_ROW(figure, json_text(clocks_name(&run->file, tile.row->clock)),
                       json_text(tile.row->workload), json_text(text_string(&interval)),
                       figure_number(digits_of(tile.ratio)), figure_number(tile.ratio),
                       figure_number(tile.low), figure_number(tile.high), figure_number(tile.naive),
                       json_count(tile.runs), json_count(tile.lengths));
    }
    intervals_put_caption(run, &overview, &caption);
    figure_set_caption(figure, &caption);
    clocks_note_reference(run, figure);
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * The paper's Figure 1 as a figure: how long a sleep was asked for, and what clocks say it took. */

#define AGREES 0.01 /* farther from the reference is worth a word */

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
    if (clock_is_counter(known))
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

/* compared: what can be held against the reference, which itself agrees with itself. */
static struct sleeps gather_sleeps(const struct clocks_run *run, bool compared)
{
    const struct clocks_report *report = &run->report;
    struct sleeps sleeps = {.all = memory_new(report->point_count + 1, sizeof(*sleeps.all))};
    for (size_t i = 0; i < report->point_count; i++) {
        const struct clock_point *point = &report->points[i];
        if (!clocks_is_judged(run, point->clock) ||
            (compared && run->report.reference.clock == (int64_t)point->clock))
            continue;
        if (is_drawn(point, compared))
            sleeps.all[sleeps.count++] = (struct sleep){point, sort_of(run, point->clock)};
        else
            sleeps.beyond++;
    }
    qsort(sleeps.all, sleeps.count, sizeof(*sleeps.all), by_clock_and_length);
    return sleeps;
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

/* Of each length as many as there is room for, evenly from the shortest to the longest; and the
 * line of what was asked for. */
static void add_sleeps(json_t *figure, const struct clocks_run *run, const struct sleeps *sleeps)
{
    double shortest = INFINITY, longest = 0;
    size_t lengths = 0, added = 0;
    for (size_t begin = 0; begin < sleeps->count; begin = end_of(sleeps, begin, true))
        lengths++;
    const size_t room = FIGURE_MOST_ROWS / (lengths ? lengths : 1), most = room ? room : 1;
    for (size_t begin = 0, end; begin < sleeps->count; begin = end) {
        end = end_of(sleeps, begin, true);
        const size_t there = end - begin, kept = there < most ? there : most;
        shortest = fmin(shortest, sleeps->all[begin].point->requested_ms);
        longest = fmax(longest, sleeps->all[begin].point->requested_ms);
        for (size_t i = 0; i < kept && added < FIGURE_MOST_ROWS; i++, added++) {
            const size_t at = kept > 1 ? i * (there - 1) / (kept - 1) : there / 2;
            const struct sleep *sleep = &sleeps->all[begin + at];
            const struct clock_point *point = sleep->point;
            FIGURE_ROW(figure, json_text(sorts[sleep->sort]),
                       json_text(clocks_name(&run->file, point->clock)),
                       figure_number(point->requested_ms), figure_number(point->measured_ms),
                       figure_number(point->reference_ms),
                       figure_number(1e6 * (ratio_of(point) - 1)));
        }
    }
    if (sleeps->count)
        figure_add_line(figure, "as asked for", NULL, 0, 1, shortest, longest);
}

/* --- words --- */

/* Clocks over sleeps, each by its ratio to the reference that is the farthest from 1. */
struct sleepers {
    size_t count, off;
    uint32_t worst, counter; /* clocks */
    double worst_ratio, counter_ratio;
};

static struct sleepers find_sleepers(const struct clocks_run *run, const struct sleeps *sleeps)
{
    struct sleepers found = {.worst_ratio = 1, .counter_ratio = NAN};
    for (size_t begin = 0, end; begin < sleeps->count; begin = end) {
        const uint32_t clock = sleeps->all[begin].point->clock;
        double ratio = NAN;
        end = end_of(sleeps, begin, false);
        for (size_t i = begin; i < end; i++)
            ratio = farther(ratio, ratio_of(sleeps->all[i].point));
        found.count++;
        found.off += fabs(ratio - 1) > AGREES;
        if (fabs(ratio - 1) > fabs(found.worst_ratio - 1)) {
            found.worst = clock;
            found.worst_ratio = ratio;
        }
        if (clock_is_counter(&run->file.clocks[clock]) &&
            !(fabs(ratio - 1) <= fabs(found.counter_ratio - 1))) {
            found.counter = clock;
            found.counter_ratio = ratio;
        }
    }
    return found;
}

/* What the paper saw, beside the same counter here. */
static void put_counter(const struct clocks_run *run, const struct sleepers *found,
                        struct text *out)
{
    const char *name = clocks_name(&run->file, found->counter);
    const bool faulty = run->report.verdicts[found->counter].trust == TRUST_NOT_DEPENDABLE;
    text_puts(out, " In the paper the CPU's counter read too low and scattered; here ");
    if (fabs(found->counter_ratio - 1) <= AGREES)
        text_printf(out, "%s stays within %.2g ppm of the reference%s.", name,
                    1e6 * fabs(found->counter_ratio - 1),
                    faulty ? ", and yet it is not dependable for another reason" : "");
    else
        text_printf(out, "%s is off, too: at worst it shows %.3g %% of a sleep.", name,
                    100 * found->counter_ratio);
}

static void put_caption(const struct clocks_run *run, const struct sleepers *found,
                        struct text *out)
{
    text_puts(out, "A dot is a sleep: how long was asked for (across), and how long a clock says "
                   "it took (up); the line is what was asked for, and a sleep is never shorter.");
    if (!found->count)
        return;
    text_printf(out, " %zu of %zu clocks stay within 1 %% of the reference in every sleep.",
                found->count - found->off, found->count);
    if (found->off)
        text_printf(out, " At worst %s shows %.3g %% of one.",
                    clocks_name(&run->file, found->worst), 100 * found->worst_ratio);
    if (isfinite(found->counter_ratio))
        put_counter(run, found, out);
    if (run->file.emulated)
        text_puts(out, " The time of this machine is made by a program: it says nothing of "
                       "hardware.");
}

static json_t *clocks_sleeps_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {{"sort", "sort", ROLE_SERIES},
                                                   {"clock", "clock", ROLE_NONE, true},
                                                   {"requested_ms", "asked for, ms", ROLE_X},
                                                   {"measured_ms", "by the clock, ms", ROLE_Y},
                                                   {"reference_ms", "by the reference, ms"},
                                                   {"off_ppm", "off the reference, ppm"},
                                                   {0}};
    const struct sleeps sleeps = gather_sleeps(run, false), compared = gather_sleeps(run, true);
    AUTO_TEXT struct text caption = {0};
    const struct sleepers found = find_sleepers(run, &compared);
    put_caption(run, &found, &caption);
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
    add_sleeps(figure, run, &sleeps);
    if (sleeps.count > FIGURE_MOST_ROWS)
        figure_add_note(figure, "Of many sleeps of one length some are drawn, evenly from the "
                                "shortest to the longest.");
    if (sleeps.beyond)
        figure_add_note(figure, "Sleeps over which a clock did not move, or whose rate is not "
                                "known, have no place on the axis.");
    return figure;
}

/* --- CPUs against each other --- */

/* A pair of CPUs in ns. A clock whose offset is not constant has its limits the other way round. */
struct apart {
    const struct clock_pair *pair;
    double offset, low, high;
    bool constant;
    double sure; /* at least so far apart, whatever the offset is */
};

static struct apart apart_of(const struct clocks_run *run, const struct clock_pair *pair)
{
    const struct clock_scale *scales = run->report.scales;
    const bool known = scales[pair->clock].known;
    const double each = known ? scales[pair->clock].ns_per_tick : (double)NAN;
    struct apart apart = {.pair = pair,
                          .constant = pair->constant,
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

static void put_offsets_caption(const struct clocks_run *run, const struct apart *all, size_t count,
                                struct text *out)
{
    const struct apart *worst = NULL;
    size_t apart = 0, moving = 0;
    for (size_t i = 0; i < count; i++) {
        apart += all[i].sure > 0;
        moving += !all[i].constant;
        if (all[i].sure > 0 && (!worst || all[i].sure > worst->sure))
            worst = &all[i];
    }
    text_puts(out, "By how much one CPU's readings are ahead of another's at the same moment; the "
                   "whiskers hold every offset that no round trip contradicts.");
    if (!worst) {
        text_puts(out, " It may be nothing for each of them.");
        return;
    }
    text_printf(out, " In %zu of %zu rows the CPUs disagree for certain", apart, count);
    if (moving)
        text_printf(out, ", in %zu by an offset that is not constant", moving);
    text_printf(out, "; most: %s, CPUs %" PRId32 " and %" PRId32 ", by at least %s.",
                clocks_name(&run->file, worst->pair->clock), worst->pair->cpu, worst->pair->partner,
                TIME(worst->sure));
}

static json_t *clocks_offsets_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {{"clock", "clock", ROLE_GROUP, true},
                                                   {"cpus", "CPUs", ROLE_GROUP},
                                                   {"offset_ns", "offset, ns", ROLE_VALUE},
                                                   {"low", "low", ROLE_LOW},
                                                   {"high", "high", ROLE_HIGH},
                                                   {"constant", "is it constant", ROLE_SERIES},
                                                   {"trips", "round trips"},
                                                   {"backward", "went backwards"},
                                                   {0}};
    AUTO_MEMORY struct apart *all = memory_new(run->report.pair_count + 1, sizeof(*all));
    const size_t count = gather_pairs(run, all);
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
    for (size_t i = 0; i < count && i < FIGURE_MOST_ROWS; i++) {
        const struct clock_pair *pair = all[i].pair;
        FIGURE_ROW(figure, json_text(clocks_name(&run->file, pair->clock)),
                   json_text(memory_format("%" PRId32 "–%" PRId32, pair->cpu, pair->partner)),
                   figure_number(all[i].offset), figure_number(all[i].low),
                   figure_number(all[i].high),
                   json_text(all[i].constant ? "constant" : "not constant"),
                   json_count(pair->trips), json_count(pair->backward));
    }
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

static json_t *clocks_rates_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {{"clock", "clock", ROLE_GROUP, true},
                                                   {"against", "against", ROLE_GROUP},
                                                   {"ppm", "ppm", ROLE_VALUE},
                                                   {"low", "low", ROLE_LOW},
                                                   {"high", "high", ROLE_HIGH},
                                                   {"independent", "the other is", ROLE_SERIES},
                                                   {"beyond", "beyond"},
                                                   {"span_s", "over, s"},
                                                   {"slowest_ppm", "slowest stretch, ppm"},
                                                   {"fastest_ppm", "fastest stretch, ppm"},
                                                   {0}};
    struct rates rates = {0};
    AUTO_TEXT struct text caption = {0};
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-rates",
        .title = "How fast clocks run",
        .kind = FIGURE_BARS,
        .x = {.label = "faster by, ppm", .scale = SCALE_SYMLOG},
        .columns = columns,
    });
    for (size_t clock = 0; clock < run->file.clock_count; clock++)
        for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
            const struct clock_rate *rate = &run->report.rates[clock][i];
            /* Against its own calibration by the same counter a rate says nothing. */
            if (!rate->known || !isfinite(rate->ppm) ||
                !(rate->against_claim || rate->independent) || !clocks_is_judged(run, clock) ||
                rates.count == FIGURE_MOST_ROWS)
                continue;
            const bool off = rate->low > 0 || rate->high < 0;
            rates.count++;
            rates.off += off;
            rates.independent |= rate->independent;
            if (off && (!rates.farthest || fabs(rate->ppm) > fabs(rates.farthest->ppm))) {
                rates.farthest = rate;
                rates.clock = (uint32_t)clock;
            }
            FIGURE_ROW(figure, json_text(run->file.clocks[clock].name),
                       json_text(clocks_name(&run->file, rate->against)), figure_number(rate->ppm),
                       figure_number(rate->low), figure_number(rate->high),
                       json_text(rate->independent ? "independent" : "not known to be independent"),
                       json_text(rate->against_claim ? "what it claims" : "its calibration"),
                       figure_number(rate->span_s), figure_number(rate->slowest_ppm),
                       figure_number(rate->fastest_ppm));
        }
    put_rates_caption(run, &rates, &caption);
    figure_set_caption(figure, &caption);
    return figure;
}

/* ----------------------------------------------------------------------------------------------
 * Which clock can be trusted; and all figures in the order in which a page has them. */

static json_t *clocks_trust_figure(const struct clocks_run *run)
{
    size_t counted = 0;
    static const struct figure_column columns[] = {{"clock", "clock", ROLE_NONE, true},
                                                   {"trust", "trust", ROLE_NONE, true},
                                                   {"fault", "fault"},
                                                   {"why", "why"},
                                                   {"cost_ns", "a reading, ns"},
                                                   {"resolution_ns", "resolution, ns"},
                                                   {"worst_ratio", "worst ratio"},
                                                   {"over", "over"},
                                                   {"shortest_us", "shortest to 1 %, µs"},
                                                   {"way", "read by"},
                                                   {"role", "tells"},
                                                   {0}};
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption, "Of %zu clocks: ", count);
    for (int trust = 0; trust < CLOCK_TRUSTS; trust++) {
        size_t clocks = 0;
        for (size_t i = 0; i < count; i++)
            clocks += run->report.verdicts[order[i]].trust == (enum clock_trust)trust;
        if (clocks)
            text_printf(&caption, "%s%zu %s", counted++ ? ", " : "", clocks,
                        clock_trust_names[trust]);
    }
    text_puts(&caption, ". The worst ratio is an interval by the clock over the same by the "
                        "reference; 1 is right. The shortest interval is what the clock tells to "
                        "1 % with its own resolution and cost.");
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-trust",
        .title = "Which clock can be trusted",
        .caption = text_string(&caption),
        .kind = FIGURE_TABLE,
        .columns = columns,
    });
    for (size_t i = 0; i < count && i < FIGURE_MOST_ROWS; i++) {
        const struct clock_seen seen = clocks_seen(run, order[i]);
        const struct clock_verdict *verdict = seen.verdict;
        const struct clock_row *worst = clocks_worst_row(run, verdict);
        AUTO_TEXT struct text over = {0};
        if (worst)
            clocks_put_interval(worst, &over);
        FIGURE_ROW(
            figure, json_text(seen.clock->name), json_text(clock_trust_names[verdict->trust]),
            json_text(verdict->fault ? clock_fault_names[verdict->fault] : NULL),
            json_text(reasons_text(&verdict->why)),
            figure_number(seen.cost.known ? seen.cost.ns : NAN),
            figure_number(seen.granularity.known ? seen.granularity.resolution_ns : NAN),
            figure_number(verdict->worst_ratio), json_text(worst ? text_string(&over) : NULL),
            figure_number(verdict->shortest_us), json_text(seen.clock->way),
            json_text(clock_role_names[seen.clock->role]));
    }
    clocks_note_reference(run, figure);
    return figure;
}

json_t *clocks_figures(const void *kept)
{
    const struct clocks_run *run = kept;
    static json_t *(*const all[])(const struct clocks_run *) = {
        clocks_trust_figure,   clocks_sleeps_figure,  clocks_intervals_figure,
        clocks_reading_figure, clocks_offsets_figure, clocks_rates_figure,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i](run));
    return figures;
}
