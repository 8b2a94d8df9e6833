/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay error` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what was left out. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "engine/claims.h"
#include "engine/finish.h"
#include "engine/skips.h"
#include "output/table.h"
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

void error_put_event(const char *event, bool stepped, struct text *out)
{
    if (stepped)
        text_puts(out, "instructions:u, stepped");
    else
        text_put_clean(out, event);
}

void error_put_machine(const struct error_case *file, uint32_t machine, struct text *out)
{
    if (file->machine_count < 2 || machine >= file->machine_count)
        return;
    text_puts(out, " on ");
    text_put_clean(out, file->machines[machine].name);
}

/* Why the plan left out what begins with these words; "" where it did not. */
static const char *error_skip_reason(const struct erring *erring, const char *what)
{
    for (size_t i = 0; i < erring->skips.count; i++)
        if (!erring->skips.list[i].for_programs &&
            strncmp(erring->skips.list[i].what, what, strlen(what)) == 0)
            return erring->skips.list[i].reason;
    return "";
}

void error_put_nothing(const struct erring *erring, const char *words, const char *what,
                       const struct style *style, struct text *out)
{
    AUTO_TEXT struct text sentence = {0};
    const char *reason = error_skip_reason(erring, what);
    text_puts(&sentence, words);
    if (reason[0]) {
        text_puts(&sentence, ": ");
        text_put_clean(&sentence, reason);
    }
    section_put_words(text_string(&sentence), style, out);
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

bool error_is_uncounted(const struct erring *erring, bool empty)
{
    return empty && !erring->options->all && !error_has_cpu_counter(&erring->file);
}

const char *error_no_counter_reason(const struct error_case *file)
{
    for (size_t i = 0; i < file->absence_count; i++) {
        const struct error_absence *absence = &file->absences[i];
        if (strncmp(absence->what, "instructions", strlen("instructions")) == 0)
            return absence->reason;
    }
    return "";
}

/* ----------------------------------------------------------------------------------------------
 * What to do, before anything else is shown: how to count each event with the least error, and
 * what the doctor found that no way of measuring mends. */

#define INDENT 6u

/* Checks that say nothing of this study: it draws over address layouts on purpose, and counts
 * clocks and tracepoints only where they open. */
static const char *const unconcerned[] = {"aslr", "clocksource", "tracefs"};

static bool concerns(const struct check *check)
{
    for (size_t i = 0; i < sizeof(unconcerned) / sizeof(*unconcerned); i++)
        if (strcmp(check->name, unconcerned[i]) == 0)
            return false;
    return true;
}

int error_checks(const struct facts *facts, struct error_check **list, size_t *count)
{
    static const enum check_status urgency[] = {CHECK_BAD, CHECK_WARN};
    size_t registered = 0;
    *count = 0;
    while (check_registry[registered])
        registered++;
    *list = calloc(registered + 1, sizeof(**list));
    struct advice *advice = malloc(sizeof(*advice));
    if (!*list || !advice) {
        free(advice);
        return -ENOMEM;
    }
    for (size_t level = 0; facts && facts->count && level < 2; level++)
        for (size_t i = 0; i < registered; i++) {
            if (!concerns(check_registry[i]))
                continue;
            check_judge(check_registry[i], facts, advice);
            if (advice->status == urgency[level])
                (*list)[(*count)++] = (struct error_check){check_registry[i], *advice};
        }
    free(advice);
    return 0;
}

/* --- for people --- */

/* Counts of the CPU come before those that every machine has. */
static bool is_of_cpu(const struct error_advice *advice)
{
    return advice->mode != COUNT_ANY;
}

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
        text_put_clean(&words, list[i].text);
    }
    text_puts(out, "- ");
    wrap(out, text_string(&words), 2, 2, style->width);
}

/* What of other events is best a table below says as well. */
static void put_advised(const struct error_report *report, bool all, const struct style *style,
                        struct text *out)
{
    bool of_cpu = false;
    for (size_t i = 0; i < report->advice_count; i++)
        of_cpu |= is_of_cpu(&report->advice[i]);
    for (size_t pass = of_cpu ? 0 : 1; pass < (of_cpu && !all ? 1 : 2); pass++)
        for (size_t i = 0; i < report->advice_count; i++)
            if (is_of_cpu(&report->advice[i]) == (pass == 0))
                put_event(report, i, style, out);
}

/* What a command changes stands with it; only its first line, the doctor has the rest. */
static void put_mendable(const struct error_check *check, const struct style *style,
                         struct text *out)
{
    AUTO_TEXT struct text words = {0};
    const char *fix = check->advice.fix;
    text_printf(&words, "%s: %s", check->check->name, check->advice.value);
    text_puts(out, "  ");
    text_put_toned(out, style, check->advice.status == CHECK_BAD ? TONE_BAD : TONE_WARN,
                   check_status_names[check->advice.status]);
    text_printf(out, "%*s", check->advice.status == CHECK_BAD ? 2 : 1, "");
    wrap(out, text_string(&words), INDENT + 1, INDENT + 1, style->width);
    text_printf(out, "       fix: %.*s\n", (int)strcspn(fix, "\n"), fix);
}

static void put_checks(const struct error_check *checks, size_t count, const struct style *style,
                       struct text *out)
{
    AUTO_TEXT struct text lasting = {0};
    bool begun = false;
    for (size_t i = 0; i < count; i++) {
        const struct error_check *check = &checks[i];
        if (!check->advice.fix[0]) {
            text_printf(&lasting, "%s%s: %s", lasting.length ? "; " : "", check->check->name,
                        check->advice.value);
            continue;
        }
        if (!begun)
            text_puts(out, "Mend this first (`assay doctor` says why):\n");
        begun = true;
        put_mendable(check, style, out);
    }
    if (lasting.length) {
        text_puts(out, "What no setting here mends: ");
        wrap(out, text_string(&lasting), strlen("What no setting here mends: "), 2, style->width);
    }
}

void error_put_advice(const struct erring *erring, const struct style *style, struct text *out)
{
    AUTO_FREE struct error_check *checks = NULL;
    size_t count = 0;
    if (error_checks(erring->facts, &checks, &count) < 0) {
        out->failed = true;
        return;
    }
    section_put_heading("What to do", style, out);
    put_advised(&erring->report, erring->options->all, style, out);
    if (!erring->report.advice_count)
        section_put_words(
            "Nothing can be advised: no null error was measured; \"Left out\" below says why.",
            style, out);
    put_checks(checks, count, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The paper's Table 3 beside ours: for every path the pattern with the smallest error. Below it
 * the events that the paper did not have. */

/* What a path here is like in the paper's table. */
static const char *kind_of_path(const char *path)
{
    return strncmp(path, "papi-", 5) == 0 ? path : "direct";
}

static bool is_instructions(const struct error_best *best)
{
    return best->base && strcmp(best->base, "instructions") == 0;
}

/* Measured beats stepped where there are both: the paper measured. */
static bool is_shadowed(const struct error_report *report, const struct error_best *best)
{
    for (size_t i = 0; best->stepped && i < report->best_count; i++) {
        const struct error_best *other = &report->best[i];
        if (!other->stepped && other->machine == best->machine && is_instructions(other) &&
            other->mode == best->mode && strcmp(other->path, best->path) == 0)
            return true;
    }
    return false;
}

static void add_ours(struct table *table, const struct error_best *best)
{
    char median[NUMBER_SIZE] = "", min[NUMBER_SIZE] = "";
    if (best) {
        number_brief(best->median, median, sizeof(median));
        number_brief((double)best->min, min, sizeof(min));
    }
    enum tone tone = best && best->overall ? TONE_STRONG : TONE_PLAIN;
    table_add(table, tone, best ? best->path : "");
    table_addf(table, tone, "%s%s", best ? pattern_names[best->pattern] : "",
               best && best->overall ? " *" : "");
    table_add(table, tone, median);
    table_add(table, tone, min);
    table_add(table, TONE_PLAIN, !best ? "" : best->stepped ? "exact" : "counted");
}

/* A kind of path of which there is nothing of ours in this mode. */
static void add_none(struct table *table, const char *like)
{
    table_add(table, TONE_DIM, like);
    table_add(table, TONE_DIM, "-");
    table_add(table, TONE_DIM, "-");
    table_add(table, TONE_DIM, "-");
    table_add(table, TONE_DIM, "none");
}

static void add_theirs(struct table *table, const struct error_table3 *row)
{
    char median[NUMBER_SIZE] = "", min[NUMBER_SIZE] = "";
    if (row) {
        number_brief(row->median, median, sizeof(median));
        number_brief((double)row->min, min, sizeof(min));
    }
    table_add(table, TONE_DIM, row ? row->tool : "");
    table_add(table, TONE_DIM, row ? pattern_names[row->pattern] : "");
    table_add(table, TONE_DIM, median);
    table_add(table, TONE_DIM, min);
}

/* The next row of either side at or after *at; NULL: no more. */
static const struct error_best *next_ours(const struct error_report *report, uint32_t machine,
                                          enum count_mode mode, const char *like, size_t *at)
{
    for (; *at < report->best_count; (*at)++) {
        const struct error_best *best = &report->best[*at];
        if (best->machine == machine && is_instructions(best) && best->mode == mode &&
            !is_shadowed(report, best) && strcmp(kind_of_path(best->path), like) == 0)
            return &report->best[(*at)++];
    }
    return NULL;
}

static const struct error_table3 *next_theirs(enum count_mode mode, const char *like, size_t *at)
{
    for (; *at < sizeof(error_table3) / sizeof(*error_table3); (*at)++) {
        const struct error_table3 *row = &error_table3[*at];
        if (strcmp(row->mode, count_mode_names[mode]) == 0 && strcmp(row->like, like) == 0)
            return &error_table3[(*at)++];
    }
    return NULL;
}

/* Both sides of one mode and one kind of path, as long as either has rows. */
static void add_group(struct table *table, const struct error_report *report, uint32_t machine,
                      enum count_mode mode, const char *like)
{
    size_t ours = 0, theirs = 0;
    bool any = false; /* has a row that names what ours is */
    for (;;) {
        const struct error_best *best = next_ours(report, machine, mode, like, &ours);
        const struct error_table3 *row = next_theirs(mode, like, &theirs);
        if (!best && !row)
            return;
        table_add(table, TONE_PLAIN, count_mode_names[mode]);
        if (best || any)
            add_ours(table, best);
        else
            add_none(table, like);
        any = true;
        add_theirs(table, row);
    }
}

static bool any_measured(const struct error_report *report, enum count_mode mode)
{
    for (size_t i = 0; i < report->best_count; i++)
        if (is_instructions(&report->best[i]) && report->best[i].mode == mode)
            return true;
    return false;
}

/* A mode without rows of ours is a line below. */
static void put_table3(const struct error_report *report, uint32_t machine, bool all,
                       const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "mode"},
        {.title = "path"},
        {.title = "best"},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
        {.title = ""},
        {.title = "paper"},
        {.title = "best"},
        {.title = "median", .right = true},
        {.title = "min", .right = true},
    };
    static const enum count_mode modes[] = {COUNT_USER, COUNT_BOTH, COUNT_KERNEL};
    static const char *const kinds[] = {"direct", "papi-low", "papi-high"};
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        for (size_t j = 0; j < sizeof(kinds) / sizeof(*kinds); j++)
            if (all || any_measured(report, modes[i]))
                add_group(&table, report, machine, modes[i], kinds[j]);
    table_put(&table, style, out);
    table_free(&table);
}

/* --- events beside instructions --- */

static void add_other(struct table *table, const struct error_case *file,
                      const struct error_best *best)
{
    AUTO_TEXT struct text event = {0};
    char median[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE];
    number_brief(best->median, median, sizeof(median));
    number_brief(best->spread_low, low, sizeof(low));
    number_brief(best->spread_high, high, sizeof(high));
    text_put_clean(&event, best->event);
    error_put_machine(file, best->machine, &event);
    table_add(table, TONE_PLAIN, text_string(&event));
    table_add(table, TONE_PLAIN, best->path);
    table_add(table, TONE_PLAIN, pattern_names[best->pattern]);
    table_add(table, TONE_PLAIN, median);
    if (strcmp(low, high) == 0)
        table_add(table, TONE_PLAIN, "always");
    else
        table_addf(table, TONE_PLAIN, "%s to %s", low, high);
    table_add(table, TONE_DIM, error_unit(best->event, best->base));
}

static void put_others(const struct erring *erring, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "event"},         {.title = "path"},
        {.title = "best"},          {.title = "median", .right = true},
        {.title = "19 of 20 runs"}, {.title = "", .wraps = true},
    };
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    const struct error_report *report = &erring->report;
    bool folded = false;
    for (size_t i = 0; i < report->best_count; i++) {
        const struct error_best *best = &report->best[i];
        if (is_instructions(best))
            continue;
        if (erring->options->all || best->overall)
            add_other(&table, &erring->file, best);
        else
            folded = true;
    }
    if (table.count) {
        section_put_heading("Other events counted although nothing is measured", style, out);
        table_put(&table, style, out);
    }
    if (folded)
        section_put_words("the best path of each; --all has every path", style, out);
    table_free(&table);
}

/* --- all of it --- */

/* Why a mode has no rows of ours; what the paper has of it. */
static void put_missing(const struct erring *erring, enum count_mode mode,
                        const struct style *style, struct text *out)
{
    AUTO_TEXT struct text words = {0};
    if (any_measured(&erring->report, mode))
        return;
    text_printf(&words, "%s: nothing of ours, %s", count_mode_names[mode],
                error_has_cpu_counter(&erring->file)
                    ? "because instructions were not measured in that mode"
                    : "because no counter of the CPU can be opened here");
    for (size_t i = 0; i < sizeof(error_table3) / sizeof(*error_table3) && !erring->options->all;
         i++) {
        const struct error_table3 *row = &error_table3[i];
        char median[NUMBER_SIZE];
        if (strcmp(row->mode, count_mode_names[mode]) != 0)
            continue;
        number_brief(row->median, median, sizeof(median));
        text_printf(&words, "%s %s %s",
                    strstr(text_string(&words), "paper's") ? "," : "; the paper's", row->tool,
                    median);
    }
    section_put_words(text_string(&words), style, out);
}

void error_put_best(const struct erring *erring, const struct style *style, struct text *out)
{
    section_put_heading(
        "Instructions counted although nothing is measured, and the paper's Table 3", style, out);
    for (uint32_t machine = 0; machine == 0 || machine < erring->file.machine_count; machine++) {
        if (erring->file.machine_count > 1) {
            text_put_clean(out, erring->file.machines[machine].name);
            text_putc(out, '\n');
        }
        put_table3(&erring->report, machine, erring->options->all, style, out);
    }
    put_missing(erring, COUNT_USER, style, out);
    put_missing(erring, COUNT_BOTH, style, out);
    if (any_measured(&erring->report, COUNT_USER) || any_measured(&erring->report, COUNT_BOTH) ||
        erring->options->all)
        section_put_words(
            "best: the pattern that adds least over -O levels and link modes, with one "
            "counter; *: least of all paths; exact: stepped; pm perfmon, pc perfctr, PL "
            "and PH PAPI's low and high level on them",
            style, out);
    put_others(erring, style, out);
}

/* ----------------------------------------------------------------------------------------------
 * The result of `assay error` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what was left out. */

static void error_put_measured(const struct erring *erring, const struct style *style,
                               struct text *out)
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

static void error_put_absences(const struct erring *erring, const struct style *style,
                               struct text *out)
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
