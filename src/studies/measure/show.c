/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Shows what a measurement says: one line a cell for a person, one object a cell as JSON. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "engine/finish.h"
#include "engine/loading.h"
#include "output/table.h"
#include "studies/measure/study.h"

/* ----------------------------------------------------------------------------------------------
 * A summary in words: what a colleague would say who looked at the samples. Every claim follows
 * from the numbers of the summary alone. */

struct number {
    char text[NUMBER_SIZE];
};

static struct number count(uint64_t value)
{
    struct number number = {0};
    number_count(value, number.text, sizeof(number.text));
    return number;
}

static struct number difference(int64_t value)
{
    struct number number = {0};
    number_signed(value, number.text, sizeof(number.text));
    return number;
}

/* What one count of a class stands for, where it is no occurrence. */
static const char *unit_of(const char *class)
{
    static const struct {
        const char *class, *unit;
    } units[] = {{"task-clock", " ns"}, {"cpu-clock", " ns"}, {"ticks", " ticks"}};
    for (size_t i = 0; class && i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(class, units[i].class) == 0)
            return units[i].unit;
    }
    return "";
}

/* lead, "3 of 1,000 runs", tail */
static void put_share(struct text *out, const char *lead, size_t part, size_t whole,
                      const char *tail)
{
    text_printf(out, "%s%s of %s %s%s", lead, count(part).text, count(whole).text,
                whole == 1 ? "run" : "runs", tail);
}

void measure_counted(const struct summary *summary, const char *class, struct text *out)
{
    if (!summary->judged) {
        text_puts(out, summary->runs ? "nothing" : "no run ended");
    } else if (2 * summary->common_runs > summary->runs) {
        text_printf(out, "%s%s", count(summary->common).text, unit_of(class));
        put_share(out, " in ", summary->common_runs, summary->runs, "");
    } else {
        text_printf(out, "%s%s [%s \u2026 %s]", count(summary->values.median).text, unit_of(class),
                    count(summary->values.min).text, count(summary->values.max).text);
    }
}

/* Runs without counter time said nothing, so nothing is claimed of them. */
static const char *every_run(const struct summary *summary)
{
    return summary->unscheduled ? "in every run that got a counter" : "in every run";
}

/* Where one is known and not 0. */
static void put_overhead(const struct summary *summary, const char *lead, struct text *out)
{
    struct maybe overhead = summary->expected.overhead;
    if (overhead.known && overhead.value)
        text_printf(out, "%s%s", lead, count((uint64_t)overhead.value).text);
}

#define NULL_OVERHEAD "the overhead measured on the null specimen is "

/* The same error in every run: is it the overhead? */
static void put_constant_error(const struct summary *summary, struct text *out)
{
    int64_t error = summary->error.value, rest;
    struct maybe overhead = summary->expected.overhead;
    text_printf(out, "error %s %s", difference(error).text, every_run(summary));
    if (!overhead.known)
        text_puts(out, "; without null cells it cannot be told from overhead");
    else if (overhead.value == error)
        text_printf(out, ": " NULL_OVERHEAD "%s", count((uint64_t)overhead.value).text);
    else if (!__builtin_sub_overflow(error, overhead.value, &rest))
        text_printf(out, "; " NULL_OVERHEAD "%s, %s %s unexplained",
                    count((uint64_t)overhead.value).text, difference(rest).text,
                    rest == 1 || rest == -1 ? "stays" : "stay");
}

static void put_spread_error(const struct summary *summary, struct text *out)
{
    int64_t low = summary->wrong_min.value, high = summary->wrong_max.value;
    if (summary->exact_runs)
        put_share(out, "exact in ", summary->exact_runs, summary->judged, ", else ");
    if (low == high)
        text_printf(out, "error %s", difference(low).text);
    else
        text_printf(out, "error from %s to %s", difference(low).text, difference(high).text);
    if (!summary->exact_runs)
        text_printf(out, ", median %s", difference(summary->error.value).text);
    put_overhead(summary, "; " NULL_OVERHEAD, out);
}

