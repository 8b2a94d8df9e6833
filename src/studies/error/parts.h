/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay error`: events -> stages of cells -> samples in a store -> judgement ->
 * show. */
#pragma once

#include "base/text.h"
#include "cli/tried.h"
#include "engine/command.h"
#include "engine/session.h"
#include "engine/skips.h"
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

/* Which events open. */
int error_find_events(struct erring *erring);
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

/* The parts of these: negative errno, with the reason in failure. */

/* The cells that the plan got since the last time, and visits, go into the store. */
int error_store_plan(struct erring *erring, const struct visit *visits, size_t count,
                     struct failure *failure);
/* Which cells failed, by what the store holds. */
int error_learn_failures(struct erring *erring, struct failure *failure);
/* ns that one N of the specimen phases takes, by the cell that calibrates it; 0: not known. */
int error_learn_phases(struct erring *erring, struct failure *failure);
/* What the case says could not be measured becomes rows of `skips`, grouped by reason. */
int error_collect_skips(struct erring *erring);

int error_fail(const struct failure *failure, int status);
int error_out_of_memory(void);

extern const struct command command_error;

/* --- for people --- */
void error_put_report(const struct erring *erring, const struct style *style, struct text *out);
/* --- for programs --- */
json_t *error_results_json(const struct erring *erring);
json_t *error_analysis_json(const struct erring *erring);
json_t *error_findings_json(const struct erring *erring);
/* Rows and kinds of pictures (show/figure.h), as a page shows them. */
json_t *error_figures(const struct erring *erring);
