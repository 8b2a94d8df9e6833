/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of `assay overhead` for people: what was measured and what to do first, then part by
 * part, then the paper's findings and what could not be measured. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/claims.h"
#include "engine/finish.h"
#include "engine/skips.h"
#include "output/table.h"
#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Words and numbers that the parts of `assay overhead` share. */

const char *overhead_name(const struct overhead_case *file, uint32_t operation)
{
    return operation < file->operation_count ? file->operations[operation].name : "?";
}

/* Does the variant say something that the name does not? */
static bool overhead_is_told(const char *name, const char *variant)
{
    /* System calls of perf-syscall are inline, pages of perf-user populated, by definition. */
    return variant && *variant && strcmp(variant, "inline") != 0 &&
           strcmp(variant, "populated") != 0 && !strstr(name, variant);
}

void overhead_put_call(const char *name, const char *variant, struct text *out)
{
    text_put_clean(out, name);
    if (overhead_is_told(name, variant)) {
        text_puts(out, ", ");
        text_put_clean(out, variant);
    }
}

void overhead_put_called(const struct overhead_run *run, const void *called, struct text *out)
{
    const struct overhead_called *call = called;
    overhead_put_call(overhead_name(&run->file, call->operation), call->variant, out);
}

void overhead_put_row_call(const struct overhead_case *file, const struct overhead_row *row,
                           struct text *out)
{
    overhead_put_call(overhead_name(file, row->operation), row->variant, out);
    if (row->reads > 1)
        text_printf(out, ", %" PRIu32 " in a row", row->reads);
    if (row->events > 1)
        text_printf(out, ", %" PRIu32 " events%s", row->events, row->separate ? ", separate" : "");
}

const char *overhead_before(const struct overhead_case *file, int32_t predecessor)
{
    /* What the tour calls of its own, in words of this page. */
    static const struct {
        const char *name, *words;
    } own[] = {{"timer.nothing", "nothing"}, {"timer.gauge", "plain additions"}};
    const char *name = predecessor < 0 ? "the start" : overhead_name(file, (uint32_t)predecessor);
    for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
        if (strcmp(name, own[i].name) == 0)
            return own[i].words;
    return name;
}

/* Have all machines one name, and no two the same version? */
static bool overhead_differ_in_version_only(const struct overhead_case *file)
{
    for (size_t i = 0; i < file->machine_count; i++)
        for (size_t j = 0; j < i; j++)
            if (!overhead_same_word(file->machines[i].name, file->machines[j].name) ||
                overhead_same_word(file->machines[i].os, file->machines[j].os))
                return false;
    return true;
}

void overhead_put_machine(const struct overhead_case *file, uint32_t machine, struct text *out)
{
    if (file->machine_count < 2 || machine >= file->machine_count)
        return;
    const struct overhead_machine *like = &file->machines[machine];
    bool brief = overhead_differ_in_version_only(file);
    text_puts(out, " on ");
    if (!brief) {
        text_put_clean(out, like->name);
        text_puts(out, like->os && *like->os ? ", " : "");
    }
    if (like->os && *like->os) {
        text_puts(out, "Linux ");
        text_put_clean(out, like->os);
    }
}

const char *overhead_unit(const struct overhead_meter *meter)
{
    static const struct {
        enum meter_unit unit;
        const char *mode, *words;
    } units[] = {
        {METER_INSTRUCTIONS, "u", "instructions in user mode"},
        {METER_INSTRUCTIONS, "k", "instructions of the kernel"},
        {METER_INSTRUCTIONS, "uk", "instructions"},
        {METER_CYCLES, "u", "cycles in user mode"},
        {METER_CYCLES, "k", "cycles of the kernel"},
    };
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (meter->unit == units[i].unit && overhead_same_word(meter->mode, units[i].mode))
            return units[i].words;
    return meter->unit < METER_EVENTS ? meter_unit_names[meter->unit] : meter->event;
}

const char *overhead_cost(double value, char text[NUMBER_SIZE])
{
    number_brief(fabs(value) >= 100 ? rint(value) : value + 0.0, text, NUMBER_SIZE);
    return text;
}

void overhead_add_cost(struct table *table, enum tone tone, double value)
{
    table_add(table, tone, OVERHEAD_COST(value));
}

void overhead_put_heading(const struct overhead_run *run, const char *what,
                          const struct overhead_meter *meter, uint32_t machine,
                          const struct style *style, struct text *out)
{
    AUTO_TEXT struct text heading = {0};
    text_printf(&heading, "%s, in %s", what, overhead_unit(meter));
    overhead_put_machine(&run->file, machine, &heading);
    section_put_heading(text_string(&heading), style, out);
}

