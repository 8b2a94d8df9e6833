/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What each call costs once all was called before, as box plots: by kind, path and variant, over
 * all predecessors; and where there is more than one level. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cli/overhead-show.h"
#include "show/boxes.h"
#include "show/utf8.h"

#define LABEL_SIZE   96u
#define LEVELS_SHOWN 4u

/* The kinds of calls in the order in which a program makes them. */
static const char *const kinds[] = {"start", "begin", "stop", "end", "read", "accum"};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

struct plotted {
    const struct overhead_row *row;
    size_t order; /* of its kind */
};

struct boxing {
    const struct overhead_run *run;
    const struct overhead_row *first; /* of the machine and meter */
    struct plotted *plotted;
    struct box *boxes;
    char (*labels)[LABEL_SIZE];
    size_t count;
    bool folded; /* a variant like another one has no box of its own */
};

size_t overhead_kind_order(const char *kind)
{
    size_t order = 0;
    while (order < KINDS && !overhead_same_word(kind, kinds[order]))
        order++;
    return order;
}

static const struct overhead_operation *operation_of(const struct boxing *boxing,
                                                     const struct overhead_row *row)
{
    return &boxing->run->file.operations[row->operation];
}

/* The cheapest of a kind first. */
static int by_kind(const void *left, const void *right)
{
    const struct plotted *a = left, *b = right;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->row->median != b->row->median)
        return a->row->median < b->row->median ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static void choose_rows(struct boxing *boxing)
{
    const struct overhead_run *run = boxing->run;
    const struct overhead_report *report = &run->report;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct overhead_row *row = &report->rows[i];
        if (row->machine != boxing->first->machine ||
            !overhead_is_like_meter(row->meter, boxing->first->meter) || !overhead_is_usual(run, i))
            continue;
        if (!run->options->all && overhead_is_folded(run, i))
            boxing->folded = true;
        else
            boxing->plotted[boxing->count++] =
                (struct plotted){row, overhead_kind_order(operation_of(boxing, row)->kind)};
    }
    qsort(boxing->plotted, boxing->count, sizeof(*boxing->plotted), by_kind);
}

/* The kind stands before the first of its boxes only. */
static void write_label(struct boxing *boxing, size_t index)
{
    AUTO_TEXT struct text name = {0};
    const struct overhead_row *row = boxing->plotted[index].row;
    const struct overhead_operation *operation = operation_of(boxing, row);
    const char *kind = operation->kind;
    if (index &&
        overhead_same_word(operation_of(boxing, boxing->plotted[index - 1].row)->kind, kind))
        kind = "";
    text_put_clean(&name, operation->path);
    if (overhead_is_told(operation->path, row->variant)) {
        text_putc(&name, ' ');
        text_put_clean(&name, row->variant);
    }
    if (row->events > 1)
        text_printf(&name, " %u", (unsigned)row->events);
    snprintf(boxing->labels[index], LABEL_SIZE, "%-5.16s %.70s", kind, text_string(&name));
}

static double whole(double value)
{
    return fabs(value) >= 100 ? rint(value) : value;
}

static void draw_boxes(struct boxing *boxing)
{
    for (size_t i = 0; i < boxing->count; i++) {
        const struct overhead_row *row = boxing->plotted[i].row;
        write_label(boxing, i);
        boxing->boxes[i] = (struct box){.label = boxing->labels[i],
                                        .min = whole(row->min),
                                        .q1 = whole(row->q1),
                                        .median = whole(row->median),
                                        .q3 = whole(row->q3),
                                        .max = whole(row->p99),
                                        .mark = NAN};
    }
}

/* --- levels --- */

/* "perf-read.read, static: 1,014 in 40 % of processes, 1,508 in 60 %" */
static void put_levels(const struct overhead_case *file, const struct overhead_row *row,
                       struct text *out)
{
    bool by_process = row->levels_kind == LEVELS_BY_PROCESS;
    size_t processes = 0;
    for (size_t i = 0; i < row->level_count; i++)
        processes += row->levels[i].processes;
    overhead_put_row_call(file, row, out);
    for (size_t i = 0; i < row->level_count; i++) {
        const struct overhead_level *level = &row->levels[i];
        char median[NUMBER_SIZE];
        overhead_cost(level->median, median, sizeof(median));
        text_printf(out, "%s %s in ", i ? "," : ":", median);
        overhead_put_share(by_process && processes ? (double)level->processes / (double)processes
                                                   : level->share,
                           out);
        text_puts(out, i ? "" : by_process ? " of processes" : " of calls");
    }
    if (row->levels_kind == LEVELS_BY_PREDECESSOR)
        text_puts(out, ", by what was called before");
}

