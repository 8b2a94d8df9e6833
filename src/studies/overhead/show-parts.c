/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Part by part, for people: machines side by side; what changes the cost of a call: what was called
 * before, whether it is the first, how many there are; and other interfaces. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "output/table.h"
#include "studies/overhead/parts.h"

/* ----------------------------------------------------------------------------------------------
 * Calls as lines; user mode, kernel and both as columns where one machine was measured, machines in
 * the order of their kernels' versions where several were. */

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

static void put_sheet(const struct sheet *sheet, bool several, const struct style *style,
                      struct text *out)
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
    table_put(&table, style, out);
    table_free(&table);
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
    put_sheet(sheet, false, style, out);
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
    for (size_t i = 0; i < sheet->column_count; i++)
        snprintf(sheet->columns[i].title, TITLE_SIZE, "machine %zu", i + 1);
    put_sheet(sheet, true, style, out);
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

/* ----------------------------------------------------------------------------------------------
 * What stood before a call and changed what it costs. */

#define ROWS_SHOWN 4u

struct pair {
    const struct overhead_row *row, *usual;
    double ratio;
};

bool overhead_is_pair(const struct overhead_row *row, const struct overhead_row *usual)
{
    return !row->all_predecessors && row->predecessor >= 0 && row->runs &&
           row->temperature == usual->temperature && overhead_same_call(row, usual) &&
           row->events == usual->events && row->separate == usual->separate &&
           row->reads == usual->reads && overhead_same_word(row->link, usual->link) &&
           overhead_same_word(row->counted, usual->counted);
}

static int by_size(const void *left, const void *right)
{
    double a = fabs(log(((const struct pair *)left)->ratio)),
           b = fabs(log(((const struct pair *)right)->ratio));
    return (a < b) - (a > b);
}

/* Pairs that matter, the largest first; *looked: how many there are at all. */
static struct pair *find_pairs(const struct overhead_run *run, const struct overhead_row *first,
                               size_t *count, size_t *looked)
{
    const struct overhead_report *report = &run->report;
    struct pair *pairs = NULL;
    *count = *looked = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *usual = &report->rows[i];
        if (!overhead_same_group(usual, first) || !overhead_is_usual(run, i) ||
            (!run->studying.given->all && overhead_is_folded(run, i)))
            continue;
        for (size_t j = 0; j < report->row_count; j++) {
            const struct overhead_row *row = &report->rows[j];
            if (!overhead_is_pair(row, usual))
                continue;
            (*looked)++;
            double apart = fabs(row->median - usual->median);
            /* What is within the smallest step of the meter is no difference. */
            const struct overhead_timer *timer =
                overhead_timer_of(report, row->machine, row->meter);
            if (usual->median > 0 && apart > OVERHEAD_TOLD * usual->median &&
                apart > (timer ? timer->resolution : 0) &&
                (row->low > usual->median || row->high < usual->median))
                *memory_add(pairs, *count) = (struct pair){row, usual, row->median / usual->median};
        }
    }
    if (pairs)
        qsort(pairs, *count, sizeof(*pairs), by_size);
    return pairs;
}

/* Does a pair that is shown read a counter right after it was stopped? */
static bool reads_after_stop(const struct overhead_case *file, const struct pair *pairs,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct overhead_row *row = pairs[i].row;
        const struct overhead_operation *call = &file->operations[row->operation];
        const struct overhead_operation *before = &file->operations[row->predecessor];
        if (overhead_same_word(call->kind, "read") && overhead_same_word(before->kind, "stop") &&
            overhead_same_word(call->instrument, before->instrument))
            return true;
    }
    return false;
}

static void put_pairs(const struct overhead_run *run, const struct overhead_row *first,
                      const struct style *style, struct text *out)
{
    size_t count = 0, looked = 0;
    AUTO_MEMORY struct pair *pairs = find_pairs(run, first, &count, &looked);
    AUTO_TEXT struct text words = {0};
    if (!looked)
        return;
    overhead_put_heading(run, "What the call before changes", first->meter, first->machine, style,
                         out);
    if (!count) {
        text_printf(&words,
                    "Nothing: in none of %zu pairs does a call cost 5 %% more or less after one "
                    "call than after all of them.",
                    looked);
    } else {
        static const struct column columns[] = {
            {.title = "call"},
            {.title = "straight after"},
            {.title = "costs", .right = true},
            {.title = "usually", .right = true},
            {.title = "times", .right = true},
        };
        struct table table = {.columns = columns,
                              .column_count = sizeof(columns) / sizeof(*columns)};
        size_t shown = run->studying.given->all || count < ROWS_SHOWN ? count : ROWS_SHOWN;
        for (size_t i = 0; i < shown; i++) {
            AUTO_TEXT struct text call = {0};
            overhead_put_row_call(&run->file, pairs[i].row, &call);
            table_add(&table, TONE_PLAIN, text_string(&call));
            table_add(&table, TONE_PLAIN, overhead_before(&run->file, pairs[i].row->predecessor));
            overhead_add_cost(&table, TONE_STRONG, pairs[i].row->median);
            overhead_add_cost(&table, TONE_PLAIN, pairs[i].usual->median);
            table_addf(&table, TONE_PLAIN, "%.2f", pairs[i].ratio);
        }
        table_put(&table, style, out);
        table_free(&table);
        text_printf(&words,
                    "%zu of %zu pairs of calls cost more than 5 %% more or less than usual, the "
                    "median over all calls before",
                    count, looked);
        if (count > ROWS_SHOWN && !run->studying.given->all)
            text_printf(&words, "; the %u largest are shown", ROWS_SHOWN);
        if (reads_after_stop(&run->file, pairs, count))
            text_puts(&words, ". After a stop, a read is one of a counter that does not run.");
    }
    section_put_words(text_string(&words), style, out);
}

