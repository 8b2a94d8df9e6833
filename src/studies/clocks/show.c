/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The report of `assay clocks`, for people: the answer first, then every clock, why, compared with
 * what, the paper's figure, what else was seen, what to do, and what could not be measured. */
#include "cli/clocks-show.h"

#include <inttypes.h>
#include <string.h>

#include "engine/claims.h"
#include "cli/omissions.h"
#include "cli/unfinished.h"
#include "show/utf8.h"
#include "show/wrap.h"

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

void clocks_put_absences(const struct clocks_run *run, const struct style *style, struct text *out)
{
    const struct clocks_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &run->skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    /* Where nothing works, what to do about it is the answer. */
    omissions.brief = !run->options->all && run->report.looks;
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

static void put_unfinished(const struct clocks_run *run, const struct style *style,
                           struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!run->complete && run->once)
        text_puts(&words, "Not finished: the time did not suffice, a larger --budget holds more. ");
    else if (!run->complete && run->stored)
        unfinished_put("clocks", run->stored, &run->options->common, &words);
    if (!run->options->all)
        text_puts(&words, "--all shows every interval, pair of CPUs and reason, --json every "
                          "figure.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_origin(const struct clocks_run *run, struct text *out)
{
    text_printf(out, "%sseed %" PRIu64 ", %s%.1f s", run->options->all ? "\n" : "", run->seed,
                run->options->from ? "judged again in " : "", run->seconds);
    if (run->stored) {
        text_puts(out, ", samples in ");
        text_put_clean(out, run->stored);
    }
    text_putc(out, '\n');
}

/* The judge writes of micro-seconds with a sign that not every terminal has. */
static void put_plain(const char *words, struct text *out)
{
    static const char sign[] = "\u00b5";
    const char *at;
    while (!utf8_is_expected() && (at = strstr(words, sign))) {
        text_append(out, words, (size_t)(at - words));
        text_putc(out, 'u');
        words = at + strlen(sign);
    }
    text_puts(out, words);
}

void clocks_put_report(const struct clocks_run *run, const struct style *style, struct text *out)
{
    static clocks_part *const parts[] = {
        clocks_put_summary, clocks_put_table,     clocks_put_advice, clocks_put_reasons,
        clocks_put_plot,    clocks_put_workloads, clocks_put_pairs,  clocks_put_disturbances,
    };
    const struct claims claims = {.list = run->report.findings,
                                  .count = CLOCKS_FINDINGS,
                                  .paper = "fidelity",
                                  .terse = true,
                                  .brief = true,
                                  .curt = true,
                                  .all = run->options->all};
    AUTO_TEXT struct text all = {0};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, style, &all);
    claims_put(&claims, style, &all);
    clocks_put_absences(run, style, &all);
    put_unfinished(run, style, &all);
    put_origin(run, &all);
    put_plain(text_string(&all), out);
    out->failed |= all.failed;
}
