/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay error`: events -> stages of cells -> samples in a store -> judgement ->
 * show. */
#pragma once

#include <string.h>

#include "base/text.h"
#include "engine/command.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "machine/check.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/error/plan.h"
#include "studies/error/study.h"

struct error_options {
    struct common_options common;
    struct string_list event, path, from;
    const char *store;
    bool resume, full, all;
    uint64_t budget; /* ms; 0: nobody said */
    struct optional runs, processes;
    int64_t cpu;
    struct seed seed;
};

/* One execution of the command. */
struct erring {
    const struct error_options *options;
    /* With --resume: what the run began with, and what it goes on with. */
    struct error_options begun, resumed;
    struct string_list asked; /* events that were named, as options or arguments */
    uint64_t seed, budget;    /* ms, 0: no limit */
    int64_t started;          /* monotonic ms */
    /* --- the machine; stored runs that are judged again have neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    const struct facts *facts;
    char fingerprint[33];
    struct skips skips;
    /* --- the plan --- */
    struct tried_events tried;
    struct error_event *events; /* those that open, for the study */
    struct error_study study;
    struct error_plan plan;
    size_t stored_cells; /* of the plan that are in the store */
    struct store *store; /* NULL: nothing can be measured; of several the first */
    bool complete;       /* every visit of the plan has ended */
    /* --- what came of it --- */
    struct error_case file;
    struct error_report report;
    double seconds; /* that it all took */
};

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* What follows from the events that were tried, and from the catalogue: the study. */
int error_prepare(struct erring *erring);
/* A new store with all events in it; or (--resume) an unfinished one, whose events and cells become
 * the plan's. */
int error_create_store(struct erring *erring);
int error_reopen_store(struct erring *erring);
/* --from: loads every store that was named. */
int error_open_from(struct erring *erring);
/* Stage after stage, as far as the budget goes. */
int error_measure(struct erring *erring);

int error_out_of_memory(void);

extern const struct command command_error;

/* --- for people --- */
void error_put_report(const struct erring *erring, const struct style *style, struct text *out);
/* --- for programs --- */
json_t *error_results_json(const struct erring *erring);
json_t *error_analysis_json(const struct erring *erring);
json_t *error_findings_json(const struct erring *erring);
/* Rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *error_figures(const struct erring *erring);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay error` shows, and what they share. Each part is a paragraph or a table
 * with a heading, or one line that says why there is none. */

extern const char *const error_part_names[PART_COUNT]; /* "null", "stepped" … */

/* --- what `doctor` says that bears on this study, worst first --- */
struct error_check {
    const struct check *check;
    struct advice advice;
};
/* Bad and warn ones; *list is to be freed. -ENOMEM. */
int error_checks(const struct facts *facts, struct error_check **list, size_t *count);

/* --- words --- */
/* "instructions", "ticks", "ns", "system calls": what an event's counts are counts of. */
const char *error_unit(const char *event, const char *base);
/* The event, "instructions:u (stepped)" where it was counted by execution. */
void error_put_event(const char *event, bool stepped, struct text *out);
/* " on NAME" where there are several machines. */
void error_put_machine(const struct error_case *file, uint32_t machine, struct text *out);
/* Does no run of slopes that are alike deviate, and nothing of them grow? */
typedef bool error_alike(const struct error_slope *left, const struct error_slope *right);
bool error_is_constant(const struct error_report *report, const struct error_slope *like,
                       error_alike *alike);
/* A sentence for an empty part, with the reason for which the plan left out `what`. */
void error_put_nothing(const struct erring *erring, const char *words, const char *what,
                       const struct style *style, struct text *out);
/* Was a counter of the CPU measured at all? Else why it could not be, "" where nobody knows. */
bool error_has_cpu_counter(const struct error_case *file);
const char *error_no_counter_reason(const struct error_case *file);
/* Is a part that is empty so for want of a counter? One line then says it of all such parts. */
bool error_is_uncounted(const struct erring *erring, bool empty);

/* --- parts, in the order in which they are shown --- */
void error_put_advice(const struct erring *erring, const struct style *style, struct text *out);
void error_put_best(const struct erring *erring, const struct style *style, struct text *out);
void error_put_boxes(const struct erring *erring, const struct style *style, struct text *out);
/* One process a cell leaves nothing to compare with. */
bool error_is_untested(const struct error_anova *anova);
void error_put_factors(const struct erring *erring, const struct style *style, struct text *out);
void error_put_counters(const struct erring *erring, const struct style *style, struct text *out);
void error_put_stepped(const struct erring *erring, const struct style *style, struct text *out);
void error_put_duration(const struct erring *erring, const struct style *style, struct text *out);
void error_put_placement(const struct erring *erring, const struct style *style, struct text *out);
void error_put_multiplex(const struct erring *erring, const struct style *style, struct text *out);
void error_put_tools(const struct erring *erring, const struct style *style, struct text *out);

/* ----------------------------------------------------------------------------------------------
 * The parts of the figures of `assay error`, and what they share. Each part appends its figures
 * where there is something to draw. */

#define ERROR_PAPER "Zaparanuks et al. 2009, "

typedef void error_figures_part(const struct erring *erring, json_t *figures);
error_figures_part error_add_build_figures; /* -O levels and link modes */
error_figures_part error_add_factor_figure; /* Section 4.3 */
error_figures_part error_add_slope_figures; /* Figures 7 and 8 */
error_figures_part error_add_size_figures;  /* Figure 9 */
error_figures_part error_add_place_figures; /* Figures 11 and 12 */

/* The first column of every figure; error_append_figure takes it away where there is one machine.
 */
#define ERROR_MACHINE_COLUMN(role)                                                                 \
    {                                                                                              \
        "machine", "machine", role, true                                                           \
    }
json_t *error_machine_json(const struct error_case *file, uint32_t machine);
void error_append_figure(const struct erring *erring, json_t *figures, json_t *figure);

/* The event, "instructions:u, stepped" where it was counted by execution. */
json_t *error_event_json(const char *event, bool stepped);
bool error_is_stepped(const struct error_cell *cell);
/* "perf-read read-read", and "on NAME" where there are several machines. */
void error_put_way(const struct error_case *file, uint32_t machine, const char *path,
                   enum pattern pattern, struct text *out);