/* Times; where there are none what the kernel executes, which varies. */
static bool is_pair_shown(const struct overhead_run *run, const struct overhead_row *row)
{
    if (run->studying.given->all || !overhead_counts_code(row->meter))
        return true;
    const char *mode = overhead_has_clock(&run->report, row->machine) ? "uk" : "k";
    return overhead_is_emulated(&run->file, row->machine) &&
           overhead_same_word(row->meter->mode, mode);
}

void overhead_put_predecessors(const struct overhead_run *run, const struct style *style,
                               struct text *out)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->row_count; i++)
        if (OVERHEAD_LEADS(report->rows, i) && is_pair_shown(run, &report->rows[i]))
            put_pairs(run, &report->rows[i], style, out);
}

/* ----------------------------------------------------------------------------------------------
 * What the first calls of a fresh process cost, and the page faults in them. JSON has every
 * predecessor, and what the first call adds with its interval. */

#define FEW_NAMED 4u
#define LEAST     5u  /* processes of times; what is emulated varies little */
#define NEWS      2.0 /* times */

/* Of each variant of a call the cell where nothing of its instrument was called before, else the
 * first; of enough processes that a figure is worth showing. */
static bool is_told(const struct overhead_run *run, const struct overhead_cold *cold)
{
    const struct overhead_report *report = &run->report;
    const size_t least =
        run->studying.given->all || overhead_is_emulated(&run->file, cold->machine) ? 1 : LEAST;
    if (cold->processes < least)
        return false;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *other = &report->cold[i];
        if (other != cold && other->processes >= least && overhead_same_call(other, cold) &&
            (other->opening == cold->opening ? other < cold : other->opening))
            return false;
    }
    return true;
}

/* Reads, and what costs twice as much the first time; the rest comes with --all. */
static bool is_news(const struct overhead_run *run, const struct overhead_cold *cold)
{
    return run->studying.given->all ||
           overhead_same_word(run->file.operations[cold->operation].kind, "read") ||
           !isfinite(cold->warm) || cold->first >= NEWS * cold->warm;
}

/* False: there is nothing to say of it. */
static bool put_firsts(const struct overhead_run *run, const struct overhead_cold *like,
                       const struct style *style, struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "first", .right = true},
        {.title = "second", .right = true},
        {.title = "warm", .right = true},
        {.title = "faults", .right = true},
    };
    const struct overhead_report *report = &run->report;
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    size_t told = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        AUTO_TEXT struct text call = {0};
        if (!overhead_same_group(cold, like) || !is_told(run, cold))
            continue;
        told++;
        if (!is_news(run, cold))
            continue;
        overhead_put_called(run, cold, &call);
        table_add(&table, TONE_PLAIN, text_string(&call));
        overhead_add_cost(&table, TONE_STRONG, cold->first);
        overhead_add_cost(&table, TONE_PLAIN, cold->second);
        overhead_add_cost(&table, TONE_PLAIN, cold->warm);
        overhead_add_cost(&table, TONE_PLAIN, cold->faults);
    }
    if (told)
        table_put(&table, style, out);
    else
        section_put_words("Too few fresh processes were measured to tell; a larger --budget has "
                          "more.",
                          style, out);
    table_free(&table);
    return told != 0;
}

/* "240 fresh processes a figure, fewer for papi-high.begin (3)." And how many calls were far above
 * the others, and how many of those the account explains. */
