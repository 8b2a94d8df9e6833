/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay clocks`: clocks -> watches -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/study.h"
#include "output/json.h"
#include "output/table.h"
#include "studies/clocks/plan.h"
#include "studies/clocks/study.h"

struct clocks_options {
    struct study_options study;
    struct string_list clock; /* names, or a user's own (wire/watch.h) added to all others */
    struct string_list workload;
    bool quick;
};

/* One execution of the command. */
struct clocks_run {
    struct studying studying;
    /* --- the plan --- */
    struct string_list names; /* candidates of the catalogue that were asked for */
    struct clocks_own *own;   /* those that a person brought along */
    size_t own_count;
    struct clocks_scope scope;
    struct clocks_plan plan;
    /* --- looks from outside --- */
    bool outside;                                /* the controller is another machine */
    const char *outside_look[CELL_MAX_COUNTERS]; /* what the driver reads, without the controller's
                                                    two columns */
    size_t outside_count;
    ptrdiff_t outside_cell; /* index in the plan; -1: not there yet */
    /* --- what it says --- */
    struct clocks_case file;
    struct clocks_report report;
};

static inline const struct clocks_options *clocks_asked(const struct clocks_run *run)
{
    return (const struct clocks_options *)run->studying.options;
}

/* --- measuring (measure.c) --- */

/* Reads every clock that a person brought along, once: one that cannot be read would spoil every
 * look that it is part of. Tells how long a reading takes. */
int clocks_try_own(struct clocks_run *run, struct failure *failure);
/* Clocks and absences go into a new store; an unfinished one is checked, and its cells become the
 * plan's. */
int clocks_put(void *kept, struct failure *failure);
/* Can the run go on, by when the machine was booted? -ESTALE says why not. */
int clocks_check_boot(const struct clocks_run *run, struct failure *failure);
int clocks_adopt(void *kept, struct failure *failure);
/* Is the controller another machine, and what does it look at then? */
void clocks_find_outside(struct clocks_run *run);
/* Several looks, which go into the store as one process of the cell of looks from outside. */
int clocks_look_from_outside(void *kept);

/* --- for people, and for programs --- */
void clocks_put_report(const void *kept, const struct style *style, struct text *out);
json_t *clocks_results_json(const void *kept);
json_t *clocks_analysis_json(const void *kept);
/* Rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *clocks_figures(const void *kept);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay clocks` shows, for people and for programs, and what they share. Each
 * part for people is a paragraph, a table or a plot, or nothing where nothing of it was measured.
 */

/* --- one clock --- */
/* All that the judge says of one clock; a part that said nothing is not known. */
struct clock_seen {
    const struct clock_known *clock;
    struct clock_scale scale;
    struct clock_cost cost;
    struct clock_granularity granularity;
    struct clock_monotonic monotonic;
    struct clock_offsets offsets;
    struct clock_same same;
    const struct clock_rate *rates;      /* CLOCK_MOST_RATES, or NULL */
    const struct clock_rate *rate;       /* the one that says most: against something independent
                                            before anything else; NULL: none is known */
    const struct clock_verdict *verdict; /* NULL: it was not judged */
};
struct clock_seen clocks_seen(const struct clocks_run *run, size_t index);
/* A clock of the machine that is judged: no place, no stolen time, and not the controller's. */
bool clocks_is_judged(const struct clocks_run *run, size_t index);
/* Name of the clock; "?" for an index that leads nowhere. */
const char *clocks_name(const struct clocks_case *file, uint32_t clock);
/* The row in which it deviates most; NULL: it was not compared. */
const struct clock_row *clocks_worst_row(const struct clocks_run *run,
                                         const struct clock_verdict *verdict);
/* Of a ratio of intervals: the end of its range that is farther from 1. */
double clocks_worse(double low, double high);

/* --- words --- */
/* 1.000002, 0.0003, 3.4: as many digits as tell how far from 1. */
void clocks_ratio(double ratio, char *text, size_t size);
/* +0.3, -120; signed. */
void clocks_ppm(double ppm, char *text, size_t size);
/* "+0.3 ±0.1" ppm, bounds where asked for; "×0.08" of what it claims where that is far off. */
void clocks_put_rate(const struct clock_rate *rate, bool bounds, struct text *out);
/* "sleep", "compute, 2 threads", "sleep, moved": what an interval was. */
void clocks_put_interval(const struct clock_row *row, struct text *out);

/* --- which clocks, where there is room for a few --- */
#define CLOCKS_FEW 4u
/* By usefulness: a person's own, then dependable ones first, cheap before dear. */
uint32_t *clocks_by_use(const struct clocks_run *run, size_t *count);
/* Unlike each other: a person's own, the CPU's counter, the clock that programs usually read, one
 * of CPU time, and some that are not dependable for more than coarse steps. Returns how many. */
size_t clocks_few(const struct clocks_run *run, uint32_t few[CLOCKS_FEW]);

/* --- figures, in the order in which a page has them; any may be without rows --- */
typedef json_t *clocks_figure(const struct clocks_run *run);
clocks_figure clocks_sleeps_figure, clocks_sleep_errors_figure, clocks_offsets_figure,
    clocks_rates_figure;

/* --- for people, in the order in which they are shown --- */
typedef void clocks_part(const struct clocks_run *run, const struct style *style, struct text *out);
clocks_part clocks_put_summary, clocks_put_table, clocks_put_workloads, clocks_put_pairs;