void overhead_put_interval(double value, double low, double high,
                           const char *(*write)(double value, char text[NUMBER_SIZE]),
                           struct text *out)
{
    char words[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
    text_puts(out, write(value, words));
    bool wide = strcmp(write(low, from), words) != 0;
    wide |= strcmp(write(high, to), words) != 0;
    if (wide && isfinite(low) && isfinite(high))
        text_printf(out, " (%s to %s)", from, to);
}
void overhead_put_share(double share, struct text *out)
{
    double percent = 100 * share;
    if (percent == 0 || percent >= 1)
        text_printf(out, "%.0f %%", percent);
    else
        text_printf(out, "%.1g %%", percent);
}

bool overhead_counts_code(const struct overhead_meter *meter)
{
    return meter->unit == METER_INSTRUCTIONS || meter->unit == METER_EVENTS;
}

bool overhead_is_half(const struct overhead_report *report, const struct overhead_meter *meter)
{
    for (size_t i = 0; i < report->total_count; i++)
        if (report->totals[i].unit == meter->unit &&
            !overhead_same_meter(&report->totals[i], meter))
            return true;
    for (size_t i = 0; overhead_has_one_mode(meter) && i < report->timer_count; i++)
        if (overhead_is_clock(report->timers[i].meter) && meter->unit == METER_INSTRUCTIONS)
            return true;
    return false;
}

bool overhead_hides_switches(const struct overhead_report *report)
{
    for (size_t i = 0; i < report->row_count; i++)
        if (overhead_misses_switches(report, &report->rows[i]))
            return true;
    return false;
}

/* --- which rows --- */

bool overhead_is_emulated(const struct overhead_case *file, uint32_t machine)
{
    return machine < file->machine_count && file->machines[machine].emulated;
}

/* A call of an instrument, not of what the tour has of its own, nor a whole command. */
static bool is_instrument(const struct overhead_case *file, uint32_t operation)
{
    if (operation >= file->operation_count)
        return false;
    const struct overhead_operation *like = &file->operations[operation];
    return !overhead_same_word(like->instrument, "timer") &&
           !overhead_same_word(like->kind, "command");
}

static bool is_summary(const struct overhead_row *row)
{
    return row->all_predecessors && row->temperature == TEMPERATURE_WARM && row->reads <= 1 &&
           row->runs;
}

bool overhead_is_usual(const struct overhead_run *run, size_t index)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_row *row = &report->rows[index];
    if (!is_summary(row) || !is_instrument(&run->file, row->operation))
        return false;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *other = &report->rows[i];
        if (i == index || !is_summary(other) || !overhead_same_call(row, other))
            continue;
        if (other->events != row->events) {
            if (other->events < row->events)
                return false;
        } else if (other->separate != row->separate) {
            if (row->separate)
                return false;
        } else if (i < index) {
            return false;
        }
    }
    return true;
}

/* Both medians differ by more than what is told, and beyond their intervals. */
static bool overhead_rows_differ(const struct overhead_row *left, const struct overhead_row *right)
{
    double most = fabs(left->median) > fabs(right->median) ? left->median : right->median;
    return fabs(left->median - right->median) > OVERHEAD_TOLD * fabs(most) &&
           (left->low > right->high || right->low > left->high);
}

bool overhead_is_folded(const struct overhead_run *run, size_t index)
{
    const struct overhead_row *rows = run->report.rows, *row = &rows[index];
    for (size_t i = 0; i < index; i++)
        if (rows[i].operation == row->operation && overhead_same_group(&rows[i], row) &&
            overhead_is_usual(run, i) && !overhead_rows_differ(&rows[i], row))
            return true;
    return false;
}

bool overhead_leads(const void *list, size_t size, size_t index)
{
    const char *first = list;
    for (size_t i = 0; i < index; i++)
        if (overhead_same_group(first + i * size, first + index * size))
            return false;
    return true;
}

/* ----------------------------------------------------------------------------------------------
 * What each call costs once all was called before, by kind, over all predecessors; and where there
 * is more than one level. */

#define LEVELS_SHOWN 4u

/* The kinds of calls in the order in which a program makes them. */
static const char *const kinds[] = {"start", "begin", "stop", "end", "read", "accum"};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct usual {
    const struct overhead_row *row;
    size_t order; /* of its kind */
};

size_t overhead_kind_order(const char *kind)
{
    return overhead_rank(kind ? kind : "", kinds, KINDS);
}

