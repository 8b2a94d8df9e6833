/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answer of `assay clocks`: which clocks can be trusted, in a few lines, and one table with a
 * row for every clock. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/finish.h"
#include "output/table.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Intervals by what happened in them: the worst ratio of a few clocks over each workload, by
 * sandwiched readings and in the paper's order; with --all every row. */

#define LEAST_RATIO 8u /* columns of a ratio */
#define GAP         2u
#define LEAST_NAMES 24u /* columns of names of intervals, which wrap */
#define CLOCKS_FEW  4u
#define RIGHT       0.01 /* as near to 1 as this */
#define NOTHING     0.1  /* below it */

bool clocks_are_alike(const struct clock_row *left, const struct clock_row *right)
{
    return strcmp(left->workload, right->workload) == 0 && left->threads == right->threads &&
           !left->moves == !right->moves && left->handover == right->handover &&
           left->awake == right->awake;
}

static bool leads(const struct clocks_run *run, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (clocks_are_alike(&run->report.rows[i], &run->report.rows[index]))
            return false;
    return true;
}

/* Ratios of a clock over all lengths. */
struct ratios {
    bool known;
    double worst, naive; /* farthest from 1 of all, and in the paper's order */
    double usual;        /* the median that is farthest from 1 */
};

static struct ratios find_ratios(const struct clocks_run *run, const struct clock_row *like,
                                 uint32_t clock)
{
    struct ratios ratios = {.worst = 1, .naive = 1, .usual = 1};
    /* CPU time of a thread says nothing of what another thread ended. */
    if (like->handover && run->file.clocks[clock].role != ROLE_WALL)
        return ratios;
    for (size_t i = 0; i < run->report.row_count; i++) {
        const struct clock_row *row = &run->report.rows[i];
        if (row->clock != clock || !row->runs || !clocks_are_alike(row, like))
            continue;
        ratios.worst = clocks_worse(ratios.worst, clocks_worse(row->ratio_min, row->ratio_max));
        ratios.naive = clocks_worse(ratios.naive, clocks_worse(row->naive_min, row->naive_max));
        ratios.usual = clocks_worse(ratios.usual, row->ratio_median);
        ratios.known = true;
    }
    return ratios;
}

/* --- a few clocks --- */

static void add_clock(uint32_t few[CLOCKS_FEW], size_t *count, uint32_t clock)
{
    for (size_t i = 0; i < *count; i++)
        if (few[i] == clock)
            return;
    if (*count < CLOCKS_FEW)
        few[(*count)++] = clock;
}

static bool is_usual(const struct clock_known *clock)
{
    return clock->role == ROLE_WALL && strcmp(clock->name, "monotonic") == 0;
}

static bool is_cpu_time(const struct clock_known *clock)
{
    return clock->role == ROLE_CPU_TIME;
}

/* Is it not dependable, for more than coarse steps and for what none of the others has? */
static bool is_at_fault(const struct clocks_run *run, uint32_t clock,
                        const uint32_t few[CLOCKS_FEW], size_t count)
{
    const struct clock_verdict *verdicts = run->report.verdicts;
    if (verdicts[clock].trust != TRUST_NOT_DEPENDABLE ||
        verdicts[clock].fault == FAULT_COARSE_STEPS)
        return false;
    for (size_t i = 0; i < count; i++)
        if (verdicts[few[i]].fault == verdicts[clock].fault)
            return false;
    return true;
}

/* Unlike each other: a person's own, the CPU's counter, the clock that programs usually read, one
 * of CPU time, and some that are not dependable for more than coarse steps. Returns how many. */
static size_t find_few(const struct clocks_run *run, uint32_t few[CLOCKS_FEW])
{
    static bool (*const kinds[])(const struct clock_known *) = {clock_is_counter, is_usual,
                                                                is_cpu_time};
    size_t count = 0, all;
    const uint32_t *order = clocks_by_use(run, &all);
    for (size_t i = 0; i < all && count < CLOCKS_FEW - 1; i++)
        if (run->file.clocks[order[i]].external && clocks_has_rows(run, order[i]))
            add_clock(few, &count, order[i]);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        for (size_t j = 0; j < all; j++)
            if (kinds[i](&run->file.clocks[order[j]]) && clocks_has_rows(run, order[j])) {
                add_clock(few, &count, order[j]);
                break;
            }
    for (size_t i = all; i-- > 0;)
        if (clocks_has_rows(run, order[i]) && is_at_fault(run, order[i], few, count))
            add_clock(few, &count, order[i]);
    return count;
}

/* --- the brief table --- */

