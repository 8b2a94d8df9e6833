/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls as lines; user mode, kernel and both as columns where one machine was measured, machines
 * in the order of their kernels' versions where several were. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "output/table.h"
#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * What other interfaces cost in units of the bare calls, which stand beside them. */

/* Three digits. */
static const char *write_ratio(double ratio, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, "%.*f", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
    return text;
}

static bool same_group(const struct overhead_peer *left, const struct overhead_peer *right)
{
    return overhead_same_group(left, right) && strcmp(left->bare_path, right->bare_path) == 0;
}

static bool same_task(const struct overhead_peer *left, const struct overhead_peer *right)
{
    return overhead_same_group(left, right) && overhead_same_word(left->path, right->path) &&
           overhead_same_word(left->what, right->what);
}

static bool is_inline(const struct overhead_peer *peer)
{
    return strcmp(peer->bare_path, "perf-syscall") == 0;
}

static bool is_static(const struct overhead_peer *peer)
{
    return overhead_same_word(peer->variant, "static");
}

/* Against calls of libc where both were measured, both modes together, and link modes only where
 * they tell something else; --all has the rest. */
static bool is_shown(const struct overhead_run *run, size_t index)
{
    const struct overhead_report *report = &run->report;
    const struct overhead_peer *peer = &report->peers[index];
    if (run->studying.given->all)
        return true;
    if (overhead_is_half(report, peer->meter))
        return false;
    for (size_t i = 0; i < report->peer_count; i++) {
        const struct overhead_peer *other = &report->peers[i];
        if (i == index || !same_task(other, peer))
            continue;
        if (is_inline(peer) && !is_inline(other))
            return false;
        bool stands_for = is_static(other) == is_static(peer) ? i < index : is_static(other);
        if (stands_for && same_group(other, peer) &&
            (fabs(other->ratio - peer->ratio) <= OVERHEAD_TOLD * fabs(other->ratio) ||
             (other->low <= peer->high && peer->low <= other->high)))
            return false;
    }
    return true;
}

/* Of a task with one line the link mode is no news. */
static bool has_variants(const struct overhead_run *run, const struct overhead_peer *peer)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->peer_count; i++)
        if (&report->peers[i] != peer && same_task(&report->peers[i], peer) && is_shown(run, i))
            return true;
    return false;
}

/* In one table: against the same bare calls; without --all, whatever each is held against. */
static bool same_table(const struct overhead_run *run, const struct overhead_peer *left,
                       const struct overhead_peer *right)
{
    return run->studying.given->all ? same_group(left, right) : overhead_same_group(left, right);
}