static void put_all_levels(const struct boxing *boxing, const struct style *style, struct text *out)
{
    size_t shown = 0, left = 0;
    for (size_t i = 0; i < boxing->count; i++) {
        const struct overhead_row *row = boxing->plotted[i].row;
        AUTO_TEXT struct text words = {0};
        if (row->level_count < 2)
            continue;
        /* What the call before decides stands in the part about that. */
        if (row->levels_kind == LEVELS_BY_PREDECESSOR && !boxing->run->options->all)
            continue;
        if (shown == LEVELS_SHOWN && !boxing->run->options->all) {
            left++;
            continue;
        }
        if (!shown++)
            section_put_words("More than one level, which the box spans:", style, out);
        put_levels(&boxing->run->file, row, &words);
        section_put_item(text_string(&words), style, out);
    }
    if (left) {
        AUTO_TEXT struct text words = {0};
        text_printf(&words, "and %zu more (--all)", left);
        section_put_item(text_string(&words), style, out);
    }
}

/* --- one machine and meter --- */

static void put_plot(const struct boxing *boxing, bool *folded, const struct style *style,
                     struct text *out)
{
    static const char *const titles[] = {"min", "median", "p99"};
    AUTO_TEXT struct text heading = {0};
    if (!boxing->count)
        return;
    text_printf(&heading, "What a call costs, in %s", overhead_unit(boxing->first->meter));
    overhead_put_machine(&boxing->run->file, boxing->first->machine, &heading);
    if (overhead_is_emulated(&boxing->run->file, boxing->first->machine))
        text_puts(&heading, " (emulated)");
    section_put_heading(text_string(&heading), style, out);
    boxes_put_titled(boxing->boxes, boxing->count,
                     boxing->first->meter ? meter_unit_names[boxing->first->meter->unit] : "ns",
                     titles, style, out);
    put_all_levels(boxing, style, out);
    if (boxing->folded)
        *folded = true;
}

static bool make_room(struct boxing *boxing, size_t most)
{
    boxing->boxes = calloc(most, sizeof(*boxing->boxes));
    boxing->plotted = calloc(most, sizeof(*boxing->plotted));
    boxing->labels = calloc(most, sizeof(*boxing->labels));
    return boxing->boxes && boxing->plotted && boxing->labels;
}

static void put_group(const struct overhead_run *run, const struct overhead_row *first,
                      bool *folded, const struct style *style, struct text *out)
{
    struct boxing boxing = {.run = run, .first = first};
    if (make_room(&boxing, run->report.row_count)) {
        choose_rows(&boxing);
        draw_boxes(&boxing);
        put_plot(&boxing, folded, style, out);
    } else {
        out->failed = true;
    }
    free(boxing.boxes);
    free(boxing.plotted);
    free(boxing.labels);
}

/* Instructions vary little: a table has them, and boxes with --all. */
static bool is_shown(const struct overhead_run *run, const struct overhead_row *row)
{
    return run->options->all || !overhead_counts_code(row->meter);
}

void overhead_put_boxes(const struct overhead_run *run, const struct style *style, struct text *out)
{
    const struct overhead_report *report = &run->report;
    size_t before = out->length;
    bool folded = false;
    for (size_t i = 0; i < report->row_count; i++)
        if (overhead_leads(run, i) && is_shown(run, &report->rows[i]))
            put_group(run, &report->rows[i], &folded, style, out);
    AUTO_TEXT struct text words = {0};
    text_puts(&words, "warm calls (all was called before) with one counter; box: the middle half; "
                      "whiskers: min to p99, the 99th of a hundred");
    if (folded)
        text_puts(&words, "; link modes within 5 % of the one shown have no line");
    if (out->length > before)
        section_put_words(text_string(&words), style, out);
}