/* A line of it: intervals over which the shown clocks went alike. */
struct kind {
    struct ratios ratios[CLOCKS_FEW];
    struct text names;
};

struct brief {
    const struct clocks_run *run;
    uint32_t clocks[CLOCKS_FEW];
    size_t count;
    struct column columns[2 + CLOCKS_FEW]; /* the naive order stands beside the first clock alone:
                                              what it costs is much the same for all */
    char titles[CLOCKS_FEW][48];
    struct kind *kinds;
    size_t kind_count;
};

/* Right, behind, next to nothing, or ahead. */
static int class_of(double ratio)
{
    return fabs(ratio - 1) <= RIGHT ? 0 : ratio > 1 ? 3 : ratio < NOTHING ? 2 : 1;
}

/* Does every clock that is shown usually go well, or badly, over both? */
static bool go_alike(const struct brief *brief, const struct kind *left, const struct kind *right)
{
    for (size_t i = 0; i < brief->count; i++) {
        const struct ratios *one = &left->ratios[i], *other = &right->ratios[i];
        if (one->known && other->known && class_of(one->usual) != class_of(other->usual))
            return false;
    }
    return true;
}

/* A line for each kind of interval; those that go alike share one. */
static void find_kinds(struct brief *brief)
{
    const struct clocks_run *run = brief->run;
    for (size_t i = 0; i < run->report.row_count; i++) {
        struct kind kind = {0};
        size_t at = brief->kind_count;
        if (!leads(run, i))
            continue;
        for (size_t j = 0; j < brief->count; j++)
            kind.ratios[j] = find_ratios(run, &run->report.rows[i], brief->clocks[j]);
        clocks_put_interval(&run->report.rows[i], &kind.names);
        /* The latest first: it is of the same workload, if any is. */
        while (at > 0 && !go_alike(brief, &brief->kinds[at - 1], &kind))
            at--;
        if (!at) {
            *memory_add(brief->kinds, brief->kind_count) = kind;
            continue;
        }
        for (size_t j = 0; j < brief->count; j++) {
            struct ratios *into = &brief->kinds[at - 1].ratios[j], *more = &kind.ratios[j];
            into->worst = clocks_worse(into->worst, more->worst);
            into->naive = clocks_worse(into->naive, more->naive);
            into->usual = clocks_worse(into->usual, more->usual);
            into->known |= more->known;
        }
        text_printf(&brief->kinds[at - 1].names, "; %s", text_string(&kind.names));
        text_free(&kind.names);
    }
}

/* As many clocks as leave room for the names of intervals. */
static void choose_columns(struct brief *brief, size_t width)
{
    const struct clocks_run *run = brief->run;
    uint32_t few[CLOCKS_FEW];
    size_t count = find_few(run, few), at = LEAST_RATIO + GAP, column = 0;
    for (size_t i = 0; i < count; i++) {
        AUTO_TEXT struct text title = {0};
        if (few[i] == (uint32_t)run->report.reference.clock)
            continue;
        text_put_clean(&title, clocks_name(&run->file, few[i]));
        size_t named = utf8_columns(text_string(&title)), place = brief->count;
        at += (named > LEAST_RATIO ? named : LEAST_RATIO) + GAP;
        if (place && at + LEAST_NAMES > width)
            break;
        snprintf(brief->titles[place], sizeof(brief->titles[place]), "%s", text_string(&title));
        brief->clocks[place] = few[i];
        brief->columns[column++] = (struct column){.title = brief->titles[place], .right = true};
        if (!place)
            brief->columns[column++] = (struct column){.title = "naive", .right = true};
        brief->count++;
    }
    brief->columns[column] = (struct column){.title = "over", .wraps = true};
}

static void add_ratio(struct table *table, bool known, enum tone tone, double ratio)
{
    char text[NUMBER_SIZE];
    clocks_ratio(ratio, text, sizeof(text));
    table_add(table, tone, known ? text : "");
}

static void put_kinds(const struct brief *brief, const struct style *style, struct text *out)
{
    struct table table = {.columns = brief->columns, .column_count = 2 + brief->count};
    for (size_t i = 0; i < brief->kind_count; i++) {
        const struct kind *kind = &brief->kinds[i];
        for (size_t j = 0; j < brief->count; j++) {
            const struct ratios *ratios = &kind->ratios[j];
            /* The worst of CPU time tells how long somebody else had the CPU, and nothing of the
             * clock. */
            add_ratio(&table, ratios->known, TONE_PLAIN,
                      is_cpu_time(&brief->run->file.clocks[brief->clocks[j]]) ? ratios->usual
                                                                              : ratios->worst);
            if (!j)
                add_ratio(&table, ratios->known, TONE_DIM, ratios->naive);
        }
        table_add(&table, TONE_PLAIN, text_string(&kind->names));
    }
    section_put_heading("Worst ratios (CPU time: usual); naive: in the paper's order of reading",
                        style, out);
    table_put(&table, style, out);
    table_free(&table);
}

