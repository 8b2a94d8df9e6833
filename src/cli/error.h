/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay error`: events -> stages of cells -> samples in a store -> judgement ->
 * show. */
#pragma once

#include "base/text.h"
#include "cli/command.h"
#include "cli/skips.h"
#include "judge/error/report.h"
#include "session/session.h"
#include "show/json.h"
#include "show/table.h"
#include "store/store.h"

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
    uint64_t seed, budget; /* ms, 0: no limit */
    int64_t started;       /* monotonic ms */
    /* --- the machine; stored runs that are judged again have neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    const struct facts *facts;
    char fingerprint[33];
    struct skips skips;
    struct store *store;
    bool complete; /* every visit of the plan has ended */
    /* --- what came of it --- */
    struct error_case file;
    struct error_report report;
    double seconds; /* that it all took */
};

/* --- for people --- */
void error_put_report(const struct erring *erring, const struct style *style, struct text *out);
/* --- for programs --- */
json_t *error_results_json(const struct erring *erring);
json_t *error_analysis_json(const struct erring *erring);
json_t *error_findings_json(const struct erring *erring);