static void put_group(const struct overhead_run *run, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "path"},
        {.title = "for"},
        {.title = "costs", .right = true},
        {.title = "bare", .right = true},
        {.title = "times", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_peer *like = &report->peers[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    AUTO_TEXT struct text heading = {0};
    for (size_t i = first; i < report->peer_count; i++) {
        const struct overhead_peer *peer = &report->peers[i];
        if (!same_table(run, peer, like) || !is_shown(run, i))
            continue;
        AUTO_TEXT struct text call = {0}, ratio = {0};
        overhead_put_call(peer->path, has_variants(run, peer) ? peer->variant : NULL, &call);
        if (isfinite(peer->ratio))
            overhead_put_interval(peer->ratio, peer->low, peer->high, write_ratio, &ratio);
        table_add(&table, TONE_PLAIN, text_string(&call));
        table_add(&table, TONE_PLAIN, peer->what);
        overhead_add_cost(&table, TONE_PLAIN, peer->cost);
        overhead_add_cost(&table, TONE_PLAIN, peer->bare);
        table_add(&table, TONE_STRONG, ratio.length ? text_string(&ratio) : "-");
    }
    text_printf(&heading, "Other interfaces against %s, in %s",
                run->studying.given->all ? like->bare_path : "bare calls",
                overhead_unit(like->meter));
    overhead_put_machine(&run->file, like->machine, &heading);
    section_put_heading(text_string(&heading), style, out);
    table_put(&table, style, out);
    table_free(&table);
}

void overhead_put_peers(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (size_t i = 0; i < report->peer_count; i++) {
        bool leads = is_shown(run, i);
        for (size_t j = 0; j < i && leads; j++)
            leads = !is_shown(run, j) || !same_table(run, &report->peers[i], &report->peers[j]);
        if (leads)
            put_group(run, i, style, out);
        any |= leads;
    }
    if (any)
        section_put_words("bare: the same by perf-read, or by the path named above; of a command, "
                          "it alone. times: with 95 % interval; of calls, the median of the "
                          "ratios within processes where one made both",
                          style, out);
}

/* --- calls by machine --- */

#define COLUMNS_MOST 64u
#define TITLE_SIZE   32u
#define ALIKE        0.01 /* figures of variants that share a line */
#define TABLE_MOST   (COLUMNS_MOST + 3u)

/* What a figure of a machine is of. */
struct measure {
    enum meter_unit unit;
    const char *mode;
};

struct placed {
    struct measure measure;
    uint32_t machine;
    const char *version; /* of the machine's kernel */
    char title[TITLE_SIZE];
};

struct sheet {
    const struct overhead_run *run;
    struct placed columns[COLUMNS_MOST];
    size_t column_count;
};

static struct measure measure_of(const struct overhead_machine_row *row)
{
    return (struct measure){row->meter->unit, row->meter->mode};
}

static bool same_measure(struct measure left, struct measure right)
{
    return left.unit == right.unit && overhead_same_word(left.mode, right.mode);
}

static const char *mode_words(const char *mode)
{
    static const struct {
        const char *mode, *words;
    } modes[] = {{"u", "user"}, {"k", "kernel"}, {"uk", "together"}};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
        if (overhead_same_word(mode, modes[i].mode))
            return modes[i].words;
    return "counted";
}

/* --- lines: a call each --- */

static bool same_call(const struct overhead_machine_row *left,
                      const struct overhead_machine_row *right)
{
    return left->operation == right->operation && overhead_same_word(left->variant, right->variant);
}

static const struct overhead_machine_row *find(const struct sheet *sheet,
                                               const struct overhead_machine_row *call,
                                               const struct placed *column)
{
    const struct overhead_report *report = &sheet->run->report;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (row->machine == column->machine && same_call(row, call) &&
            same_measure(measure_of(row), column->measure))
            return row;
    }
    return NULL;
}

static double figure(const struct sheet *sheet, const struct overhead_machine_row *call,
                     size_t column)
{
    const struct overhead_machine_row *row = find(sheet, call, &sheet->columns[column]);
    return row ? row->median : NAN;
}

static bool has_figures(const struct sheet *sheet, const struct overhead_machine_row *call)
{
    for (size_t i = 0; i < sheet->column_count; i++)
        if (isfinite(figure(sheet, call, i)))
            return true;
    return false;
}

/* Would both lines show the same? */
static bool looks_alike(const struct sheet *sheet, const struct overhead_machine_row *left,
                        const struct overhead_machine_row *right)
{
    if (left->operation != right->operation)
        return false;
    for (size_t i = 0; i < sheet->column_count; i++) {
        double one = figure(sheet, left, i), other = figure(sheet, right, i);
        bool missing = isnan(one) || isnan(other);
        double limit = sheet->run->studying.given->all ? 0 : ALIKE * fmax(fabs(one), fabs(other));
        if (missing ? isnan(one) != isnan(other) : fabs(one - other) > limit)
            return false;
    }
    return true;
}

/* Do all variants of the call, of which there are several, share one line? */
static bool stands_for_all(const struct sheet *sheet, const struct overhead_machine_row *call)
{
    const struct overhead_report *report = &sheet->run->report;
    bool several = false;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (row->operation != call->operation || !has_figures(sheet, row))
            continue;
        if (!looks_alike(sheet, row, call))
            return false;
        several |= !overhead_same_word(row->variant, call->variant);
    }
    return several;
}