static void put_account(const struct overhead_run *run, const struct overhead_cold *like,
                        const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    AUTO_TEXT struct text words = {0};
    size_t runs = 0, outliers = 0, most = 0, few = 0;
    double explained = 0;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_same_group(cold, like))
            continue;
        runs += cold->runs;
        outliers += cold->outlier_count;
        most = cold->processes > most ? cold->processes : most;
        if (isfinite(cold->outliers_explained))
            explained += cold->outliers_explained * (double)cold->outlier_count;
    }
    text_printf(&words, "%zu fresh process%s a figure", most, most == 1 ? "" : "es");
    for (size_t i = 0; i < report->cold_count && few < FEW_NAMED; i++) {
        const struct overhead_cold *cold = &report->cold[i];
        if (!overhead_same_group(cold, like) || 2 * cold->processes >= most ||
            !is_told(run, cold) || !is_news(run, cold))
            continue;
        text_puts(&words, few++ ? ", " : ", fewer for ");
        overhead_put_called(run, cold, &words);
        text_printf(&words, " (%zu)", cold->processes);
    }
    text_puts(&words, few == FEW_NAMED ? " and others. " : ". ");
    if (runs && outliers) {
        text_puts(&words, "Far above the rest: ");
        overhead_put_share((double)outliers / (double)runs, &words);
        text_puts(&words, " of the calls; ");
        overhead_put_share(explained / (double)outliers, &words);
        text_puts(&words, " of these took an unusual page fault or context switch.");
    }
    section_put_words(text_string(&words), style, out);
}

void overhead_put_cold(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool any = false;
    for (size_t i = 0; i < report->cold_count; i++) {
        const struct overhead_cold *like = &report->cold[i];
        if ((overhead_is_half(report, like->meter) && !run->studying.given->all) ||
            !OVERHEAD_LEADS(report->cold, i))
            continue;
        overhead_put_heading(run, "The first calls of a process", like->meter, like->machine, style,
                             out);
        if (put_firsts(run, like, style, out)) {
            put_account(run, like, style, out);
            any = true;
        }
    }
    if (any)
        section_printf(style, out,
                       "warm: the median once all was called before; faults: page faults in a "
                       "first call, on average%s",
                       run->studying.given->all ? ""
                                                : "; calls that cost less than twice as much the "
                                                  "first time have no line");
}

/* ----------------------------------------------------------------------------------------------
 * How cost grows with the number of events, and of reads in a row. */

static bool same_group(const struct overhead_slope *left, const struct overhead_slope *right)
{
    return left->by_reads == right->by_reads && overhead_same_group(left, right);
}

/* Of a call with one variant the variant is no news. */
static bool has_variants(const struct overhead_report *report, const struct overhead_slope *like)
{
    for (size_t i = 0; i < report->slope_count; i++)
        if (same_group(&report->slopes[i], like) &&
            report->slopes[i].operation == like->operation &&
            !overhead_same_word(report->slopes[i].variant, like->variant))
            return true;
    return false;
}

static bool is_bare(const struct overhead_run *run, const struct overhead_slope *slope)
{
    return slope->operation < run->file.operation_count &&
           overhead_same_word(run->file.operations[slope->operation].instrument, "perf");
}

/* Bare calls tell how events add up; libraries where there are no bare ones, and reads metered
 * together, with --all. */
static bool is_sweep_shown(const struct overhead_run *run, const struct overhead_slope *slope)
{
    const struct overhead_report *report = &run->report;
    if (run->studying.given->all)
        return true;
    if (slope->by_reads || overhead_is_half(report, slope->meter))
        return false;
    for (size_t i = 0; i < report->slope_count && !is_bare(run, slope); i++)
        if (same_group(&report->slopes[i], slope) && is_bare(run, &report->slopes[i]))
            return false;
    return true;
}

static void put_sweep(const struct overhead_run *run, size_t first, const struct style *style,
                      struct text *out)
{
    static const struct column columns[] = {
        {.title = "call"},
        {.title = "opened"},
        {.title = "at 1", .right = true},
        {.title = "at most", .right = true},
        {.title = "growth"},
        {.title = "each further", .wraps = true},
    };
    const struct overhead_report *report = &run->report;
    const struct overhead_slope *like = &report->slopes[first];
    struct table table = {.columns = columns, .column_count = sizeof(columns) / sizeof(*columns)};
    for (size_t i = first; i < report->slope_count; i++) {
        const struct overhead_slope *slope = &report->slopes[i];
        if (!same_group(slope, like) || !is_sweep_shown(run, slope))
            continue;
        AUTO_TEXT struct text call = {0}, each = {0}, shape = {0};
        overhead_put_call(overhead_name(&run->file, slope->operation),
                          has_variants(&run->report, slope) ? slope->variant : NULL, &call);
        if (slope->first_apart)
            overhead_put_interval(slope->rest_slope, slope->rest_low, slope->rest_high,
                                  overhead_cost, &each);
        else
            overhead_put_interval(slope->slope, slope->low, slope->high, overhead_cost, &each);
        /* "straight", or the power of the count by which the cost grows; counts that never vary
         * show the smallest bend, which nobody needs to know. */
        if (slope->straight)
            text_puts(&shape, "straight");
        else if (slope->miss <= OVERHEAD_TOLD)
            text_puts(&shape, "nearly");
        else if (slope->first_apart)
            text_puts(&shape, "stepped");
        else if (!isfinite(slope->exponent))
            text_puts(&shape, "bent");
        else
            text_printf(&shape, "n^%.2f", slope->exponent);
        table_add(&table, TONE_PLAIN, text_string(&call));
        table_add(&table, TONE_PLAIN,
                  slope->by_reads   ? ""
                  : slope->separate ? "separate"
                                    : "group");
        overhead_add_cost(&table, TONE_PLAIN, slope->one);
        table_addf(&table, TONE_PLAIN, "%s at %" PRIu32, OVERHEAD_COST(slope->most),
                   slope->most_count);
        table_add(&table, slope->straight ? TONE_PLAIN : TONE_WARN, text_string(&shape));
        table_add(&table, TONE_STRONG, text_string(&each));
    }
    overhead_put_heading(run, like->by_reads ? "Reads in a row" : "More events", like->meter,
                         like->machine, style, out);
    table_put(&table, style, out);
    table_free(&table);
}

