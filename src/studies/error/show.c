/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay error` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what was left out. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "studies/error/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Words and numbers that the parts of `assay error` share. */

const char *const error_part_names[PART_COUNT] = {
    [PART_NULL] = "null",           [PART_STEPPED] = "stepped",     [PART_DURATION] = "duration",
    [PART_PLACEMENT] = "placement", [PART_MULTIPLEX] = "multiplex", [PART_TOOL] = "tool",
};

/* What a name has in it, and what it then counts. */
static const struct {
    const char *part, *unit;
} units[] = {
    {"instructions", "instructions"},
    {"cycles", "cycles"},
    {"tsc", "ticks"},
    {"ticks", "ticks"},
    {"-clock", "ns"},
    {"syscalls:", "system calls"},
    {"faults", "page faults"},
    {"page_fault", "page faults"},
    {"irq", "interrupts"},
    {"context-switches", "switches"},
    {"branch", "branches"},
};

const char *error_unit(const char *event, const char *base)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if ((base && strstr(base, units[i].part)) || (event && strstr(event, units[i].part)))
            return units[i].unit;
    return "counts";
}

void error_put_words(const struct style *style, struct text *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    section_put_words(memory_vformat(format, arguments), style, out);
    va_end(arguments);
}

const char *error_clean(const char *name)
{
    struct text clean = {0};
    text_put_clean(&clean, name);
    return memory_text(&clean);
}

const char *error_event_told(const char *event, bool stepped)
{
    return stepped ? "instructions:u, stepped" : error_clean(event);
}

const char *error_on(const struct error_case *file, uint32_t machine)
{
    if (file->machine_count < 2 || machine >= file->machine_count)
        return "";
    return memory_format(" on %s", error_clean(file->machines[machine].name));
}

const char *error_way(const struct error_case *file, uint32_t machine, const char *path,
                      enum pattern pattern)
{
    return memory_format("%s %s%s", error_clean(path), pattern_descriptions[pattern],
                         error_on(file, machine));
}

double error_best_window(const struct error_report *report, const struct error_cell *cell)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (report->best[i].overall && report->best[i].machine == cell->machine &&
            strcmp(report->best[i].event, cell->event) == 0)
            return report->best[i].median;
    return NAN;
}

bool error_has_cpu_counter(const struct error_case *file)
{
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        if (cell->runs && cell->kind &&
            (strcmp(cell->kind, "hardware") == 0 || strcmp(cell->kind, "raw") == 0))
            return true;
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * What to do, before anything else is shown: how to count each event with the least error, and
 * what the doctor found that no way of measuring mends. */

#define INDENT 6u

static bool is_about(const struct error_advice *left, const struct error_advice *right)
{
    return left->mode == right->mode &&
           strcmp(left->event ? left->event : "", right->event ? right->event : "") == 0;
}

/* All that is said of the event of the one at `first`, unless that was done before. */
static void put_event(const struct error_report *report, size_t first, const struct style *style,
                      struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const struct error_advice *list = report->advice;
    for (size_t i = 0; i < first; i++)
        if (is_about(&list[i], &list[first]))
            return;
    for (size_t i = first; i < report->advice_count; i++) {
        if (!is_about(&list[i], &list[first]))
            continue;
        text_puts(&words, words.length ? " " : "");
        text_put_clean(&words, reasons_text(&list[i].why));
    }
    text_puts(out, "- ");
    wrap(out, text_string(&words), 2, 2, style->width);
}

/* What a command changes stands with it; only its first line, the doctor has the rest. */
static void put_checks(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_check *checks = run->checks;
    AUTO_TEXT struct text lasting = {0};
    bool begun = false;
    for (size_t i = 0; i < run->check_count; i++) {
        const char *fix = checks[i].advice.fix;
        const char *words = memory_format("%s: %s", checks[i].check->name, checks[i].advice.value);
        const bool bad = checks[i].advice.status == CHECK_BAD;
        if (!fix[0]) {
            text_printf(&lasting, "%s%s", lasting.length ? "; " : "", words);
            continue;
        }
        if (!begun)
            text_puts(out, "Mend this first (`assay doctor` says why):\n");
        begun = true;
        text_puts(out, "  ");
        text_put_toned(out, style, bad ? TONE_BAD : TONE_WARN,
                       check_status_names[checks[i].advice.status]);
        text_printf(out, "%*s", bad ? 2 : 1, "");
        wrap(out, words, INDENT + 1, INDENT + 1, style->width);
        text_printf(out, "       fix: %.*s\n", (int)strcspn(fix, "\n"), fix);
    }
    if (lasting.length) {
        text_puts(out, "What no setting here mends: ");
        wrap(out, text_string(&lasting), strlen("What no setting here mends: "), 2, style->width);
    }
}

void error_put_advice(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    bool of_cpu = false;
    section_put_heading("What to do", style, out);
    for (size_t i = 0; i < report->advice_count; i++)
        of_cpu |= report->advice[i].mode != COUNT_ANY;
    /* Counts of the CPU come before those that every machine has: what of those is best a table
     * below says as well. */
    for (size_t i = 0; i < report->advice_count; i++)
        if ((report->advice[i].mode != COUNT_ANY) == of_cpu || run->studying.options->all)
            put_event(report, i, style, out);
    if (!report->advice_count)
        section_put_words(
            "Nothing can be advised: no null error was measured; \"Left out\" below says why.",
            style, out);
    put_checks(run, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The best pattern of each path, the paper's Table 3, and the events that the paper did not have.
 */

/* What was counted is not told again as stepped. */
static bool is_instructions(const struct error_report *report, const void *row)
{
    return error_is_instructions(row) && !error_is_counted(report, row, true);
}

static bool is_other(const struct error_report *report, const void *row)
{
    const struct error_best *best = row;
    (void)report;
    return best->overall && !error_is_instructions(best);
}

static void put_bests(const struct error_run *run, const char *heading, error_wanted *wanted,
                      const char *legend, const struct style *style, struct text *out)
{
    AUTO_TEXT struct text rows = {0};
    error_put_rows(run, fields_find(&error_analysis, "best"), run, wanted, style, &rows);
    if (!rows.length)
        return;
    section_put_heading(heading, style, out);
    text_puts(out, text_string(&rows));
    section_put_words(legend, style, out);
}

void error_put_best(const struct error_run *run, const struct style *style, struct text *out)
{
    put_bests(run, "Instructions counted although nothing is measured", is_instructions,
              "the pattern of each path that adds least over -O levels and link modes, with one "
              "counter; least: of all paths; step/instructions/: exact, in user mode",
              style, out);
    section_put_heading("The paper's Table 3", style, out);
    fields_put_table(fields_find(&error_analysis, "table3"), run, run, style, out);
    section_put_words("pm perfmon, pc perfctr, PL and PH PAPI's low and high level on them", style,
                      out);
    put_bests(run, "Other events counted although nothing is measured", is_other,
              "the best path of each; --all has every path", style, out);
}

/* --- the whole --- */

static void put_measured(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    text_printf(&words, "%s measurements in %s cells", WHOLE(report->measurements),
                WHOLE(report->cells_measured));
    if (report->least_processes)
        text_printf(&words, ", %zu or more processes a cell of the null specimen",
                    report->least_processes);
    if (run->studying.session)
        text_printf(&words, "; %.1f s", run->studying.seconds);
    deliver_put_machine(run->studying.facts, style, out);
    section_put_words(text_string(&words), style, out);
    for (size_t i = 1; i < run->file.machine_count; i++)
        error_put_words(style, out, "and %s", run->file.machines[i].name);
}

/* --- what was left out --- */

static void put_failed(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_case *file = &run->file;
    size_t cells = 0, processes = 0;
    const char *reason = NULL;
    for (size_t i = 0; i < file->cell_count; i++) {
        const struct error_cell *cell = &file->cells[i];
        cells += cell->failed != 0;
        processes += cell->failed;
        reason = !reason && cell->failed ? cell->reason : reason;
    }
    failed_put(processes, cells, "cell", reason, style, out);
}

static void put_absences(const struct error_run *run, const struct style *style, struct text *out)
{
    const struct error_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &run->studying.skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    omissions_put(&omissions, run->studying.options->all, style, &lines);
    put_failed(run, style, &lines);
    if (lines.length) {
        section_put_heading("Left out", style, out);
        text_puts(out, text_string(&lines));
    }
}

/* --- rows as they are --- */

struct rows {
    const struct error_run *run;
    const struct field *list;
    const void *item; /* that has the list */
    error_wanted *wanted;
    uint32_t machine;
};

static const void *wanted_row(const void *item, const void *context, size_t index)
{
    const struct rows *rows = item;
    const struct field_place *at = &rows->list->at;
    const char *from = rows->item;
    const size_t count = *(const size_t *)(const void *)(from + at->count_offset);
    const char *row = *(const char *const *)(const void *)(from + at->offset);
    (void)context;
    for (size_t i = 0; i < count; i++, row += at->size)
        if (*(const uint32_t *)(const void *)row == rows->machine &&
            (!rows->wanted || rows->wanted(&rows->run->report, row)) && index-- == 0)
            return row;
    return NULL;
}

void error_put_rows(const struct error_run *run, const struct field *list, const void *item,
                    error_wanted *wanted, const struct style *style, struct text *out)
{
    struct rows rows = {run, list, item, wanted, 0};
    const struct field of_machine = {.key = list->key, .at = LIST_BY(wanted_row, list->at.of)};
    for (; rows.machine == 0 || rows.machine < run->file.machine_count; rows.machine++) {
        if (!wanted_row(&rows, run, 0))
            continue;
        if (run->file.machine_count > 1)
            section_put_words(run->file.machines[rows.machine].name, style, out);
        fields_put_table(&of_machine, &rows, run, style, out);
    }
}

/* --all: what the parts above summed up. */
static void put_all(const struct error_run *run, const struct style *style, struct text *out)
{
    static const char *const keys[] = {"best", "counters", "choices"};
    const struct field *stepped = fields_find(&error_analysis, "stepped"), *list;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        list = fields_find(&error_analysis, keys[i]);
        section_put_heading(memory_format("All of it: %s", list->meaning), style, out);
        error_put_rows(run, list, run, NULL, style, out);
    }
    section_put_heading("All of it: which factors matter", style, out);
    fields_put_table(fields_find(&error_analysis, "anova"), run, run, style, out);
    for (size_t i = 0; i < run->report.anova_count; i++)
        error_put_words(
            style, out, "%s: %s",
            error_event_told(run->report.anovas[i].event, run->report.anovas[i].stepped),
            reasons_text(&run->report.anovas[i].note));
    section_put_heading("All of it: measured against stepped", style, out);
    error_put_rows(run, fields_find(stepped->at.of, "cells"), &run->report.stepped, NULL, style,
                   out);
}

/* --- the end --- */

void error_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct error_run *run = kept;
    const bool all = run->studying.options->all;
    const struct claims claims = {.list = run->report.findings,
                                  .count = ERROR_FINDINGS,
                                  .paper = "accuracy",
                                  .terse = true,
                                  .all = all};
    static error_put_part *const parts[] = {
        error_put_advice,    error_put_best,    error_put_null,     error_put_factors,
        error_put_counters,  error_put_stepped, error_put_duration, error_put_placement,
        error_put_multiplex, error_put_tools,
    };
    put_measured(run, style, out);
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        parts[i](run, style, out);
    if (!error_has_cpu_counter(&run->file)) {
        /* What the parts above would have said. */
        text_putc(out, '\n');
        section_put_words(
            "No counter of the CPU can be opened here (the reason is below), so nothing is "
            "said of counts in the kernel, of measured against stepped error, of more "
            "events than counters.",
            style, out);
    }
    if (all)
        put_all(run, style, out);
    claims_put(&claims, style, out);
    put_absences(run, style, out);
    studying_put_end(&run->studying, "error",
                     all ? NULL : "--all shows every path, pattern and event, --json every figure.",
                     style, out);
}
