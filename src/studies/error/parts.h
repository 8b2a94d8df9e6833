/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay error`: events -> wishes -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/study.h"
#include "machine/check.h"
#include "output/field.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "studies/error/plan.h"
#include "studies/error/study.h"

struct error_options {
    struct study_options study;
    struct string_list event, path;
    bool full;
    struct optional runs, processes;
    int64_t cpu;
};

/* One execution of the command. */
struct error_run {
    struct studying studying;
    /* --- the plan --- */
    struct tried_events tried;
    struct error_event *events; /* those that open, for the study */
    struct error_study study;
    /* --- what came of it --- */
    struct error_case file;
    struct error_report report;
    struct error_check {
        const struct check *check;
        struct advice advice;
    } * checks; /* what `doctor` says that bears on this study: bad, then warn */
    size_t check_count;
};

/* --- for people; kept: the struct error_run --- */
void error_put_report(const void *kept, const struct style *style, struct text *out);
/* --- for programs (fields.c) --- */
extern const struct field error_results;
extern const struct fields error_analysis;
/* Rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *error_figures(const void *kept);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay error` shows, and what they share. Each part is a paragraph or a table
 * with a heading, or one line that says why there is none. */

extern const char *const error_part_names[PART_COUNT]; /* "null", "stepped" … */

/* --- words --- */
/* "instructions", "ticks", "ns", "system calls": what an event's counts are counts of. */
const char *error_unit(const char *event, const char *base);
/* A paragraph. */
void error_put_words(const struct style *style, struct text *out, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What names of stores say without harm to a terminal. */
const char *error_clean(const char *name);
/* The event, "instructions:u, stepped" where it was counted by execution. */
const char *error_event_told(const char *event, bool stepped);
/* " on NAME" where there are several machines. */
const char *error_on(const struct error_case *file, uint32_t machine);
/* "perf-read read-read", and "on NAME" where there are several machines. */
const char *error_way(const struct error_case *file, uint32_t machine, const char *path,
                      enum pattern pattern);
/* What the best path adds to the same event; NaN: none was measured. */
double error_best_window(const struct error_report *report, const struct error_cell *cell);
/* A table, and its columns. */
#define WORDS(heading)  .title = (heading)
#define NUMBER(heading) .title = (heading), .right = true
#define TABLE_OF(list)  .columns = (list), .column_count = sizeof(list) / sizeof(*(list))
/* Numbers where they are printed. */
#define BRIEF(value)  number_brief(value, (char[NUMBER_SIZE]){""}, NUMBER_SIZE)
#define WHOLE(value)  number_count(value, (char[NUMBER_SIZE]){""}, NUMBER_SIZE)
#define SIGNED(value) number_signed(value, (char[NUMBER_SIZE]){""}, NUMBER_SIZE)
#define SIGNIFICANT(value, digits)                                                                 \
    number_significant(value, digits, (char[NUMBER_SIZE]){""}, NUMBER_SIZE)
/* Does no run of slopes that are alike deviate, and nothing of them grow? */
typedef bool error_alike(const struct error_slope *left, const struct error_slope *right);
bool error_is_constant(const struct error_report *report, const struct error_slope *like,
                       error_alike *alike);
/* Was a counter of the CPU measured at all? */
bool error_has_cpu_counter(const struct error_case *file);
/* One process a cell leaves nothing to compare with. */
bool error_is_untested(const struct error_anova *anova);

/* The rows of a list (fields.c) that are wanted (NULL: all) as plain tables, one of each machine.
 * item: what has the list. */
typedef bool error_wanted(const struct error_report *report, const void *row);
void error_put_rows(const struct error_run *run, const struct field *list, const void *item,
                    error_wanted *wanted, const struct style *style, struct text *out);

/* --- parts, in the order in which they are shown --- */
typedef void error_put_part(const struct error_run *run, const struct style *style,
                            struct text *out);
error_put_part error_put_advice, error_put_best, error_put_null, error_put_factors,
    error_put_counters, error_put_stepped, error_put_duration, error_put_placement,
    error_put_multiplex, error_put_tools;

/* ----------------------------------------------------------------------------------------------
 * The parts of the figures of `assay error`, and what they share. Each part appends its figures
 * where there is something to draw. */

#define ERROR_PAPER "Zaparanuks et al. 2009, "

typedef void error_figures_part(const struct error_run *run, json_t *figures);
error_figures_part error_add_factor_figure; /* Section 4.3 */
error_figures_part error_add_slope_figures; /* Figures 7 and 8 */
error_figures_part error_add_size_figures;  /* Figure 9 */
error_figures_part error_add_place_figures; /* Figures 11 and 12 */

/* The first column of every figure; error_append_figure takes it away where there is one machine.
 */
#define ERROR_MACHINE_COLUMN(role) "machine", "machine", role, true
json_t *error_machine_json(const struct error_case *file, uint32_t machine);
/* words: its caption; NULL: it has one. */
void error_append_figure(const struct error_run *run, json_t *figures, json_t *figure,
                         const struct text *words);