void overhead_put_sweeps(const struct overhead_run *run, const struct style *style,
                         struct text *out)
{
    const struct overhead_report *report = &run->report;
    bool events = false, reads = false;
    for (int by_reads = 0; by_reads < 2; by_reads++)
        for (size_t i = 0; i < report->slope_count; i++) {
            bool leads = report->slopes[i].by_reads == (by_reads != 0) &&
                         is_sweep_shown(run, &report->slopes[i]);
            for (size_t j = 0; j < i && leads; j++)
                leads = !is_sweep_shown(run, &report->slopes[j]) ||
                        !same_group(&report->slopes[i], &report->slopes[j]);
            if (leads)
                put_sweep(run, i, style, out);
            events |= leads && !by_reads;
            reads |= leads && by_reads;
        }
    AUTO_TEXT struct text words = {0};
    if (events || reads)
        text_puts(&words, "growth: straight line, nearly (within 5 %), stepped (straight from the "
                          "second on), or a power of the number; each further: what it adds, with "
                          "its 95 % interval. ");
    if (events)
        text_puts(&words, "group: one call for all; separate: one each. ");
    if (reads)
        text_puts(&words, "Reads in a row: what all of them cost together.");
    if (words.length)
        section_put_words(text_string(&words), style, out);
}

/* ----------------------------------------------------------------------------------------------
 * What other interfaces cost in units of the bare calls, which stand beside them. */

/* Three digits. */
static const char *write_ratio(double ratio, char text[NUMBER_SIZE])
{
    snprintf(text, NUMBER_SIZE, "%.*f", ratio < 10 ? 2 : ratio < 100 ? 1 : 0, ratio);
    return text;
}

static bool same_peers(const struct overhead_peer *left, const struct overhead_peer *right)
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
static bool is_peer_shown(const struct overhead_run *run, size_t index)
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
        if (stands_for && same_peers(other, peer) &&
            (fabs(other->ratio - peer->ratio) <= OVERHEAD_TOLD * fabs(other->ratio) ||
             (other->low <= peer->high && peer->low <= other->high)))
            return false;
    }
    return true;
}

/* Of a task with one line the link mode is no news. */
static bool has_peer_variants(const struct overhead_run *run, const struct overhead_peer *peer)
{
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->peer_count; i++)
        if (&report->peers[i] != peer && same_task(&report->peers[i], peer) &&
            is_peer_shown(run, i))
            return true;
    return false;
}

/* In one table: against the same bare calls; without --all, whatever each is held against. */
static bool same_table(const struct overhead_run *run, const struct overhead_peer *left,
                       const struct overhead_peer *right)
{
    return run->studying.given->all ? same_peers(left, right) : overhead_same_group(left, right);
}

static void put_peers(const struct overhead_run *run, size_t first, const struct style *style,
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
        if (!same_table(run, peer, like) || !is_peer_shown(run, i))
            continue;
        AUTO_TEXT struct text call = {0}, ratio = {0};
        overhead_put_call(peer->path, has_peer_variants(run, peer) ? peer->variant : NULL, &call);
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
        bool leads = is_peer_shown(run, i);
        for (size_t j = 0; j < i && leads; j++)
            leads =
                !is_peer_shown(run, j) || !same_table(run, &report->peers[i], &report->peers[j]);
        if (leads)
            put_peers(run, i, style, out);
        any |= leads;
    }
    if (any)
        section_put_words("bare: the same by perf-read, or by the path named above; of a command, "
                          "it alone. times: with 95 % interval; of calls, the median of the "
                          "ratios within processes where one made both",
                          style, out);
}