/* "perf-read.read, static, lazy": variants that show the same share a line, and are not named where
 * there are no others. False: the call has its place in one before. */
static bool put_calls(const struct sheet *sheet, size_t index, struct text *out)
{
    const struct overhead_report *report = &sheet->run->report;
    const struct overhead_machine_row *list = report->machines, *call = &list[index];
    AUTO_TEXT struct text name = {0};
    for (size_t i = 0; i < index; i++)
        if (same_call(&list[i], call) || looks_alike(sheet, &list[i], call))
            return false;
    text_printf(&name, "%s.%s", call->path, call->kind);
    if (!sheet->run->studying.given->all && stands_for_all(sheet, call)) {
        text_put_clean(out, text_string(&name));
        return true;
    }
    overhead_put_call(text_string(&name), call->variant, out);
    for (size_t i = index + 1; i < report->machine_row_count; i++) {
        bool fresh = looks_alike(sheet, &list[i], call) && !same_call(&list[i], call);
        for (size_t j = index; j < i && fresh; j++)
            fresh = !same_call(&list[i], &list[j]);
        if (fresh) {
            text_puts(out, ", ");
            text_put_clean(out, list[i].variant);
        }
    }
    return true;
}

/* Appends the table if it fits; where it is the last resort in any case. */
static bool put_sheet(const struct sheet *sheet, bool several, bool anyway,
                      const struct style *style, struct text *out)
{
    struct column columns[TABLE_MOST] = {{.title = "call"}};
    for (size_t i = 0; i < sheet->column_count; i++)
        columns[1 + i] = (struct column){.title = sheet->columns[i].title, .right = true};
    if (several)
        columns[1 + sheet->column_count] = (struct column){.title = "apart", .right = true};
    struct table table = {.columns = columns,
                          .column_count = 1 + sheet->column_count + (several ? 1 : 0)};
    const struct overhead_report *report = &sheet->run->report;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        AUTO_TEXT struct text call = {0};
        if (!has_figures(sheet, &report->machines[i]) || !put_calls(sheet, i, &call))
            continue;
        table_add(&table, TONE_PLAIN, text_string(&call));
        for (size_t j = 0; j < sheet->column_count; j++)
            overhead_add_cost(&table, TONE_PLAIN, figure(sheet, &report->machines[i], j));
        if (several) {
            /* How far the machines of a line are apart: the highest over the lowest, where any
             * differs beyond what processes do. */
            double least = INFINITY, most = -INFINITY;
            bool differs = false;
            size_t count = 0;
            for (size_t k = 0; k < sheet->column_count; k++) {
                const struct overhead_machine_row *placed =
                    find(sheet, &report->machines[i], &sheet->columns[k]);
                if (!placed || !isfinite(placed->median))
                    continue;
                least = placed->median < least ? placed->median : least;
                most = placed->median > most ? placed->median : most;
                differs |= placed->differs;
                count++;
            }
            if (count < 2 || !(least > 0))
                table_add(&table, TONE_DIM, "-");
            else if (differs)
                table_addf(&table, TONE_STRONG, "%.2f", most / least);
            else
                table_add(&table, TONE_PLAIN,
                          most > (1 + OVERHEAD_TOLD) * least ? "unsure" : "alike");
        }
    }
    bool fits = anyway || table_width(&table) <= style->width;
    if (fits)
        table_put(&table, style, out);
    table_free(&table);
    return fits;
}

/* --- columns --- */

static int by_version(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    int order = strverscmp(a->version, b->version);
    return order ? order : (a->machine > b->machine) - (a->machine < b->machine);
}

static bool has_column(const struct sheet *sheet, struct measure measure, uint32_t machine)
{
    for (size_t i = 0; i < sheet->column_count; i++)
        if (sheet->columns[i].machine == machine &&
            same_measure(sheet->columns[i].measure, measure))
            return true;
    return false;
}