static void put_brief(const struct clocks_run *run, const struct style *style, struct text *out)
{
    struct brief brief = {.run = run};
    choose_columns(&brief, style->width);
    if (!brief.count)
        return;
    find_kinds(&brief);
    put_kinds(&brief, style, out);
    for (size_t i = 0; i < brief.kind_count; i++)
        text_free(&brief.kinds[i].names);
}

/* --- every row --- */

static struct value interval_of(const void *item, const void *context)
{
    struct text words = {0};
    (void)context;
    clocks_put_interval(item, &words);
    return value_text(memory_text(&words));
}

#define OF_ROW(member) AT(struct clock_row, member)
static const struct field row_fields[] = {
    {"clock", GET(FIELD_TEXT, clocks_first)},
    {"interval", GET(FIELD_TEXT, interval_of)},
    {"ms", GET(FIELD_REAL, clocks_requested)},
    {"runs", OF_ROW(runs)},
    {"median", OF_ROW(ratio_median), .unit = UNIT_RATIO},
    {"min", OF_ROW(ratio_min), .unit = UNIT_RATIO},
    {"max", OF_ROW(ratio_max), .unit = UNIT_RATIO},
    {"naive", OF_ROW(naive_median), .unit = UNIT_RATIO},
    {"most off", OF_ROW(max_error_ns), .unit = UNIT_NS},
    {"bound", OF_ROW(bound_ns), .unit = UNIT_NS},
};
static const struct fields row_table = FIELDS("rows", "every row", row_fields);
static const struct field all_rows = {
    "rows", LIST(struct clocks_run, report.rows, report.row_count, &row_table)};

void clocks_put_workloads(const struct clocks_run *run, const struct style *style, struct text *out)
{
    if (!run->report.row_count)
        return;
    put_brief(run, style, out);
    if (!run->studying.options->all)
        return;
    section_put_heading("Every clock over every interval: its duration over the reference's", style,
                        out);
    fields_put_table(&all_rows, run, run, style, out);
}

/* --- pairs of CPUs --- */

void clocks_put_pairs(const struct clocks_run *run, const struct style *style, struct text *out)
{
    if (!run->studying.options->all || !run->report.pair_count)
        return;
    section_put_heading("Pairs of CPUs: the partner's readings are ahead by", style, out);
    fields_put_table(&clocks_pair_list, run, run, style, out);
}

/* --- the answer --- */

#define NAMED_MOST 4u /* clocks in a sentence */
#define BLAMED     8u /* of those that are not dependable */

/* In the order of usefulness, as the table. */
static const struct {
    enum clock_trust trust;
    enum tone tone;
    const char *lead, *then;
} trusts[] = {
    {TRUST_DEPENDABLE, TONE_GOOD, "Dependable", "a clock made of another counter agrees"},
    {TRUST_NOT_FALSIFIABLE, TONE_WARN, "Not falsifiable here",
     "nothing was wrong, but nothing here is independent that could have shown it"},
    {TRUST_CPU_TIME_ONLY, TONE_PLAIN, "CPU time only", "behind whenever the thread waits"},
    {TRUST_NOT_DEPENDABLE, TONE_BAD, "Not dependable", NULL},
};
#define TRUSTS (sizeof(trusts) / sizeof(*trusts))

/* --- the first lines --- */

static void put_measured(const struct clocks_run *run, size_t clocks, const struct style *style,
                         struct text *out)
{
    const struct clocks_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    char looks[NUMBER_SIZE], intervals[NUMBER_SIZE];
    number_count(report->looks, looks, sizeof(looks));
    number_count(report->intervals, intervals, sizeof(intervals));
    if (!report->looks) {
        section_put_words("No clock was read.", style, out);
        return;
    }
    text_printf(&words, "%zu clocks, read %s times around %s intervals and in between", clocks,
                looks, intervals);
    if (!run->studying.given->from)
        text_printf(&words, ", %.1f s", run->studying.seconds);
    if (run->file.emulated)
        text_puts(&words, "; emulated: time is made by a program");
    section_put_words(text_string(&words), style, out);
}

