/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words and numbers that the parts of `assay overhead` share. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cli/overhead-show.h"
#include "judge/overhead/clock.h"
#include "judge/overhead/figures.h"
#include "show/utf8.h"

const char *overhead_name(const struct overhead_case *file, uint32_t operation)
{
    return operation < file->operation_count ? file->operations[operation].name : "?";
}

bool overhead_is_told(const char *name, const char *variant)
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

bool overhead_differ_in_version_only(const struct overhead_case *file)
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
    if (!meter)
        return "ns";
    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (meter->unit == units[i].unit && overhead_same_word(meter->mode, units[i].mode))
            return units[i].words;
    return meter->unit < METER_EVENTS ? meter_unit_names[meter->unit] : meter->event;
}

void overhead_cost(double value, char *text, size_t size)
{
    number_brief(fabs(value) >= 100 ? rint(value) : value + 0.0, text, size);
}

void overhead_put_interval(double value, double low, double high, struct text *out)
{
    char words[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
    overhead_cost(value, words, sizeof(words));
    overhead_cost(low, from, sizeof(from));
    overhead_cost(high, to, sizeof(to));
    text_puts(out, words);
    bool wide = strcmp(from, words) != 0 || strcmp(to, words) != 0;
    if (wide && isfinite(low) && isfinite(high))
        text_printf(out, " (%s to %s)", from, to);
}

void overhead_put_range(double low, double high, struct text *out)
{
    char from[NUMBER_SIZE], to[NUMBER_SIZE];
    overhead_cost(low, from, sizeof(from));
    overhead_cost(high, to, sizeof(to));
    text_puts(out, from);
    if (strcmp(from, to) != 0)
        text_printf(out, " to %s", to);
}

void overhead_put_share(double share, struct text *out)
{
    double percent = 100 * share;
    if (percent == 0 || percent >= 1)
        text_printf(out, "%.0f %%", percent);
    else
        text_printf(out, "%.1g %%", percent);
}

bool overhead_same_word(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "") == 0;
}

bool overhead_is_like_meter(const struct overhead_meter *left, const struct overhead_meter *right)
{
    return left && right ? overhead_same_meter(left, right) : left == right;
}

bool overhead_counts_code(const struct overhead_meter *meter)
{
    return meter && (meter->unit == METER_INSTRUCTIONS || meter->unit == METER_EVENTS);
}

bool overhead_is_half(const struct overhead_report *report, const struct overhead_meter *meter)
{
    for (size_t i = 0; meter && i < report->total_count; i++)
        if (report->totals[i].unit == meter->unit &&
            !overhead_is_like_meter(&report->totals[i], meter))
            return true;
    bool one_mode =
        meter && (overhead_same_word(meter->mode, "u") || overhead_same_word(meter->mode, "k"));
    for (size_t i = 0; one_mode && i < report->timer_count; i++)
        if (report->timers[i].meter && overhead_is_clock(report->timers[i].meter) &&
            meter->unit == METER_INSTRUCTIONS)
            return true;
    return false;
}

bool overhead_hides_switches(const struct overhead_report *report)
{
    for (size_t i = 0; i < report->row_count; i++)
        if (report->rows[i].meter && overhead_misses_switches(report, &report->rows[i]))
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

static bool same_call(const struct overhead_row *left, const struct overhead_row *right)
{
    return left->machine == right->machine && left->operation == right->operation &&
           overhead_is_like_meter(left->meter, right->meter) &&
           overhead_same_word(left->variant, right->variant);
}

bool overhead_is_usual(const struct overhead_run *run, size_t index)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_row *row = &report->rows[index];
    if (!is_summary(row) || !is_instrument(&run->file, row->operation))
        return false;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *other = &report->rows[i];
        if (i == index || !is_summary(other) || !same_call(row, other))
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

bool overhead_is_folded(const struct overhead_run *run, size_t index)
{
    const struct overhead_row *rows = run->report.rows, *row = &rows[index];
    for (size_t i = 0; i < index; i++)
        if (rows[i].machine == row->machine && rows[i].operation == row->operation &&
            overhead_is_like_meter(rows[i].meter, row->meter) && overhead_is_usual(run, i) &&
            !overhead_rows_differ(&rows[i], row))
            return true;
    return false;
}

bool overhead_leads(const struct overhead_run *run, size_t index)
{
    const struct overhead_row *rows = run->report.rows;
    for (size_t i = 0; i < index; i++)
        if (rows[i].machine == rows[index].machine &&
            overhead_is_like_meter(rows[i].meter, rows[index].meter))
            return false;
    return true;
}

bool overhead_rows_differ(const struct overhead_row *left, const struct overhead_row *right)
{
    double most = fabs(left->median) > fabs(right->median) ? left->median : right->median;
    return fabs(left->median - right->median) > OVERHEAD_TOLD * fabs(most) &&
           (left->low > right->high || right->low > left->high);
}