/* The cheapest of a kind first. */
static int by_kind(const void *left, const void *right)
{
    const struct usual *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->row->median != b->row->median)
        return a->row->median < b->row->median ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* --- levels --- */

static void put_all_levels(const struct overhead_run *run, const struct usual *usual, size_t count,
                           const struct style *style, struct text *out)
{
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        const struct overhead_row *row = usual[i].row;
        AUTO_TEXT struct text words = {0};
        if (row->level_count < 2)
            continue;
        /* What the call before decides stands in the part about that. */
        if (row->levels_kind == LEVELS_BY_PREDECESSOR && !run->studying.given->all)
            continue;
        if (shown == LEVELS_SHOWN && !run->studying.given->all) {
            left++;
            continue;
        }
        if (!shown++)
            section_put_words("More than one level:", style, out);
        /* "perf-read.read, static: 1,014 in 40 % of processes, 1,508 in 60 %" */
        bool by_process = row->levels_kind == LEVELS_BY_PROCESS;
        size_t processes = 0;
        for (size_t j = 0; j < row->level_count; j++)
            processes += row->levels[j].processes;
        overhead_put_row_call(&run->file, row, &words);
        for (size_t j = 0; j < row->level_count; j++) {
            const struct overhead_level *level = &row->levels[j];
            text_printf(&words, "%s %s in ", j ? "," : ":", OVERHEAD_COST(level->median));
            overhead_put_share(by_process && processes
                                   ? (double)level->processes / (double)processes
                                   : level->share,
                               &words);
            text_puts(&words, j ? "" : by_process ? " of processes" : " of calls");
        }
        if (row->levels_kind == LEVELS_BY_PREDECESSOR)
            text_puts(&words, ", by what was called before");
        section_put_item(text_string(&words), style, out);
    }
    if (left) {
        AUTO_TEXT struct text words = {0};
        text_printf(&words, "and %zu more (--all)", left);
        section_put_item(text_string(&words), style, out);
    }
}

/* --- one machine and meter --- */

static void put_group(const struct overhead_run *run, const struct overhead_row *first,
                      bool *folded, const struct style *style, struct text *out)
{
    static const struct column columns[] = {{.title = "call"},
                                            {.title = "min", .right = true},
                                            {.title = "median", .right = true},
                                            {.title = "p99", .right = true}};
    const struct overhead_report *report = &run->report;
    AUTO_MEMORY struct usual *usual = memory_new(report->row_count, sizeof(*usual));
    struct table table = {.columns = columns, .column_count = 4};
    size_t count = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *chosen = &report->rows[i];
        if (!overhead_same_group(chosen, first) || !overhead_is_usual(run, i))
            continue;
        if (!run->studying.given->all && overhead_is_folded(run, i))
            *folded = true;
        else
            usual[count++] = (struct usual){
                chosen, overhead_kind_order(run->file.operations[chosen->operation].kind)};
    }
    if (!count)
        return;
    qsort(usual, count, sizeof(*usual), by_kind);
    overhead_put_heading(run, "What a call costs", first->meter, first->machine, style, out);
    for (size_t i = 0; i < count; i++) {
        AUTO_TEXT struct text call = {0};
        overhead_put_row_call(&run->file, usual[i].row, &call);
        table_add(&table, TONE_PLAIN, text_string(&call));
        overhead_add_cost(&table, TONE_PLAIN, usual[i].row->min);
        overhead_add_cost(&table, TONE_STRONG, usual[i].row->median);
        overhead_add_cost(&table, TONE_PLAIN, usual[i].row->p99);
    }
    table_put(&table, style, out);
    table_free(&table);
    put_all_levels(run, usual, count, style, out);
}

static void overhead_put_calls(const struct overhead_run *run, const struct style *style,
                               struct text *out)
{
    const struct overhead_report *report = &run->report;
    size_t before = out->length;
    bool folded = false;
    for (size_t i = 0; i < report->row_count; i++)
        /* Instructions vary little: another table has their medians, and this one with --all. */
        if (OVERHEAD_LEADS(report->rows, i) &&
            (run->studying.given->all || !overhead_counts_code(report->rows[i].meter)))
            put_group(run, &report->rows[i], &folded, style, out);
    if (out->length > before)
        section_printf(style, out,
                       "warm calls (all was called before) with one counter; p99: 99 of 100 are "
                       "below%s",
                       folded ? "; link modes within 5 % of the one shown have no line" : "");
}