/* The next one with that trust, from `from` on; count: there is none. */
static size_t next_of(const struct clocks_run *run, const uint32_t *order, size_t count,
                      size_t from, enum clock_trust trust)
{
    while (from < count && run->report.verdicts[order[from]].trust != trust)
        from++;
    return from;
}

/* "tsc, rdtscp and 4 more"; behind those that share a fault its name. */
static void put_names(const struct clocks_run *run, const uint32_t *order, size_t count,
                      enum clock_trust trust, struct text *out)
{
    const struct clock_verdict *verdicts = run->report.verdicts;
    size_t shown = 0, left = 0;
    size_t most = run->studying.options->all      ? count
                  : trust == TRUST_NOT_DEPENDABLE ? BLAMED
                                                  : NAMED_MOST;
    for (size_t i = next_of(run, order, count, 0, trust); i < count;) {
        size_t next = next_of(run, order, count, i + 1, trust);
        enum clock_fault fault = verdicts[order[i]].fault;
        if (shown == most) {
            left++;
        } else {
            text_printf(out, "%s%s", shown++ ? ", " : "", clocks_name(&run->file, order[i]));
            bool last = next == count || verdicts[order[next]].fault != fault || shown == most;
            if (fault != FAULT_NONE && last)
                text_printf(out, " (%s)", clock_fault_names[fault]);
        }
        i = next;
    }
    if (left)
        text_printf(out, " and %zu more", left);
}

void clocks_put_summary(const struct clocks_run *run, const struct style *style, struct text *out)
{
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
    deliver_put_machine(run->studying.facts, style, out);
    put_measured(run, count, style, out);
    for (size_t i = 0; i < TRUSTS; i++) {
        AUTO_TEXT struct text names = {0};
        AUTO_TEXT struct text words = {0};
        put_names(run, order, count, trusts[i].trust, &names);
        if (!names.length)
            continue;
        text_printf(&words, "%s: %s", trusts[i].lead, text_string(&names));
        if (trusts[i].then)
            text_printf(&words, ": %s", trusts[i].then);
        text_puts(&words, ".");
        section_put_item(text_string(&words), style, out);
    }
}

/* --- the table --- */

static const struct column columns[] = {{"clock"},      {"trust"},      {"ticks", true},
                                        {"cost", true}, {"step", true}, {"worst", true},
                                        {"over"},       {"CPUs", true}, {"ppm", true}};
#define COLUMNS (sizeof(columns) / sizeof(*columns))

/* From the widest to one that fits any place. */
static const struct layout {
    bool beside; /* the trust has a column, instead of a row above the clocks that have it */
    bool full;   /* an interval in all words, instead of two */
    bool ticks;  /* the cost in ticks beside that in ns */
    bool bounds; /* of rates */
} layouts[] = {{true, true, true, true},
               {false, true, true, true},
               {false, true, false, true},
               {false, false, false, true},
               {false, false, false, false}};
#define LAYOUTS (sizeof(layouts) / sizeof(*layouts))

static void add_time(struct table *table, bool known, double ns)
{
    table_add(table, TONE_PLAIN, known && isfinite(ns) ? TIME(ns) : "");
}

/* The offset where the CPUs' readings prove one, else the largest that could have hidden. */
static void add_offset(struct table *table, const struct clock_seen *seen)
{
    const struct clock_offsets *offsets = &seen->offsets;
    double scale = seen->scale.known ? seen->scale.ns_per_tick : NAN;
    AUTO_TEXT struct text words = {0};
    bool proven = offsets->known && offsets->worst != 0;
    if (offsets->known && isfinite(offsets->worst * scale))
        text_printf(&words, "%s%s",
                    !proven              ? "<"
                    : offsets->worst > 0 ? "+"
                                         : "",
                    TIME((proven ? offsets->worst : offsets->largest_bound) * scale));
    table_add(table, proven ? TONE_BAD : TONE_PLAIN, text_string(&words));
}

/* In two words: its workload, and what was special about it. */
static void put_brief_interval(const struct clock_row *row, struct text *out)
{
    text_put_clean(out, row->workload);
    text_puts(out, row->handover      ? ", handed"
                   : row->moves       ? ", moved"
                   : row->threads > 1 ? ", threads"
                   : row->awake       ? ", awake"
                                      : "");
}

