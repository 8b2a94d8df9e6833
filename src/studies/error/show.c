/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay error` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what was left out. */
#include "cli/error-show.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/deliver.h"
#include "cli/omissions.h"
#include "cli/unfinished.h"
#include "engine/claims.h"
#include "show/number.h"
#include "show/utf8.h"
#include "show/wrap.h"

void error_put_measured(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text words = {0};
    char runs[NUMBER_SIZE], cells[NUMBER_SIZE];
    number_count(report->measurements, runs, sizeof(runs));
    number_count(report->cells_measured, cells, sizeof(cells));
    text_printf(&words, "%s measurements in %s cells", runs, cells);
    if (report->least_processes)
        text_printf(&words, ", %zu or more processes a cell of the null specimen",
                    report->least_processes);
    if (erring->session)
        text_printf(&words, "; %.1f s", erring->seconds);
    deliver_put_machine(erring->facts, style, out);
    section_put_words(text_string(&words), style, out);
    for (size_t i = 1; i < erring->file.machine_count; i++) {
        text_clear(&words);
        text_puts(&words, "and ");
        text_put_clean(&words, erring->file.machines[i].name);
        section_put_words(text_string(&words), style, out);
    }
}

/* --- what was left out --- */

static void put_failed(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_case *file = &erring->file;
    AUTO_TEXT struct text words = {0};
    size_t cells = 0, processes = 0;
    const char *reason = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        cells += cell->failed != 0;
        processes += cell->failed;
        reason = !reason && cell->failed ? cell->reason : reason;
    }
    if (!cells)
        return;
    text_printf(&words, "%zu process%s of %zu cell%s failed", processes, processes == 1 ? "" : "es",
                cells, cells == 1 ? "" : "s");
    if (reason) {
        text_puts(&words, ", the first: ");
        text_put_clean(&words, reason);
    }
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

void error_put_absences(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_case *file = &erring->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &erring->skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    omissions_put(&omissions, erring->options->all, style, &lines);
    omissions_free(&omissions);
    put_failed(erring, style, &lines);
    out->failed |= lines.failed;
    if (lines.length) {
        section_put_heading("Left out", style, out);
        text_puts(out, text_string(&lines));
    }
}

/* What the parts above would have said. */
static void put_uncounted(const struct erring *erring, const struct style *style, struct text *out)
{
    if (erring->options->all || error_has_cpu_counter(&erring->file))
        return;
    text_putc(out, '\n');
    section_put_words(
        "No counter of the CPU can be opened here (the reason is below), so nothing is "
        "said of counts in the kernel, of measured against stepped error, of more "
        "events than counters.",
        style, out);
}

/* --- the end --- */

static void put_unfinished(const struct erring *erring, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!erring->complete && erring->store)
        unfinished_put("error", store_path(erring->store), &erring->options->common, &words);
    if (!erring->options->all)
        text_puts(&words, "--all shows every path, pattern and event, --json every figure.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_origin(const struct erring *erring, struct text *out)
{
    text_printf(out, "seed %" PRIu64 ", %s%.1f s", erring->seed,
                erring->session ? "" : "judged again in ", erring->seconds);
    if (erring->store) {
        text_puts(out, ", samples in ");
        text_put_clean(out, store_path(erring->store));
    }
    text_putc(out, '\n');
}

void error_put_report(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct claims claims = {.list = erring->report.findings,
                                  .count = ERROR_FINDINGS,
                                  .paper = "accuracy",
                                  .terse = true,
                                  .all = erring->options->all};
    static void (*const parts[])(const struct erring *, const struct style *, struct text *) = {
        error_put_advice,    error_put_best,    error_put_boxes,    error_put_factors,
        error_put_counters,  error_put_stepped, error_put_duration, error_put_placement,
        error_put_multiplex, error_put_tools,
    };
    error_put_measured(erring, style, out);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](erring, style, out);
    put_uncounted(erring, style, out);
    claims_put(&claims, style, out);
    error_put_absences(erring, style, out);
    put_unfinished(erring, style, out);
    text_putc(out, '\n');
    put_origin(erring, out);
}