/* Do versions of kernels alone tell the machines apart? */
static bool are_versions_enough(const struct overhead_case *file)
{
    for (size_t i = 0; i < file->machine_count; i++)
        for (size_t j = 0; j < i; j++)
            if (overhead_same_word(file->machines[i].os, file->machines[j].os))
                return false;
    return true;
}

/* By the versions, or by numbers that a line below explains. */
static void write_titles(struct sheet *sheet, bool numbered)
{
    /* How much all versions have in common at their ends, from the last hyphen: "-arm64". */
    const char *end = sheet->column_count ? strrchr(sheet->columns[0].version, '-') : NULL;
    size_t common = end ? strlen(end) : 0;
    for (size_t i = 0; i < sheet->column_count && common; i++) {
        size_t whole = strlen(sheet->columns[i].version);
        if (whole <= common || strcmp(sheet->columns[i].version + whole - common, end) != 0)
            common = 0;
    }
    for (size_t i = 0; i < sheet->column_count; i++) {
        struct placed *column = &sheet->columns[i];
        AUTO_TEXT struct text clean = {0};
        text_put_clean(&clean, column->version);
        int length = (int)(clean.length > common ? clean.length - common : clean.length);
        if (numbered)
            snprintf(column->title, TITLE_SIZE, "machine %zu", i + 1);
        else
            snprintf(column->title, TITLE_SIZE, "%.*s",
                     length < (int)TITLE_SIZE ? length : (int)TITLE_SIZE - 1, text_string(&clean));
    }
}

/* --- tables --- */

static void put_one_machine(const struct overhead_run *run, const struct style *style,
                            struct text *out)
{
    AUTO_MEMORY struct sheet *sheet = memory_new(1, sizeof(*sheet));
    sheet->run = run;
    /* One machine: what was metered of the code it executes, beside each other. */
    const struct overhead_report *report = &sheet->run->report;
    static const char *const order[] = {"u", "k", "uk", ""};
    for (size_t mode = 0; mode < sizeof(order) / sizeof(*order); mode++)
        for (size_t i = 0; i < report->machine_row_count; i++) {
            const struct overhead_machine_row *row = &report->machines[i];
            struct measure measure = measure_of(row);
            if (!(measure.unit == METER_INSTRUCTIONS || measure.unit == METER_EVENTS) ||
                !overhead_same_word(measure.mode, order[mode]) ||
                has_column(sheet, measure, row->machine) || sheet->column_count == COLUMNS_MOST)
                continue;
            struct placed *column = &sheet->columns[sheet->column_count++];
            *column = (struct placed){.measure = measure, .machine = row->machine};
            snprintf(column->title, TITLE_SIZE, "%s", mode_words(measure.mode));
        }
    if (!sheet->column_count)
        return;
    bool emulated = overhead_is_emulated(&run->file, sheet->columns[0].machine);
    AUTO_TEXT struct text heading = {0};
    text_printf(&heading, "What a call executes, in %s%s",
                meter_unit_names[sheet->columns[0].measure.unit], emulated ? " (emulated)" : "");
    section_put_heading(text_string(&heading), style, out);
    put_sheet(sheet, false, true, style, out);
    section_put_words(
        "medians of warm calls, over all that stood before; variants within 1 % share a line",
        style, out);
}