static void put_judgement(const struct summary *summary, const char *event, struct text *out)
{
    const int64_t truth = summary->expected.truth.value;
    const char *mode = event_mode(event);
    if (!summary->error.known || !summary->error_min.known || !summary->error_max.known) {
        text_puts(out, "the counts are too large to be compared with the truth");
    } else if (summary->judged && summary->values.max == 0 && truth > 0) {
        /* The samples alone cannot tell a filter from a dead counter, so the mode is named as a
         * suspect, with the way to find out. */
        text_printf(out, "0 %s although the specimen makes %s", every_run(summary),
                    count((uint64_t)truth).text);
        if (mode)
            text_printf(out,
                        ": the mode :%s filters everything here, or nothing counts; count without "
                        "it to tell",
                        mode);
    } else if (summary->exact_runs == summary->judged) {
        text_printf(out,
                    truth == 0 ? "0 %s, as predicted; a counter that never counts would read "
                                 "the same"
                               : "exact %s",
                    every_run(summary));
        if (summary->expected.overhead.known && summary->expected.overhead.value != 0)
            text_printf(out, ", although the null specimen shows an overhead of %s",
                        difference(summary->expected.overhead.value).text);
    } else if (summary->constant) {
        put_constant_error(summary, out);
    } else {
        put_spread_error(summary, out);
    }
}

static void put_without_truth(const struct summary *summary, const char *why, struct text *out)
{
    if (summary->constant)
        text_printf(out, "the same %s", every_run(summary));
    else
        text_printf(out, "spread %s between the lowest and the highest run",
                    count(summary->values.max - summary->values.min).text);
    put_overhead(summary, "; the null specimen alone reads ", out);
    text_printf(out, "; no truth to compare with: %s", why);
}

/* What is possible is said in the table; here, whether it was kept to. */
static void put_limits(const struct summary *summary, struct text *out)
{
    size_t outside = summary->below + summary->above;
    if (!outside)
        text_printf(out, "within the limits %s", every_run(summary));
    else
        put_share(out, "outside the limits in ", outside, summary->judged, "");
    if (summary->below)
        text_printf(out, ", lowest %s", count(summary->values.min).text);
    if (summary->above)
        text_printf(out, ", highest %s", count(summary->values.max).text);
    put_overhead(summary, "; " NULL_OVERHEAD, out);
}

/* "1.33 (it counted 75 % of the time)", or two of each where the runs differ. */
static void put_scaling(const struct summary *summary, struct text *out)
{
    double low = summary->scaling_min, high = summary->scaling_max;
    char from[NUMBER_SIZE], to[NUMBER_SIZE], least[NUMBER_SIZE], most[NUMBER_SIZE];
    number_significant(low, 3, from, sizeof(from));
    number_significant(high, 3, to, sizeof(to));
    number_significant(100 / high, 2, least, sizeof(least));
    number_significant(100 / low, 2, most, sizeof(most));
    bool one = strcmp(from, to) == 0;
    text_printf(out, "%s%s%s (counting %s%s%s %% of the time)", from, one ? "" : " to ",
                one ? "" : to, least, strcmp(least, most) == 0 ? "" : " to ",
                strcmp(least, most) == 0 ? "" : most);
}

void measure_sentence(const struct summary *summary, const char *event, const char *why_no_truth,
                      struct text *out)
{
    if (!summary->runs) {
        text_puts(out, "nothing was measured");
        return;
    }
    if (!summary->judged) {
        text_puts(out, "opened, but never got a counter: the zeros mean nothing");
        return;
    }
    if (summary->expected.truth.known)
        put_judgement(summary, event, out);
    else if (summary->limits.known)
        put_limits(summary, out);
    else
        put_without_truth(summary, why_no_truth, out);
    if (summary->unscheduled)
        put_share(out, "; no counter time in ", summary->unscheduled, summary->runs,
                  ", which say nothing");
    if (summary->multiplexed) {
        put_share(out, "; multiplexed in ", summary->multiplexed, summary->runs,
                  ": more events than counters, so the counts are extrapolated by ");
        put_scaling(summary, out);
    }
    /* What a second account saw, and what is left when those runs are set apart. */
    if (summary->disturbed)
        put_share(out, "; ", summary->disturbed, summary->runs, " disturbed");
    if (summary->disturbed && summary->quiet_runs && !summary->constant &&
        summary->quiet.min == summary->quiet.max)
        text_printf(out, ", the others all read %s", count(summary->quiet.min).text);
}

void copies_add(struct copies *copies, const struct summary *summary)
{
    bool none = copies->runs == copies->unscheduled;
    copies->counters++;
    copies->runs += summary->runs;
    copies->unscheduled += summary->unscheduled;
    if (!summary->judged)
        return;
    if (none || summary->values.min < copies->min)
        copies->min = summary->values.min;
    if (none || summary->values.max > copies->max)
        copies->max = summary->values.max;
}