static void add_worst(struct table *table, const struct clocks_run *run,
                      const struct clock_seen *seen, bool full)
{
    const struct clock_row *worst = clocks_worst_row(run, seen->verdict);
    int32_t reference = run->report.reference.clock;
    char ratio[NUMBER_SIZE] = "";
    AUTO_TEXT struct text words = {0};
    if (isfinite(seen->verdict->worst_ratio))
        clocks_ratio(seen->verdict->worst_ratio, ratio, sizeof(ratio));
    if (worst && full)
        clocks_put_interval(worst, &words);
    else if (worst)
        put_brief_interval(worst, &words);
    else if (reference >= 0 && seen->clock == &run->file.clocks[reference])
        text_puts(&words, "(reference)");
    table_add(table, TONE_PLAIN, ratio);
    table_add(table, worst ? TONE_PLAIN : TONE_DIM, text_string(&words));
}

static void add_figures(struct table *table, const struct clocks_run *run,
                        const struct clock_seen *seen, const struct layout *layout)
{
    AUTO_TEXT struct text rate = {0};
    const double ticks = seen->cost.ticks;
    char text[NUMBER_SIZE];
    number_brief(fabs(ticks) >= 10 ? rint(ticks) : ticks, text, sizeof(text));
    table_add(table, TONE_PLAIN, seen->cost.known && layout->ticks && isfinite(ticks) ? text : "");
    add_time(table, seen->cost.known, seen->cost.ns);
    add_time(table, seen->granularity.known, seen->granularity.resolution_ns);
    add_worst(table, run, seen, layout->full);
    add_offset(table, seen);
    if (seen->rate && seen->rate->against_claim && (seen->rate->tells || layout->bounds))
        clocks_put_rate(seen->rate, layout->bounds, &rate);
    table_add(table, TONE_PLAIN, text_string(&rate));
}

static enum tone tone_of(const struct clock_seen *seen)
{
    for (size_t i = 0; i < TRUSTS; i++)
        if (trusts[i].trust == seen->verdict->trust)
            return trusts[i].tone;
    return TONE_DIM;
}

static const char *trust_of(const struct clock_seen *seen)
{
    return clock_trust_names[seen->verdict->trust];
}

static void add_heading(struct table *table, enum tone tone, const char *words)
{
    table_add(table, tone, words);
    for (size_t column = 1; column < COLUMNS; column++)
        table_add(table, TONE_PLAIN, "");
}

/* Whose clocks follow, where some are a person's own; and how far they are to be trusted. */
static void add_headings(struct table *table, const struct clock_seen *before,
                         const struct clock_seen *seen)
{
    bool other = before ? before->clock->external != seen->clock->external : seen->clock->external;
    if (other)
        add_heading(table, TONE_STRONG, seen->clock->external ? "YOUR OWN" : "THE MACHINE'S");
    if (!before || other || strcmp(trust_of(before), trust_of(seen)) != 0)
        add_heading(table, tone_of(seen), trust_of(seen));
}

static void fill(struct table *table, const struct layout *layout, const struct clocks_run *run,
                 const uint32_t *order, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct clock_seen seen = clocks_seen(run, order[i]);
        const struct clock_seen before = clocks_seen(run, order[i ? i - 1 : 0]);
        if (!layout->beside)
            add_headings(table, i ? &before : NULL, &seen);
        table_addf(table, TONE_PLAIN, "%s%s", layout->beside ? "" : " ", seen.clock->name);
        table_add(table, tone_of(&seen), layout->beside ? trust_of(&seen) : "");
        add_figures(table, run, &seen, layout);
    }
}

/* What the ratios and rates are against. */
static void put_legend(const struct clocks_run *run, const struct style *style, struct text *out)
{
    const struct clocks_reference *reference = &run->report.reference;
    AUTO_TEXT struct text words = {0};
    text_puts(&words,
              "cost: of a reading; step: how finely it tells time; worst: an interval by it");
    if (reference->clock >= 0)
        text_printf(&words, " over that by %s",
                    clocks_name(&run->file, (uint32_t)reference->clock));
    text_printf(&words,
                ", interrupted readings included; CPUs: apart by, or less (<); ppm: off the rate "
                "it claims (%s: times it)",
                utf8_is_expected() ? "\u00d7" : "x");
    section_put_words(text_string(&words), style, out);
}

void clocks_put_table(const struct clocks_run *run, const struct style *style, struct text *out)
{
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
    if (!count)
        return;
    text_putc(out, '\n');
    for (size_t i = 0; i < LAYOUTS; i++) {
        struct table table = {.columns = columns, .column_count = COLUMNS};
        fill(&table, &layouts[i], run, order, count);
        bool fits = i + 1 == LAYOUTS || table_width(&table) <= style->width;
        if (fits)
            table_put(&table, style, out);
        table_free(&table);
        if (fits)
            break;
    }
    put_legend(run, style, out);
}