static void put_measure(const struct overhead_run *run, struct measure measure,
                        const struct style *style, struct text *out)
{
    AUTO_MEMORY struct sheet *sheet = memory_new(1, sizeof(*sheet));
    AUTO_TEXT struct text heading = {0};
    sheet->run = run;
    const struct overhead_report *report = &sheet->run->report;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        const struct overhead_machine_row *row = &report->machines[i];
        if (!same_measure(measure_of(row), measure) || has_column(sheet, measure, row->machine) ||
            sheet->column_count == COLUMNS_MOST)
            continue;
        struct placed *column = &sheet->columns[sheet->column_count++];
        const char *version = row->machine < sheet->run->file.machine_count
                                  ? sheet->run->file.machines[row->machine].os
                                  : NULL;
        *column = (struct placed){
            .measure = measure, .machine = row->machine, .version = version ? version : "?"};
    }
    qsort(sheet->columns, sheet->column_count, sizeof(*sheet->columns), by_version);
    const struct overhead_meter meter = {.unit = measure.unit,
                                         .mode = (char *)(uintptr_t)measure.mode};
    text_printf(&heading, "Machines side by side, in %s%s", overhead_unit(&meter),
                overhead_same_word(measure.mode, "uk") ? ", user and kernel" : "");
    section_put_heading(text_string(&heading), style, out);
    write_titles(sheet, false);
    if (are_versions_enough(&run->file) && put_sheet(sheet, true, false, style, out))
        return;
    write_titles(sheet, true);
    put_sheet(sheet, true, true, style, out);
    const struct overhead_case *file = &sheet->run->file;
    for (size_t i = 0; i < sheet->column_count; i++) {
        uint32_t machine = sheet->columns[i].machine;
        AUTO_TEXT struct text words = {0};
        text_printf(&words, "machine %zu is ", i + 1);
        text_put_clean(&words, machine < file->machine_count ? file->machines[machine].name : "?");
        text_puts(&words, ", Linux ");
        text_put_clean(&words, sheet->columns[i].version);
        section_put_words(text_string(&words), style, out);
    }
}

/* Both modes together say most; each by itself comes with --all. */
static bool is_wanted(const struct overhead_run *run, struct measure measure)
{
    const struct overhead_report *report = &run->report;
    if (run->studying.given->all || overhead_same_word(measure.mode, "uk"))
        return true;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        struct measure other = measure_of(&report->machines[i]);
        if (other.unit == measure.unit && overhead_same_word(other.mode, "uk"))
            return false;
    }
    return true;
}

static void put_several(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->machine_row_count; i++) {
        struct measure measure = measure_of(&report->machines[i]);
        bool leads = is_wanted(run, measure);
        for (size_t j = 0; j < i && leads; j++)
            leads = !same_measure(measure, measure_of(&report->machines[j]));
        if (leads)
            put_measure(run, measure, style, out);
    }
    if (!report->machine_row_count)
        return;
    section_put_words("medians of warm calls, variants within 1 % in one line; apart: the dearest "
                      "machine over the cheapest; alike: no more than processes of one machine; "
                      "unsure: too few processes to tell",
                      style, out);
}

/* How much of the first such call the counters saw. */
static void put_hidden(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_machine_row *row = NULL;
    for (size_t i = 0; i < run->report.machine_row_count && !row; i++)
        if (run->report.machines[i].hidden && isfinite(run->report.machines[i].seen) &&
            overhead_same_word(measure_of(&run->report.machines[i]).mode, "uk"))
            row = &run->report.machines[i];
    if (!row)
        return;
    AUTO_TEXT struct text words = {0};
    text_printf(&words,
                "Start and stop are counted by the emulated clock: while the operating system "
                "switches a counter of the CPU it halts all of them, and those that meter saw %s "
                "of the %s instructions of ",
                OVERHEAD_COST(row->seen), OVERHEAD_COST(row->median));
    text_put_clean(&words, row->path);
    text_printf(&words, ".%s. Reads are counted by both alike.", row->kind);
    section_put_words(text_string(&words), style, out);
}

void overhead_put_machines(const struct overhead_run *run, const struct style *style,
                           struct text *out)
{
    size_t before = out->length;
    if (run->file.machine_count > 1)
        put_several(run, style, out);
    else
        put_one_machine(run, style, out);
    if (out->length > before)
        put_hidden(run, style, out);
    if (out->length > before && overhead_hides_switches(&run->report))
        section_put_words("Instructions of start and stop are at least that many: while the "
                          "operating system switches a counter of the CPU it halts all of them, "
                          "and the meters with them. --counted page-faults shows everything that "
                          "such an event takes.",
                          style, out);
}