/* ----------------------------------------------------------------------------------------------
 * What the meter itself costs, how fine it counts, and how often somebody else used the core. */

static void put_meters(const struct overhead_run *run, const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "meter"},
        {.title = "costs", .right = true},
        {.title = "from", .right = true},
        {.title = "to", .right = true},
        {.title = "step", .right = true},
        {.title = "passes", .right = true},
        {.title = "disturbed", .right = true},
        {.title = "above", .right = true},
        {.title = "usual", .right = true},
    };
    const struct overhead_report *report = &run->report;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = 0; i < report->timer_count; i++) {
        const struct overhead_timer *timer = &report->timers[i];
        const struct overhead_gauge *gauge =
            overhead_gauge_of(report, timer->machine, timer->meter);
        const bool gauged = gauge && gauge->known;
        AUTO_TEXT struct text meter = {0}, share = {0};
        text_puts(&meter, timer->meter->event);
        overhead_put_machine(&run->file, timer->machine, &meter);
        overhead_put_share(gauged ? gauge->share : 0, &share);
        table_add(&table, TONE_PLAIN, text_string(&meter));
        overhead_add_cost(&table, TONE_STRONG, timer->known ? timer->cost : NAN);
        overhead_add_cost(&table, TONE_PLAIN, timer->known ? timer->low : NAN);
        overhead_add_cost(&table, TONE_PLAIN, timer->known ? timer->high : NAN);
        overhead_add_cost(&table, TONE_PLAIN, timer->resolution > 0 ? timer->resolution : NAN);
        overhead_add_cost(&table, TONE_PLAIN, gauged ? (double)gauge->passes : NAN);
        table_add(&table, TONE_PLAIN, gauged ? text_string(&share) : "-");
        overhead_add_cost(&table, TONE_PLAIN, gauged ? gauge->limit : NAN);
        overhead_add_cost(&table, TONE_PLAIN, gauged ? gauge->usual : NAN);
    }
    table_put(&table, style, out);
    table_free(&table);
    section_put_words("costs: reading it around a call, taken off every figure (-: not known, it "
                      "is in every figure), of 95 % of processes from, to; step: in which it "
                      "counts; disturbed: passes through the calls, left out above, in which the "
                      "gauge, a block of additions, took more than the limit (above)",
                      style, out);
}

static void overhead_put_metering(const struct overhead_run *run, const struct style *style,
                                  struct text *out)
{
    const struct overhead_report *report = &run->report;
    if (!report->calls || (!report->timer_count && !report->gauge_count))
        return;
    section_put_heading("Metering", style, out);
    put_meters(run, style, out);
    for (size_t i = 0; i < run->file.machine_count; i++) {
        /* Why ticks of an emulated machine are not instructions. */
        uint32_t index = (uint32_t)i;
        AUTO_TEXT struct text words = {0};
        if (!run->file.machines[index].tick_why.count)
            continue;
        text_puts(&words, "ticks");
        overhead_put_machine(&run->file, index, &words);
        text_puts(&words, " are not instructions: ");
        reasons_put(&run->file.machines[index].tick_why, &words);
        section_put_words(text_string(&words), style, out);
    }
    /* A meter that counts occupies counters of its own. */
    bool counted = false;
    for (size_t i = 0; i < report->timer_count; i++) {
        const struct overhead_meter *meter = report->timers[i].meter;
        counted |= meter->unit != METER_TICKS && meter->unit != METER_NS;
    }
    if (counted)
        section_put_words("Meters that are counters of the CPU are open beside those of the call "
                          "and read in user code, without a system call.",
                          style, out);
    for (size_t i = 0; i < report->gauge_count; i++) {
        const struct overhead_gauge *gauge = &report->gauges[i];
        AUTO_TEXT struct text words = {0};
        if (!gauge->known || gauge->share == 0 || !gauge->why.count)
            continue;
        text_puts(&words, "disturbed");
        overhead_put_machine(&run->file, gauge->machine, &words);
        text_puts(&words, ": ");
        reasons_put(&gauge->why, &words);
        section_put_words(text_string(&words), style, out);
    }
}

/* --- the first lines --- */

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

