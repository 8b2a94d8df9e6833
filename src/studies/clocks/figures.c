/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay clocks`, and the first of them: which clock can be trusted. */
#include <math.h>
#include <string.h>

#include "output/figure.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What one reading of a clock costs, and how finely the clock tells time. */

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
    text_printf(out, "%s (%s)", clocks_name(&run->file, clock), TIME(ns));
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

static json_t *clocks_reading_figure(const struct clocks_run *run)
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
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
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

static bool is_same_kind(const struct clock_row *a, const struct clock_row *b)
{
    return a->clock == b->clock && a->threads == b->threads && a->moves == b->moves &&
           a->handover == b->handover && a->awake == b->awake && a->workload && b->workload &&
           strcmp(a->workload, b->workload) == 0;
}

static double farther(double one, double other)
{
    return isnan(one) || fabs(other - 1) > fabs(one - 1) ? other : one;
}

/* Rows of one kind stand in a row; returns where the next kind begins. */
static size_t find_tile(const struct clocks_run *run, size_t begin, struct tile *tile)
{
    const struct clock_row *rows = run->report.rows;
    const bool usual = rows[begin].clock < run->file.clock_count &&
                       run->file.clocks[rows[begin].clock].role == ROLE_CPU_TIME;
    size_t at = begin;
    *tile = (struct tile){.row = &rows[begin], .ratio = NAN, .low = NAN, .high = NAN, .naive = NAN};
    for (; at < run->report.row_count; at++) {
        const struct clock_row *row = &rows[at];
        if (at > begin && !is_same_kind(&rows[begin], row))
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

static bool is_compared(const struct clocks_run *run, const struct tile *tile)
{
    return isfinite(tile->ratio) && tile->row->clock < run->file.clock_count &&
           tile->row->clock != tile->row->reference && clocks_is_judged(run, tile->row->clock);
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

static void put_worst(const struct clocks_run *run, const struct overview *overview,
                      struct text *out)
{
    char ratio[NUMBER_SIZE];
    clocks_ratio(overview->worst.ratio, ratio, sizeof(ratio));
    text_printf(out, " Clocks of real time are right to 1 %% or better in %zu of %zu fields",
                overview->wall_fine, overview->wall);
    text_printf(out, "; the farthest off is %s over ",
                clocks_name(&run->file, overview->worst.row->clock));
    clocks_put_interval(overview->worst.row, out);
    text_printf(out, ", %s times the reference.", ratio);
}

static void intervals_put_caption(const struct clocks_run *run, const struct overview *overview,
                                  struct text *out)
{
    const char *reference = overview->fields && run->report.reference.clock >= 0
                                ? clocks_name(&run->file, (uint32_t)run->report.reference.clock)
                                : "the reference";
    text_printf(out,
                "To how many digits a clock and %s agree over an interval, at worst (CPU time: "
                "usually): 2 digits are 1 %%, 6 a millionth, 0 no agreement.",
                reference);
    if (overview->worst.row)
        put_worst(run, overview, out);
    if (overview->idle)
        text_puts(out, " CPU time stands still while its thread waits, as it claims to.");
    if (!overview->independent)
        text_puts(out, " As far as is known nothing that was read here is independent of the "
                       "reference: disagreement tells, agreement does not.");
}

/* --- rows --- */

static void add_tile(json_t *figure, const struct clocks_run *run, const struct tile *tile)
{
    AUTO_TEXT struct text interval = {0};
    clocks_put_interval(tile->row, &interval);
    FIGURE_ROW(figure, json_text(clocks_name(&run->file, tile->row->clock)),
               json_text(tile->row->workload), json_text(text_string(&interval)),
               figure_number(digits_of(tile->ratio)), figure_number(tile->ratio),
               figure_number(tile->low), figure_number(tile->high), figure_number(tile->naive),
               json_count(tile->runs), json_count(tile->lengths));
}

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
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_Y, true},
        {"workload", "workload", ROLE_NONE, true},
        {"interval", "interval", ROLE_X, false},
        {"digits", "digits that agree", ROLE_VALUE, false},
        {"ratio", "ratio to the reference", ROLE_NONE, false},
        {"ratio_min", "lowest", ROLE_NONE, false},
        {"ratio_max", "highest", ROLE_NONE, false},
        {"naive", "in the paper's order of reading", ROLE_NONE, false},
        {"runs", "runs", ROLE_NONE, false},
        {"lengths", "lengths", ROLE_NONE, false},
        {0},
    };
    const size_t rows = run->report.row_count;
    struct overview overview = {0};
    struct tile tile;
    AUTO_TEXT struct text caption = {0};
    for (size_t at = 0; at < rows;) {
        at = find_tile(run, at, &tile);
        if (is_compared(run, &tile))
            intervals_look_at(run, &tile, &overview);
    }
    intervals_put_caption(run, &overview, &caption);
    json_t *figure = figure_new(&(struct figure_spec){
        .id = "clocks-intervals",
        .title = "Clocks against the reference, by what was timed",
        .caption = text_string(&caption),
        .kind = FIGURE_MATRIX,
        .x = {.label = "interval"},
        .y = {.label = "clock"},
        .columns = columns,
    });
    size_t added = 0;
    for (size_t at = 0; at < rows && added < FIGURE_MOST_ROWS;) {
        at = find_tile(run, at, &tile);
        if (!is_compared(run, &tile))
            continue;
        add_tile(figure, run, &tile);
        added++;
    }
    clocks_note_reference(run, figure);
    return figure;
}

/* "3 dependable, 4 cpu-time only" */
static void put_counts(const struct clocks_run *run, const uint32_t *order, size_t count,
                       struct text *out)
{
    bool first = true;
    for (int trust = 0; trust < CLOCK_TRUSTS; trust++) {
        size_t clocks = 0;
        for (size_t i = 0; i < count; i++)
            clocks += run->report.verdicts[order[i]].trust == (enum clock_trust)trust;
        if (!clocks)
            continue;
        text_printf(out, "%s%zu %s", first ? "" : ", ", clocks, clock_trust_names[trust]);
        first = false;
    }
}

static void add_clock(json_t *figure, const struct clocks_run *run, uint32_t clock)
{
    const struct clock_seen seen = clocks_seen(run, clock);
    const struct clock_verdict *verdict = seen.verdict;
    const struct clock_row *worst = clocks_worst_row(run, verdict);
    AUTO_TEXT struct text over = {0};
    if (worst)
        clocks_put_interval(worst, &over);
    FIGURE_ROW(figure, json_text(clocks_name(&run->file, clock)),
               json_text(clock_trust_names[verdict->trust]),
               json_text(verdict->fault ? clock_fault_names[verdict->fault] : NULL),
               json_text(reasons_text(&verdict->why)),
               figure_number(seen.cost.known ? seen.cost.ns : NAN),
               figure_number(seen.granularity.known ? seen.granularity.resolution_ns : NAN),
               figure_number(verdict->worst_ratio), json_text(worst ? text_string(&over) : NULL),
               figure_number(verdict->shortest_us), json_text(seen.clock->way),
               json_text(clock_role_names[seen.clock->role]));
}

static json_t *clocks_trust_figure(const struct clocks_run *run)
{
    static const struct figure_column columns[] = {
        {"clock", "clock", ROLE_NONE, true},
        {"trust", "trust", ROLE_NONE, true},
        {"fault", "fault", ROLE_NONE, false},
        {"why", "why", ROLE_NONE, false},
        {"cost_ns", "a reading, ns", ROLE_NONE, false},
        {"resolution_ns", "resolution, ns", ROLE_NONE, false},
        {"worst_ratio", "worst ratio", ROLE_NONE, false},
        {"over", "over", ROLE_NONE, false},
        {"shortest_us", "shortest to 1 %, µs", ROLE_NONE, false},
        {"way", "read by", ROLE_NONE, false},
        {"role", "tells", ROLE_NONE, false},
        {0},
    };
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
    AUTO_TEXT struct text caption = {0};
    text_printf(&caption, "Of %zu clocks: ", count);
    if (count)
        put_counts(run, order, count, &caption);
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
    for (size_t i = 0; i < count && i < FIGURE_MOST_ROWS; i++)
        add_clock(figure, run, order[i]);
    clocks_note_reference(run, figure);
    return figure;
}

json_t *clocks_figures(const void *kept)
{
    const struct clocks_run *run = kept;
    static clocks_figure *const all[] = {
        clocks_trust_figure,     clocks_sleeps_figure,  clocks_sleep_errors_figure,
        clocks_intervals_figure, clocks_reading_figure, clocks_offsets_figure,
        clocks_rates_figure,
    };
    json_t *figures = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        figures_append(figures, all[i](run));
    return figures;
}