void copies_sentence(const struct copies *copies, const struct summary *first, struct text *out)
{
    bool judged = copies->runs > copies->unscheduled;
    bool alike = judged && !copies->unscheduled && copies->min == first->values.min &&
                 copies->max == first->values.max;
    if (!copies->counters || !first->judged || alike)
        return;
    text_printf(out, "; its other %s%s%s ",
                copies->counters == 1 ? "counter" : count(copies->counters).text,
                copies->counters == 1 ? "" : " counters",
                judged ? " read" : " got no counter time");
    if (!judged)
        text_puts(out, "at all");
    else if (copies->min == copies->max)
        text_puts(out, count(copies->min).text);
    else
        text_printf(out, "%s to %s", count(copies->min).text, count(copies->max).text);
    if (judged && copies->unscheduled)
        put_share(out, ", and got no counter time in ", copies->unscheduled, copies->runs, "");
}

/* ----------------------------------------------------------------------------------------------
 * Shows what a measurement says: one line a cell for a person, one object a cell as JSON. */

/* Factors come first. */
static const char *const titles[] = {"event",    "path",     "pattern", "specimen", "N",
                                     "counters", "opt",      "link",    "counted",  "truth",
                                     "grade",    "overhead", "error",   ""};
#define COLUMNS (sizeof(titles) / sizeof(*titles))

/* The words of one item stay on one line. */
static void put_item(struct text *out, size_t *at, size_t width, const char *item)
{
    size_t length = utf8_columns(item);
    if (*at && *at + 2 + length > width) {
        text_puts(out, ",\n  ");
        *at = 2;
    } else if (*at) {
        text_puts(out, ", ");
        *at += 2;
    }
    text_put_clean(out, item);
    *at += length;
}

/* "100 runs", or "5 to 100 runs". */
static void put_range(struct text *out, uint64_t least, uint64_t most, const char *one,
                      const char *several)
{
    if (least != most)
        text_printf(out, "%s to ", count(least).text);
    text_printf(out, "%s %s", count(most).text, most == 1 ? one : several);
}

static void widen(uint64_t range[2], uint64_t value)
{
    range[0] = value < range[0] ? value : range[0];
    range[1] = value > range[1] ? value : range[1];
}

static void put_head(const struct measuring *run, const struct style *style, struct text *out)
{
    const struct row *first = &run->rows[0];
    size_t at = 0;
    for (int i = 0; i < ROW_FACTORS; i++) {
        if (rows_vary(run, i))
            continue;
        AUTO_TEXT struct text item = {0};
        text_printf(&item, "%s %s", titles[i], first->factors[i]);
        if (i == ROW_PATTERN)
            text_printf(&item, " (%s)", pattern_descriptions[first->cell->cell.pattern]);
        put_item(out, &at, style->width, text_string(&item));
    }
    /* "100 runs in 1 process", or both ends where cells broke off, failed in part, or have another
     * source. */
    AUTO_TEXT struct text runs = {0};
    uint64_t ran[2] = {UINT64_MAX, 0}, processes[2] = {UINT64_MAX, 0};
    for (size_t i = 0; i < run->row_count; i++) {
        widen(ran, run->rows[i].summary.runs);
        widen(processes, run->rows[i].cell->done);
    }
    put_range(&runs, ran[0], ran[1], "run in ", "runs in ");
    put_range(&runs, processes[0], processes[1], "process", "processes");
    put_item(out, &at, style->width, text_string(&runs));
    text_puts(out, "\n\n");
}

static void put_remark(struct text *out, const struct style *style, const char *words)
{
    text_putc(out, '\n');
    wrap(out, words, 0, 2, style->width);
}

/* What to know when reading the numbers of the paths that were measured. */
static void put_notes(const struct measuring *run, const struct style *style, struct text *out)
{
    const struct catalogue *catalogue = run->studying.catalogue;
    for (size_t i = 0; catalogue && i < catalogue->path_count; i++) {
        const struct catalogue_path *path = &catalogue->paths[i];
        size_t row = 0;
        while (row < run->row_count && strcmp(run->rows[row].cell->cell.path, path->name) != 0)
            row++;
        if (!path->note || row == run->row_count)
            continue;
        text_putc(out, '\n');
        section_printf(style, out, "%s: %s.", path->name, path->note);
    }
}