static void overhead_put_measured(const struct overhead_run *run, const struct style *style,
                                  struct text *out)
{
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    char calls[NUMBER_SIZE], processes[NUMBER_SIZE];
    number_count(report->calls, calls, sizeof(calls));
    number_count(report->processes, processes, sizeof(processes));
    deliver_put_machine(run->studying.facts, style, out);
    for (size_t i = 1; i < run->file.machine_count; i++) {
        text_puts(&words, "and");
        overhead_put_machine(&run->file, (uint32_t)i, &words);
        section_put_words(text_string(&words), style, out);
        text_clear(&words);
    }
    if (report->calls) {
        text_printf(&words, "%s calls in %s processes", calls, processes);
        if (!run->studying.given->froms.count)
            text_printf(&words, ", %.1f s", run->studying.seconds);
        /* "in ticks", "in instructions in user mode, instructions of the kernel": every meter once.
         */
        size_t named = 0;
        for (size_t i = 0; i < report->timer_count; i++) {
            bool new = true;
            for (size_t j = 0; j < i && new; j++)
                new = !overhead_same_meter(report->timers[i].meter, report->timers[j].meter);
            if (!new)
                continue;
            text_puts(&words, named++ ? ", " : "; metered in ");
            text_put_clean(&words, overhead_unit(report->timers[i].meter));
        }
        /* "; counters of page-faults": every event that was started, stopped or read. */
        size_t shown = 0;
        for (size_t i = 0; i < report->row_count; i++) {
            const char *counted = report->rows[i].counted;
            bool fresh = counted && *counted;
            for (size_t j = 0; j < i && fresh; j++)
                fresh = !overhead_same_word(counted, report->rows[j].counted);
            if (!fresh)
                continue;
            text_puts(&words, shown++ ? ", " : "; counters of ");
            text_put_clean(&words, counted);
        }
    } else {
        text_puts(&words, "No call was metered.");
    }
    section_put_words(text_string(&words), style, out);
    put_emulated(&run->file, style, out);
}

static void overhead_put_advice(const struct overhead_run *run, const struct style *style,
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
        reasons_put(&report->advice[i].text, &words);
        section_put_item(text_string(&words), style, out);
    }
}

/* --- what could not be measured --- */

/* Tours that failed for a reason that was not said. */
static void put_failed(const struct overhead_run *run, const struct omissions *said,
                       const struct style *style, struct text *out)
{
    const struct overhead_case *file = &run->file;
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
    failed_put(processes, tours, "tour", reason, style, out);
}

static void overhead_put_absences(const struct overhead_run *run, const struct style *style,
                                  struct text *out)
{
    const struct overhead_case *file = &run->file;
    AUTO_TEXT struct text lines = {0};
    struct omissions omissions = {0};
    omissions_add_skips(&omissions, &run->studying.skips);
    size_t skipped = omissions.count;
    for (size_t i = 0; i < file->absence_count; i++)
        omissions_add(&omissions, skipped, file->absences[i].what, file->absences[i].reason);
    /* Where nothing works, what to do about it is the answer. */
    omissions.brief = !run->studying.given->all && run->report.calls;
    omissions_put(&omissions, run->studying.given->all, style, &lines);
    put_failed(run, &omissions, style, &lines);
    out->failed |= lines.failed;
    if (lines.length) {
        section_put_heading("Could not be measured", style, out);
        text_puts(out, text_string(&lines));
    }
}

/* --- the end --- */

/* Machines are laid side by side to be compared; what each is like for itself comes with --all, or
 * when it is judged alone. */
static void put_parts(const struct overhead_run *run, const struct style *style, struct text *out)
{
    static overhead_part *const each[] = {
        overhead_put_advice, overhead_put_calls,  overhead_put_machines, overhead_put_predecessors,
        overhead_put_cold,   overhead_put_sweeps, overhead_put_peers,    overhead_put_metering,
    };
    if (run->file.machine_count > 1 && !run->studying.given->all) {
        overhead_put_machines(run, style, out);
        section_put_words("First calls, predecessors, slopes and peers of each machine come with "
                          "--all, and where it is judged alone.",
                          style, out);
        return;
    }
    for (size_t i = 0; i < sizeof(each) / sizeof(*each); i++)
        each[i](run, style, out);
}

void overhead_put_report(const void *kept, const struct style *style, struct text *out)
{
    const struct overhead_run *run = kept;
    const struct claims claims = {.list = run->report.findings,
                                  .count = OVERHEAD_FINDINGS,
                                  .paper = "overhead",
                                  .terse = true,
                                  .brief = true,
                                  .all = run->studying.given->all};
    overhead_put_measured(run, style, out);
    put_parts(run, style, out);
    claims_put(&claims, style, out);
    overhead_put_absences(run, style, out);
    studying_put_end(&run->studying, "overhead",
                     run->studying.given->all
                         ? NULL
                         : "--all shows every variant, pair and reason, --json every figure.",
                     style, out);
}
