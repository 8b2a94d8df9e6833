/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a clock is trusted no further: one line for each that is not simply fine, who is whom in
 * other clothes, what all were compared with, and what the machine claims of its clocks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/clocks-show.h"

/* --- why --- */

/* That a clock cannot be falsified is one reason for all, and said above; that CPU time is no time
 * is as it should be. */
static bool needs_reason(const struct clocks_run *run, uint32_t clock)
{
    const struct clock_verdict *verdict = &run->report.verdicts[clock];
    bool fine =
        verdict->trust == TRUST_DEPENDABLE || verdict->trust == TRUST_NOT_FALSIFIABLE ||
        (verdict->trust == TRUST_CPU_TIME_ONLY && run->file.clocks[clock].role == ROLE_CPU_TIME);
    return verdict->why[0] && (run->options->all || !fine);
}

/* Was the same said of one before? */
static bool was_said(const struct clocks_run *run, const uint32_t *order, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(run->report.verdicts[order[i]].why, run->report.verdicts[order[index]].why) == 0)
            return true;
    return false;
}

/* "process-cputime, task-clock: why" */
static void put_reason(const struct clocks_run *run, const uint32_t *order, size_t count,
                       size_t index, const struct style *style, struct text *out)
{
    const char *why = run->report.verdicts[order[index]].why;
    AUTO_TEXT struct text words = {0};
    for (size_t i = index; i < count; i++)
        if (strcmp(run->report.verdicts[order[i]].why, why) == 0)
            text_printf(&words, "%s%s", words.length ? ", " : "",
                        clocks_name(&run->file, order[i]));
    /* What it came to over which interval is in the table. */
    const char *clause = run->options->all ? NULL : strstr(why, "; ");
    text_puts(&words, ": ");
    text_append(&words, why, clause ? (size_t)(clause - why) : strlen(why));
    section_put_item(text_string(&words), style, out);
}

/* --- other clothes --- */

/* One of a person's own that has a fault is more than clothes. */
static bool is_copy(const struct clocks_run *run, size_t clock, size_t with)
{
    const struct clock_same *same = &run->report.same[clock];
    bool spoilt = run->file.clocks[clock].external && run->report.verdicts &&
                  run->report.verdicts[clock].trust == TRUST_NOT_DEPENDABLE;
    return clocks_is_judged(run, clock) && !spoilt && same->known && same->same &&
           same->with == with;
}

static size_t copies_of(const struct clocks_run *run, size_t with)
{
    size_t copies = 0;
    for (size_t i = 0; i < run->file.clock_count; i++)
        copies += is_copy(run, i, with);
    return copies;
}

/* Of two that are copies of each other, the one with more copies wears no clothes. */
static const struct clock_same *same_of(const struct clocks_run *run, size_t clock, size_t with)
{
    if (!is_copy(run, clock, with))
        return NULL;
    if (is_copy(run, with, clock)) {
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
    text_printf(&words, " %s %s in other clothes: never parted by more than ",
                count == 1 ? "is" : "are", clocks_name(&run->file, (uint32_t)with));
    clocks_put_time(farthest->parted_ns, &words);
    text_puts(&words, " in ");
    clocks_put_time(1e9 * farthest->span_s, &words);
    if (run->options->all && isfinite(farthest->ppb) && farthest->ppb > 0)
        text_printf(&words, " (two oscillators would have to agree to %.2g ppb)", farthest->ppb);
    section_put_item(text_string(&words), style, out);
}

/* --- the reference, and claims beside it --- */

static bool is_said(const char *word)
{
    return word && *word;
}

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
        if (!clock->hz) {
            text_printf(out, "; nobody says how fast %s runs", clock->name);
            continue;
        }
        text_printf(out, "; %s claims %.6g MHz", clock->name, (double)clock->hz / 1e6);
        if (is_said(clock->claim))
            text_printf(out, " (%s)", clock->claim);
    }
}

static void put_claims(const struct clocks_run *run, struct text *out)
{
    const struct clocks_case *file = &run->file;
    text_printf(out, "Claimed: clocksource %s",
                is_said(file->clocksource) ? file->clocksource : "unknown");
    if (is_said(file->available))
        text_printf(out, " (available: %s)", file->available);
    text_printf(out, "; flags of the CPU: %s", is_said(file->flags) ? file->flags : "none");
    put_rates(run, out);
    if (isfinite(file->steered_ppm) && file->steered_ppm != 0)
        text_printf(out, "; realtime and monotonic steered by %.3g ppm", file->steered_ppm + 0.0);
}

static void put_reference(const struct clocks_run *run, const struct style *style, struct text *out)
{
    const struct clocks_reference *reference = &run->report.reference;
    AUTO_TEXT struct text claims = {0};
    if (!run->report.looks)
        return;
    if (reference->why[0]) {
        AUTO_TEXT struct text words = {0};
        text_printf(&words, "Reference: %s", reference->why);
        section_put_item(text_string(&words), style, out);
    }
    put_claims(run, &claims);
    section_put_item(text_string(&claims), style, out);
}

void clocks_put_reasons(const struct clocks_run *run, const struct style *style, struct text *out)
{
    AUTO_FREE uint32_t *order = calloc(run->file.clock_count + 1, sizeof(*order));
    AUTO_TEXT struct text lines = {0};
    if (!order) {
        out->failed = true;
        return;
    }
    size_t count = clocks_by_use(run, order);
    for (size_t i = 0; run->report.verdicts && i < count; i++)
        if (needs_reason(run, order[i]) && !was_said(run, order, i))
            put_reason(run, order, count, i, style, &lines);
    for (size_t i = 0; run->report.same && i < run->file.clock_count; i++)
        put_same(run, i, style, &lines);
    put_reference(run, style, &lines);
    out->failed |= lines.failed;
    if (!lines.length)
        return;
    section_put_heading("Why", style, out);
    text_puts(out, text_string(&lines));
}