/* Words that need explaining, once; and the mark that results of no hardware carry. */
static void put_legend(const struct measuring *run, const struct style *style, struct text *out)
{
    bool disturbed = false, misfit = false, bounded = false;
    for (size_t i = 0; i < run->row_count; i++) {
        const struct row *row = &run->rows[i];
        disturbed |= row->summary.judged && row->summary.disturbed;
        /* Nothing of it was counted, and it was counted together with others. */
        misfit |= row->summary.runs && !row->summary.judged && row->cell->cell.counters > 1 &&
                  !row->cell->cell.separate;
        bounded |= row->summary.limits.known;
    }
    if (misfit)
        put_remark(out, style,
                   "never got a counter: the events of a group are counted all together or not at "
                   "all, and these are more than the PMU has counters for. Count fewer at once, or "
                   "let them take turns with --separate, or one after another with --each.");
    if (bounded)
        put_remark(out, style,
                   "bounded: only limits of the count are known; `assay events --specimens` says "
                   "why.");
    if (disturbed)
        put_remark(out, style,
                   "disturbed: the operating system's own account of the run shows page faults or "
                   "context switches beyond those the specimen makes itself.");
    const char *how = facts_get(run->studying.facts, "emulated");
    if (!how)
        return;
    AUTO_TEXT struct text mark = {0};
    text_puts(&mark, "emulated (");
    text_put_clean(&mark, how);
    text_puts(&mark, "): counts of instructions and of the operating system's events hold as on a "
                     "real machine; times, cycles and caches are no hardware's.");
    const char *isa = facts_get(run->studying.facts, "isa");
    if (isa && strcmp(isa, "aarch64") == 0 && strncmp(how, "QEMU", 4) == 0)
        text_puts(&mark, " Of the CPU's events QEMU counts instructions and cycles only; others "
                         "read 0.");
    put_remark(out, style, text_string(&mark));
}

static enum tone tone_of(const struct summary *summary)
{
    if (!summary->judged || summary->unscheduled)
        return TONE_BAD;
    if (summary->below || summary->above)
        return TONE_WARN;
    if (!summary->error.known)
        return TONE_PLAIN;
    return summary->exact_runs == summary->judged ? TONE_GOOD : TONE_WARN;
}

static void add_maybe(struct table *table, struct maybe number, bool sign)
{
    char text[NUMBER_SIZE] = "-";
    if (number.known && (sign || number.value < 0))
        number_signed(number.value, text, sizeof(text));
    else if (number.known)
        number_count((uint64_t)number.value, text, sizeof(text));
    table_add(table, number.known ? TONE_PLAIN : TONE_DIM, text);
}

/* "1,000", or "2,968 … 18,002" where only limits are known. */
static void add_truth(struct table *table, const struct summary *summary)
{
    if (!summary->limits.known) {
        add_maybe(table, summary->expected.truth, false);
        return;
    }
    char low[NUMBER_SIZE], high[NUMBER_SIZE];
    AUTO_TEXT struct text both = {0};
    number_count((uint64_t)summary->limits.low, low, sizeof(low));
    number_signed(summary->limits.high, high, sizeof(high));
    if (summary->limits.high >= 0)
        number_count((uint64_t)summary->limits.high, high, sizeof(high));
    text_printf(&both, "%s \u2026 %s", low, high);
    table_add(table, TONE_PLAIN, text_string(&both));
}

static void add_table_row(struct table *table, const struct measuring *run, const struct row *row)
{
    const struct summary *summary = &row->summary;
    const char *grade = row_grade(row);
    for (int i = 0; i < ROW_FACTORS; i++)
        table_add(table, TONE_PLAIN, rows_vary(run, i) ? row->factors[i] : "");
    AUTO_TEXT struct text counted = {0}, sentence = {0};
    measure_counted(summary, row->cell->counters[row->counter].class, &counted);
    row_sentence(row, &sentence);
    table_add(table, TONE_STRONG, text_string(&counted));
    add_truth(table, summary);
    table_add(table, TONE_PLAIN, grade ? grade : "");
    add_maybe(table, summary->expected.overhead, false);
    add_maybe(table, summary->error, true);
    table_add(table, tone_of(summary), text_string(&sentence));
}

static void put_table(const struct measuring *run, const struct style *style, struct text *out)
{
    struct column columns[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        const bool number =
            i == ROW_N || i == ROW_FACTORS + 1 || i == ROW_FACTORS + 3 || i == ROW_FACTORS + 4;
        columns[i] =
            (struct column){.title = titles[i], .right = number, .wraps = i == COLUMNS - 1};
    }
    struct table table = {.columns = columns, .column_count = COLUMNS};
    for (size_t i = 0; i < run->row_count; i++)
        add_table_row(&table, run, &run->rows[i]);
    table_put(&table, style, out);
    table_free(&table);
}

void measure_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct measuring *run = kept;
    if (run->row_count) {
        put_head(run, style, out);
        put_table(run, style, out);
        put_notes(run, style, out);
        put_legend(run, style, out);
    }
    skips_put(&run->studying.skips, style, out);
    if (out->length)
        text_putc(out, '\n');
    deliver_put_machine(run->studying.facts, style, out);
    text_printf(out, "seed %" PRIu64 ", samples in ", run->studying.seed);
    text_put_clean(out, run->studying.stored);
    text_putc(out, '\n');
}
