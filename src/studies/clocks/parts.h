/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay clocks`: clocks -> watches -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/clocks/plan.h"
#include "studies/clocks/study.h"

struct clocks_options {
    struct common_options common;
    struct string_list clock; /* names, or a user's own (wire/watch.h) added to all others */
    struct string_list workload;
    const char *store, *from;
    bool quick, resume, all;
    uint64_t budget; /* ms; 0: nobody said */
    struct seed seed;
};

/* One execution of the command, as far as showing needs it; who measures keeps more of its own. */
struct clocks_run {
    const struct clocks_options *options;
    uint64_t seed, budget; /* ms */
    const struct facts *facts;
    char fingerprint[33];
    struct skips skips;
    bool complete;      /* every visit of the plan has ended */
    bool once;          /* the machine, and with it the zeros of its clocks, ends with the run */
    const char *stored; /* file of the samples; NULL: nothing could be measured */
    struct clocks_case file;
    struct clocks_report report;
    double seconds; /* that it all took */
};

/* --- for people --- */
void clocks_put_report(const struct clocks_run *run, const struct style *style, struct text *out);
/* --- for programs --- */
json_t *clocks_results_json(const struct clocks_run *run);
json_t *clocks_analysis_json(const struct clocks_run *run);
json_t *clocks_findings_json(const struct clocks_run *run);
/* Rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *clocks_figures(const struct clocks_run *run);

/* ----------------------------------------------------------------------------------------------
 * One execution of `assay clocks`, for those of its parts that measure. */

struct watching {
    struct clocks_run run; /* what showing needs */
    /* With --resume: what the run began with, and what it goes on with. */
    struct clocks_options begun, resumed;
    int64_t started; /* monotonic ms */
    /* --- the machine; a stored run that is judged again has neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    /* --- the plan --- */
    struct string_list names; /* candidates of the catalogue that were asked for */
    struct clocks_own *own;   /* those that a person brought along */
    size_t own_count;
    int32_t *cpus;
    struct clocks_study study;
    struct clocks_plan plan;
    struct store *store; /* NULL: nothing can be measured */
    /* --- looks from outside --- */
    bool outside;                                /* the controller is another machine */
    const char *outside_look[CELL_MAX_COUNTERS]; /* what the driver reads, without the controller's
                                                    two columns */
    size_t outside_count;
    ptrdiff_t outside_cell; /* index in the plan; -1: not there yet */
};

extern const struct command command_clocks;

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* Reads every clock that a person brought along, once: one that cannot be read would spoil every
 * look that it is part of. Tells how long a reading takes. */
int clocks_try_own(struct watching *watching);
/* A new store with clocks and absences in it. */
int clocks_create_store(struct watching *watching);
/* --resume: an unfinished one, and what it began with; when the plan was made, its cells become the
 * plan's. */
int clocks_reopen_store(struct watching *watching);
int clocks_adopt_store(struct watching *watching);
/* --from: opens the store that was named. */
int clocks_open_from(struct watching *watching);

/* Is the controller another machine, and what does it look at then? Absences are told. */
void clocks_find_outside(struct watching *watching);
/* Several looks, which go into the store as one process of the cell of looks from outside; context
 * is the watching. */
int clocks_look_from_outside(void *context);

int clocks_fail(const struct failure *failure, int status);
int clocks_out_of_memory(void);

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
/* "31 ns", "1.8 µs", "4 ms", "97 s"; "-" for what is no number. */
void clocks_put_time(double ns, struct text *out);
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
/* By usefulness: a person's own, then dependable ones first, cheap before dear; `order` has room
 * for all clocks. Returns how many. */
size_t clocks_by_use(const struct clocks_run *run, uint32_t *order);
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
