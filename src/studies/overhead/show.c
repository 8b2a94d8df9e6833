/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay overhead` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what could not be measured. */
#include "cli/overhead-show.h"
#include "cli/unfinished.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/claims.h"
#include "cli/deliver.h"
#include "cli/omissions.h"
#include "show/utf8.h"
#include "show/wrap.h"

/* --- the first lines --- */

/* "; counters of page-faults": every event that was started, stopped or read. */
static void put_counted(const struct overhead_report *report, struct text *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const char *counted = report->rows[i].counted;
        bool fresh = counted && *counted;
        for (size_t j = 0; j < i && fresh; j++)
            fresh = !overhead_same_word(counted, report->rows[j].counted);
        if (!fresh)
            continue;
        text_puts(out, shown++ ? ", " : "; counters of ");
        text_put_clean(out, counted);
    }
}

/* "in ticks", "in instructions in user mode, instructions of the kernel": every meter once. */
static void put_meters(const struct overhead_report *report, struct text *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < report->timer_count; i++) {
        bool fresh = report->timers[i].meter != NULL;
        for (size_t j = 0; j < i && fresh; j++)
            fresh = !overhead_is_like_meter(report->timers[i].meter, report->timers[j].meter);
        if (!fresh)
            continue;
        text_puts(out, shown++ ? ", " : "; metered in ");
        text_put_clean(out, overhead_unit(report->timers[i].meter));
    }
}

static void put_emulated(const struct overhead_case *file, const struct style *style,
                         struct text *out)
{
    size_t emulated = 0;
    for (size_t i = 0; i < file->machine_count; i++)
        emulated += file->machines[i].emulated;
    if (!emulated)
        return;
    section_put_words(emulated == file->machine_count
                          ? "emulated: what is executed is counted exactly, times mean nothing"
                          : "some machines are emulated: there what is executed is counted "
                            "exactly, and times mean nothing",
                      style, out);
}

void overhead_put_measured(const struct overhead_run *run, const struct style *style,
                           struct text *out)
{
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    char calls[NUMBER_SIZE], processes[NUMBER_SIZE];
    number_count(report->calls, calls, sizeof(calls));
    number_count(report->processes, processes, sizeof(processes));
    deliver_put_machine(run->facts, style, out);
    for (size_t i = 1; i < run->file.machine_count; i++) {
        text_puts(&words, "and");
        overhead_put_machine(&run->file, (uint32_t)i, &words);
        section_put_words(text_string(&words), style, out);
        text_clear(&words);
    }
    if (report->calls) {
        text_printf(&words, "%s calls in %s processes", calls, processes);
        if (!run->options->from.count)
            text_printf(&words, ", %.1f s", run->seconds);
        put_meters(report, &words);
        put_counted(report, &words);
    } else {
        text_puts(&words, "No call was metered.");
    }
    section_put_words(text_string(&words), style, out);
    put_emulated(&run->file, style, out);
}

void overhead_put_advice(const struct overhead_run *run, const struct style *style,
                         struct text *out)
{
    const struct overhead_report *report = &run->report;
    if (!report->advice_count)
        return;
    section_put_heading("What to do", style, out);
    for (size_t i = 0; i < report->advice_count; i++) {
        AUTO_TEXT struct text words = {0};
        AUTO_TEXT struct text where = {0};
        overhead_put_machine(&run->file, report->advice[i].machine, &where);
        if (where.length)
            text_printf(&words, "(%s) ", text_string(&where) + 1);
        text_puts(&words, report->advice[i].text);
        section_put_item(text_string(&words), style, out);
    }
}

/* --- what could not be measured --- */

/* Tours that failed for a reason that was not said. */
static void put_failed(const struct overhead_run *run, const struct omissions *said,
                       const struct style *style, struct text *out)
{
    const struct overhead_case *file = &run->file;
    AUTO_TEXT struct text words = {0};
    size_t tours = 0, processes = 0;
    const char *reason = NULL;
    for (size_t i = 0; i < file->tour_count; i++) {
        const struct overhead_tour *tour = &file->tours[i];
        if (!tour->failed || (tour->reason && omissions_have(said, tour->reason)))
            continue;
        tours++;
        processes += tour->failed;
        reason = reason ? reason : tour->reason;
    }
    if (!tours)
        return;
    text_printf(&words, "%zu process%s of %zu tour%s failed", processes, processes == 1 ? "" : "es",
                tours, tours == 1 ? "" : "s");
    if (reason) {
        text_puts(&words, ", the first: ");
        text_put_clean(&words, reason);
    }
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

void overhead_put_absences(const struct overhead_run *run, const struct style *style,
                           struct text *out)
{
    const struct overhead_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &run->skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    /* Where nothing works, what to do about it is the answer. */
    omissions.brief = !run->options->all && run->report.calls;
    omissions_put(&omissions, run->options->all, style, &lines);
    put_failed(run, &omissions, style, &lines);
    omissions_free(&omissions);
    out->failed |= lines.failed;
    if (lines.length) {
        section_put_heading("Could not be measured", style, out);
        text_puts(out, text_string(&lines));
    }
}

/* --- the end --- */

static void put_unfinished(const struct overhead_run *run, const struct style *style,
                           struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!run->complete && run->stored)
        unfinished_put("overhead", run->stored, &run->options->common, &words);
    if (!run->options->all)
        text_puts(&words, "--all shows every variant, pair and reason, --json every figure.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_origin(const struct overhead_run *run, struct text *out)
{
    text_printf(out, "\nseed %" PRIu64 ", %s%.1f s", run->seed,
                run->options->from.count ? "judged again in " : "", run->seconds);
    if (run->stored) {
        text_puts(out, ", samples in ");
        text_put_clean(out, run->stored);
    }
    text_putc(out, '\n');
}

/* Machines are laid side by side to be compared; what each is like for itself comes with --all, or
 * when it is judged alone. */
static void put_parts(const struct overhead_run *run, const struct style *style, struct text *out)
{
    static overhead_part *const each[] = {
        overhead_put_advice,       overhead_put_boxes, overhead_put_machines,
        overhead_put_predecessors, overhead_put_cold,  overhead_put_in_a_row,
        overhead_put_sweeps,       overhead_put_peers, overhead_put_metering,
    };
    if (run->file.machine_count > 1 && !run->options->all) {
        overhead_put_machines(run, style, out);
        section_put_words("First calls, predecessors, slopes and peers of each machine come with "
                          "--all, and where it is judged alone.",
                          style, out);
        return;
    }
    for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
        each[i](run, style, out);
}

void overhead_put_report(const struct overhead_run *run, const struct style *style,
                         struct text *out)
{
    const struct claims claims = {.list = run->report.findings,
                                  .count = OVERHEAD_FINDINGS,
                                  .paper = "overhead",
                                  .terse = true,
                                  .brief = true,
                                  .all = run->options->all};
    overhead_put_measured(run, style, out);
    put_parts(run, style, out);
    claims_put(&claims, style, out);
    overhead_put_absences(run, style, out);
    put_unfinished(run, style, out);
    put_origin(run, out);
}
