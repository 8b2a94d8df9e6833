/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay clocks`, for people: the answer first, then every clock, why, compared with
 * what, what else was seen, what to do, and what could not be measured. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "studies/clocks/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Words and numbers that the parts of `assay clocks` share. */

#define FINE 0.01 /* ratios nearer to 1 than this are told in millionths */

void clocks_ratio(double ratio, char *text, size_t size)
{
    double magnitude = fabs(ratio);
    if (!isfinite(ratio))
        snprintf(text, size, "-");
    else if (fabs(ratio - 1) < FINE)
        snprintf(text, size, "%.6f", ratio);
    else if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e5))
        snprintf(text, size, "%.1e", ratio);
    else
        snprintf(text, size, magnitude < 0.01 ? "%.4f" : "%.4g", ratio + 0.0);
}

void clocks_ppm(double ppm, char *text, size_t size)
{
    char digits[NUMBER_SIZE];
    double magnitude = fabs(ppm);
    if (!isfinite(ppm)) {
        snprintf(text, size, "-");
        return;
    }
    if (magnitude < 999.5)
        snprintf(digits, sizeof(digits), magnitude < 9.95 ? "%.1f" : "%.0f", magnitude);
    else
        number_significant(magnitude, 3, digits, sizeof(digits));
    snprintf(text, size, "%s%s", magnitude < 0.05 ? "" : ppm < 0 ? "-" : "+", digits);
}

#define TIMES 10000.0 /* ppm from which on a rate is told as a multiple of the one claimed */

void clocks_put_rate(const struct clock_rate *rate, bool bounds, struct text *out)
{
    bool unicode = utf8_is_expected();
    char words[NUMBER_SIZE];
    if (fabs(rate->ppm) >= TIMES) {
        number_significant(1 + rate->ppm / 1e6, 3, words, sizeof(words));
        text_printf(out, "%s%s", unicode ? "\u00d7" : "x", words);
        return;
    }
    clocks_ppm(rate->ppm, words, sizeof(words));
    text_puts(out, words);
    double bound = fmax(rate->high - rate->ppm, rate->ppm - rate->low);
    if (!bounds || !isfinite(bound) || !isfinite(rate->ppm))
        return;
    /* Never less than the last digit that is shown. */
    clocks_ppm(fmax(0.1, bound), words, sizeof(words));
    text_printf(out, " %s%s", unicode ? "\u00b1" : "+-", words + 1);
}

void clocks_put_interval(const struct clock_row *row, struct text *out)
{
    text_put_clean(out, row->workload);
    if (row->threads > 1)
        text_printf(out, ", %" PRIu32 " threads", row->threads);
    if (row->moves)
        text_puts(out, ", moved");
    if (row->handover)
        text_puts(out, ", handed over");
    if (row->awake)
        text_puts(out, ", held awake");
}

/* ----------------------------------------------------------------------------------------------
 * What the machine did while clocks were watched, which no clock is to blame for; and what to do.
 */

static void clocks_put_disturbances(const struct clocks_run *run, const struct style *style,
                                    struct text *out)
{
    const struct clocks_disturbances *seen = &run->report.disturbances;
    AUTO_TEXT struct text words = {0};
    if (!run->report.looks)
        return;
    if (!isfinite(seen->stolen_ns))
        text_puts(&words, "Whether the host took time is not known. ");
    else if (seen->stolen_ns <= 0)
        text_puts(&words, "The host took no time. ");
    else {
        text_printf(&words, "The host took %s", TIME(seen->stolen_ns));
        if (isfinite(seen->watched_ns) && seen->watched_ns > 0)
            text_printf(&words, " of %s", TIME(seen->watched_ns));
        text_printf(&words, ", in %zu intervals. ", seen->stolen_intervals);
    }
    if (isfinite(seen->suspended_ns) && seen->suspended_ns > 0)
        text_printf(&words, "The machine was suspended for %s, in %zu intervals. ",
                    TIME(seen->suspended_ns), seen->suspended_intervals);
    if (seen->intervals)
        text_printf(&words, "%zu of %zu intervals were preempted. ", seen->preempted,
                    seen->intervals);
    if (isfinite(seen->overslept_median_ns) && isfinite(seen->overslept_max_ns)) {
        text_printf(&words, "Sleeps ended %s late", TIME(seen->overslept_median_ns));
        if (isfinite(seen->awake_median_ns))
            text_printf(&words, " (%s with CPUs held awake)", TIME(seen->awake_median_ns));
        text_printf(&words, ", at most %s. ", TIME(seen->overslept_max_ns));
    }
    reasons_put(&seen->idle, &words);
    section_put_heading("Meanwhile", style, out);
    section_put_words(text_string(&words), style, out);
}

static void clocks_put_advice(const struct clocks_run *run, const struct style *style,
                              struct text *out)
{
    if (!run->report.advice_count)
        return;
    section_put_heading("What to do", style, out);
    for (size_t i = 0; i < run->report.advice_count; i++)
        section_put_item(reasons_text(&run->report.advice[i].text), style, out);
}

/* ----------------------------------------------------------------------------------------------
 * What is known of one clock, gathered from all parts of the report, and which clocks come first.
 */

const char *clocks_name(const struct clocks_case *file, uint32_t clock)
{
    return file->clocks[clock].name;
}

static const struct clock_rate *best_rate(const struct clock_rate *rates)
{
    const struct clock_rate *best = NULL;
    for (size_t i = 0; i < CLOCK_MOST_RATES; i++) {
        if (!rates[i].known)
            continue;
        if (!best || (rates[i].independent && !best->independent))
            best = &rates[i];
    }
    return best;
}

struct clock_seen clocks_seen(const struct clocks_run *run, size_t index)
{
    const struct clocks_report *report = &run->report;
    return (struct clock_seen){.clock = &run->file.clocks[index],
                               .scale = report->scales[index],
                               .cost = report->costs[index],
                               .granularity = report->granularities[index],
                               .monotonic = report->monotonic[index],
                               .offsets = report->offsets[index],
                               .same = report->same[index],
                               .rates = report->rates[index],
                               .rate = best_rate(report->rates[index]),
                               .verdict = &report->verdicts[index]};
}

bool clocks_is_judged(const struct clocks_run *run, size_t index)
{
    const struct clock_known *clock = &run->file.clocks[index];
    return clock_is_candidate(clock) && !(clock->way && strcmp(clock->way, "controller") == 0);
}

bool clocks_has_rows(const struct clocks_run *run, size_t clock)
{
    for (size_t i = 0; i < run->report.row_count; i++)
        if (run->report.rows[i].clock == clock)
            return true;
    return false;
}

const struct clock_row *clocks_worst_row(const struct clocks_run *run,
                                         const struct clock_verdict *verdict)
{
    return verdict->worst_row >= 0 ? &run->report.rows[verdict->worst_row] : NULL;
}

double clocks_worse(double low, double high)
{
    return fabs(low - 1) > fabs(high - 1) ? low : high;
}

/* --- by usefulness --- */

struct placed {
    uint32_t clock;
    int group;
    double cost;
};

static int by_use(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->clock > b->clock) - (a->clock < b->clock);
}

uint32_t *clocks_by_use(const struct clocks_run *run, size_t *count)
{
    static const int places[CLOCK_TRUSTS] = {[TRUST_DEPENDABLE] = 0,
                                             [TRUST_NOT_FALSIFIABLE] = 1,
                                             [TRUST_CPU_TIME_ONLY] = 2,
                                             [TRUST_NOT_DEPENDABLE] = 3};
    AUTO_MEMORY struct placed *placed = memory_new(run->file.clock_count + 1, sizeof(*placed));
    uint32_t *order = memory_new(run->file.clock_count + 1, sizeof(*order));
    *count = 0;
    for (size_t i = 0; i < run->file.clock_count; i++) {
        const struct clock_seen seen = clocks_seen(run, i);
        if (!clocks_is_judged(run, i) || !clock_was_measured(&run->report, (uint32_t)i))
            continue;
        bool known = seen.cost.known && isfinite(seen.cost.ns);
        /* A person's own clock is what they came for. */
        placed[(*count)++] = (struct placed){.clock = (uint32_t)i,
                                             .group = places[seen.verdict->trust] -
                                                      (seen.clock->external ? CLOCK_TRUSTS + 1 : 0),
                                             .cost = known ? seen.cost.ns : INFINITY};
    }
    qsort(placed, *count, sizeof(*placed), by_use);
    for (size_t i = 0; i < *count; i++)
        order[i] = placed[i].clock;
    return order;
}

/* ----------------------------------------------------------------------------------------------
 * Why a clock is trusted no further: one line for each that is not simply fine, who is whom in
 * other clothes, what all were compared with, and what the machine claims of its clocks. */

/* --- why --- */

/* That a clock cannot be falsified is one reason for all, and said above; that CPU time is no time
 * is as it should be. What is or is not to be told from a wrong clock, and references that
 * contradict each other, are neither. */
static bool needs_reason(const struct clocks_run *run, uint32_t clock)
{
    const struct clock_verdict *verdict = &run->report.verdicts[clock];
    bool fine =
        verdict->trust == TRUST_DEPENDABLE || verdict->trust == TRUST_NOT_FALSIFIABLE ||
        (verdict->trust == TRUST_CPU_TIME_ONLY && run->file.clocks[clock].role == ROLE_CPU_TIME);
    return verdict->why.count &&
           (run->studying.options->all || !fine || verdict->tie ||
            reasons_find(&verdict->why, &clocks_words[CLOCKS_WITNESSES_DIFFER]) ||
            reasons_find(&verdict->why, &clocks_words[CLOCKS_DIFFERS]));
}

/* "process-cputime, task-clock: why", at the first of them. */
static void put_reason(const struct clocks_run *run, const uint32_t *order, size_t count,
                       size_t index, const struct style *style, struct text *out)
{
    struct reasons why = run->report.verdicts[order[index]].why;
    const char *said = reasons_text(&why);
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < count; i++)
        /* Of others it may have been said with figures that differ in digits nobody sees. */
        if (strcmp(reasons_text(&run->report.verdicts[order[i]].why), said) == 0) {
            if (i < index)
                return;
            text_printf(&words, "%s%s", words.length ? ", " : "",
                        clocks_name(&run->file, order[i]));
        }
    /* What it came to over which interval is in the table. */
    for (size_t i = 1; i < why.count && !run->studying.options->all; i++)
        if (why.list[i].joint == JOINT_CLAUSE)
            why.count = i;
    text_puts(&words, ": ");
    reasons_put(&why, &words);
    section_put_item(text_string(&words), style, out);
}

/* --- other clothes --- */

/* One of a person's own that has a fault is more than clothes. */
static bool reasons_is_copy(const struct clocks_run *run, size_t clock, size_t with)
{
    const struct clock_same *same = &run->report.same[clock];
    bool spoilt = run->file.clocks[clock].external &&
                  run->report.verdicts[clock].trust == TRUST_NOT_DEPENDABLE;
    return clocks_is_judged(run, clock) && !spoilt && same->known && same->same &&
           same->with == with;
}

static size_t copies_of(const struct clocks_run *run, size_t with)
{
    size_t copies = 0;
    for (size_t i = 0; i < run->file.clock_count; i++)
        copies += reasons_is_copy(run, i, with);
    return copies;
}

/* Of two that are copies of each other, the one with more copies wears no clothes. */
static const struct clock_same *same_of(const struct clocks_run *run, size_t clock, size_t with)
{
    if (!reasons_is_copy(run, clock, with))
        return NULL;
    if (reasons_is_copy(run, with, clock)) {
        size_t own = copies_of(run, clock), others = copies_of(run, with);
        if (own > others || (own == others && clock < with))
            return NULL;
    }
    return &run->report.same[clock];
}

/* "monotonic-raw, boottime are tsc in other clothes: never parted by more than 31 ns in 97 s" */
static void put_same(const struct clocks_run *run, size_t with, const struct style *style,
                     struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct clock_same *farthest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < run->file.clock_count; i++) {
        const struct clock_same *same = same_of(run, i, with);
        if (!same)
            continue;
        text_printf(&words, "%s%s", count++ ? ", " : "", clocks_name(&run->file, (uint32_t)i));
        if (!farthest || same->parted_ns > farthest->parted_ns)
            farthest = same;
    }
    if (!count)
        return;
    text_printf(&words, " %s %s in other clothes: never parted by more than %s in %s",
                count == 1 ? "is" : "are", clocks_name(&run->file, (uint32_t)with),
                TIME(farthest->parted_ns), TIME(1e9 * farthest->span_s));
    if (run->studying.options->all && isfinite(farthest->ppb) && farthest->ppb > 0)
        text_printf(&words, " (two oscillators would have to agree to %.2g ppb)", farthest->ppb);
    section_put_item(text_string(&words), style, out);
}

/* --- the reference, and claims beside it --- */

/* Another clock of the same counter and rate before it? */
static bool was_claimed(const struct clocks_run *run, size_t index)
{
    const struct clock_known *clock = &run->file.clocks[index];
    for (size_t i = 0; i < index; i++) {
        const struct clock_known *other = &run->file.clocks[i];
        if (clocks_is_judged(run, i) && other->hz == clock->hz &&
            strcmp(other->hardware ? other->hardware : "",
                   clock->hardware ? clock->hardware : "") == 0)
            return true;
    }
    return false;
}

/* "tsc claims 2595 MHz (the perf page)": of every counter that has a rate of its own. */
static void put_rates(const struct clocks_run *run, struct text *out)
{
    for (size_t i = 0; i < run->file.clock_count; i++) {
        const struct clock_known *clock = &run->file.clocks[i];
        /* Nanoseconds are of everybody, seconds of an RTC, and cycles claim no rate. */
        bool counter = clock->role == ROLE_WALL && clock->hz != 1000000000 && clock->hz != 1;
        if (!clocks_is_judged(run, i) || !counter || was_claimed(run, i))
            continue;
        if (!clock->hz)
            text_printf(out, "; nobody says how fast %s runs", clock->name);
        else
            text_printf(out, "; %s claims %.6g MHz", clock->name, (double)clock->hz / 1e6);
        if (clock->hz && *clock->claim)
            text_printf(out, " (%s)", clock->claim);
    }
}

static void put_reference(const struct clocks_run *run, const struct style *style, struct text *out)
{
    const struct clocks_reference *reference = &run->report.reference;
    const struct clocks_case *file = &run->file;
    AUTO_TEXT struct text words = {0};
    AUTO_TEXT struct text claims = {0};
    if (!run->report.looks)
        return;
    text_printf(&words, "Reference: %s", reasons_text(&reference->why));
    if (reference->why.count)
        section_put_item(text_string(&words), style, out);
    text_printf(&claims, "Claimed: clocksource %s",
                *file->clocksource ? file->clocksource : "unknown");
    if (*file->available)
        text_printf(&claims, " (available: %s)", file->available);
    text_printf(&claims, "; flags of the CPU: %s", *file->flags ? file->flags : "none");
    put_rates(run, &claims);
    if (isfinite(file->steered_ppm) && file->steered_ppm != 0)
        text_printf(&claims, "; realtime and monotonic steered by %.3g ppm",
                    file->steered_ppm + 0.0);
    section_put_item(text_string(&claims), style, out);
}

static void clocks_put_reasons(const struct clocks_run *run, const struct style *style,
                               struct text *out)
{
    AUTO_TEXT struct text lines = {0};
    size_t count;
    const uint32_t *order = clocks_by_use(run, &count);
    for (size_t i = 0; i < count; i++)
        if (needs_reason(run, order[i]))
            put_reason(run, order, count, i, style, &lines);
    for (size_t i = 0; i < run->file.clock_count; i++)
        put_same(run, i, style, &lines);
    put_reference(run, style, &lines);
    if (!lines.length)
        return;
    section_put_heading("Why", style, out);
    text_puts(out, text_string(&lines));
}

/* --- what could not be measured --- */

/* Watches that failed for a reason that was not said. */
static void put_failed(const struct clocks_run *run, const struct omissions *said,
                       const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    size_t watches = 0, processes = 0;
    const char *reason = NULL;
    for (size_t i = 0; i < run->file.watch_count; i++) {
        const struct clock_watch *watch = &run->file.watches[i];
        if (!watch->failed || (watch->reason && omissions_have(said, watch->reason)))
            continue;
        watches++;
        processes += watch->failed;
        reason = reason ? reason : watch->reason;
    }
    if (!watches)
        return;
    text_printf(&words, "%zu process%s of %zu watch%s failed", processes,
                processes == 1 ? "" : "es", watches, watches == 1 ? "" : "es");
    if (reason) {
        text_puts(&words, ", the first: ");
        text_put_clean(&words, reason);
    }
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

static void clocks_put_absences(const struct clocks_run *run, const struct style *style,
                                struct text *out)
{
    const struct clocks_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &run->studying.skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    /* Where nothing works, what to do about it is the answer. */
    omissions.brief = !run->studying.options->all && run->report.looks;
    omissions_put(&omissions, run->studying.options->all, style, &lines);
    put_failed(run, &omissions, style, &lines);
    if (lines.length) {
        section_put_heading("Could not be measured", style, out);
        text_puts(out, text_string(&lines));
    }
}

void clocks_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct clocks_run *run = kept;
    static clocks_part *const parts[] = {
        clocks_put_summary,   clocks_put_table, clocks_put_advice,       clocks_put_reasons,
        clocks_put_workloads, clocks_put_pairs, clocks_put_disturbances,
    };
    const struct claims claims = {.list = run->report.findings,
                                  .count = CLOCKS_FINDINGS,
                                  .paper = "fidelity",
                                  .terse = true,
                                  .brief = true,
                                  .curt = true,
                                  .all = run->studying.options->all};
    AUTO_TEXT struct text words = {0};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, style, out);
    claims_put(&claims, style, out);
    clocks_put_absences(run, style, out);
    if (!run->studying.complete && run->studying.once)
        text_puts(&words, "Not finished: the time did not suffice, a larger --budget holds more. ");
    else if (!run->studying.complete && run->studying.stored)
        unfinished_put("clocks", run->studying.stored, &run->studying.given->common, &words);
    if (!run->studying.options->all)
        text_puts(&words, "--all shows every interval, pair of CPUs and reason, --json every "
                          "figure.");
    text_puts(out, words.length ? "\n" : "");
    if (words.length)
        wrap(out, text_string(&words), 0, 0, style->width);
    text_printf(out, "%sseed %" PRIu64 ", %s%.1f s", run->studying.options->all ? "\n" : "",
                run->studying.seed, run->studying.given->from ? "judged again in " : "",
                run->studying.seconds);
    if (run->studying.stored) {
        text_puts(out, ", samples in ");
        text_put_clean(out, run->studying.stored);
    }
    text_putc(out, '\n');
}
