/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay error` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what was left out. */
#include "cli/error-show.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/claims.h"
#include "cli/deliver.h"
#include "show/number.h"
#include "show/shell.h"
#include "show/utf8.h"
#include "show/wrap.h"

#define NAMES_SHOWN 4u

void error_put_measured(const struct erring *erring, const struct style *style, struct text *out)
{
    const struct error_report *report = &erring->report;
    AUTO_TEXT struct text words = {0};
    char runs[NUMBER_SIZE], cells[NUMBER_SIZE];
    number_count(report->measurements, runs, sizeof(runs));
    number_count(report->cells_measured, cells, sizeof(cells));
    text_printf(&words, "%s measurements in %s cells", runs, cells);
    if (report->least_processes)
        text_printf(&words, ", at least %zu processes for each cell of the null specimen",
                    report->least_processes);
    text_printf(&words, "; %.1f s", erring->seconds);
    deliver_put_machine(erring->facts, style, out);
    error_put_words(text_string(&words), style, out);
    for (size_t i = 1; i < erring->file.machine_count; i++) {
        text_clear(&words);
        text_puts(&words, "and ");
        text_put_clean(&words, erring->file.machines[i].name);
        error_put_words(text_string(&words), style, out);
    }
}

/* --- what was left out --- */

static bool is_first_of_reason(const struct error_case *file, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(file->absences[i].reason, file->absences[index].reason) == 0)
            return false;
    return true;
}

/* Each reason once: "instructions:u, cycles:u and 4 more: why". */
static void put_reason(const struct erring *erring, size_t leader, const struct style *style,
                       struct text *out)
{
    const struct error_case *file = &erring->file;
    AUTO_TEXT struct text words = {0};
    size_t shown = 0, left = 0;
    for (size_t i = leader; i < file->absence_count; i++) {
        if (strcmp(file->absences[i].reason, file->absences[leader].reason) != 0)
            continue;
        if (shown == NAMES_SHOWN && !erring->options->all) {
            left++;
            continue;
        }
        text_puts(&words, shown++ ? ", " : "");
        text_put_clean(&words, file->absences[i].what);
    }
    if (left)
        text_printf(&words, " and %zu more", left);
    text_puts(&words, ": ");
    text_put_clean(&words, file->absences[leader].reason);
    text_puts(out, "  ");
    wrap(out, text_string(&words), 2, 4, style->width);
}

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
    text_printf(&words, "%zu processes of %zu cells failed", processes, cells);
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
    size_t begin = out->length;
    text_puts(out, "\nLeft out:\n");
    size_t head = out->length;
    for (size_t i = 0; i < file->absence_count; i++)
        if (is_first_of_reason(file, i))
            put_reason(erring, i, style, out);
    for (size_t i = 0; i < erring->skips.count; i++) {
        AUTO_TEXT struct text words = {0};
        text_put_clean(&words, erring->skips.list[i].what);
        text_puts(&words, ": ");
        text_put_clean(&words, erring->skips.list[i].reason);
        text_puts(out, "  ");
        wrap(out, text_string(&words), 2, 4, style->width);
    }
    put_failed(erring, style, out);
    if (out->length == head && out->bytes) {
        out->length = begin; /* nothing was */
        out->bytes[begin] = '\0';
    }
}

/* --- the end --- */

static void put_unfinished(const struct erring *erring, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (!erring->complete && erring->store) {
        text_puts(&words,
                  "Not finished: what is missing comes with `assay error --resume --store ");
        text_put_shell(&words, store_path(erring->store));
        deliver_put_via(&erring->options->common, &words);
        text_puts(&words, "`. ");
    }
    if (!erring->options->all)
        text_puts(&words, "--all shows every path, pattern and event, --json every figure.");
    if (!words.length)
        return;
    text_putc(out, '\n');
    wrap(out, text_string(&words), 0, 0, style->width);
}

static void put_origin(const struct erring *erring, struct text *out)
{
    text_printf(out, "seed %" PRIu64 ", %.1f s", erring->seed, erring->seconds);
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
                                  .all = erring->options->all};
    static void (*const parts[])(const struct erring *, const struct style *, struct text *) = {
        error_put_advice,    error_put_best,    error_put_boxes,    error_put_factors,
        error_put_counters,  error_put_stepped, error_put_duration, error_put_placement,
        error_put_multiplex, error_put_tools,
    };
    error_put_measured(erring, style, out);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](erring, style, out);
    claims_put(&claims, style, out);
    error_put_absences(erring, style, out);
    put_unfinished(erring, style, out);
    text_putc(out, '\n');
    put_origin(erring, out);
}
