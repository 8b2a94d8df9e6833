/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay overhead`: operations -> tours -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/skips.h"
#include "studies/overhead/study.h"
#include "engine/session.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"

struct overhead_options {
    struct common_options common;
    struct string_list path, meter, from;
    const char *store;
    const char *counted; /* NULL: the plan chooses what opens */
    bool resume, full, all;
    uint64_t budget; /* ms; 0: nobody said */
    struct optional processes;
    int64_t cpu;
    struct seed seed;
};

/* One execution of the command, as far as showing needs it; who measures keeps more of its own. */
struct overhead_run {
    const struct overhead_options *options;
    uint64_t seed, budget; /* ms */
    const struct facts *facts;
    char fingerprint[33];
    struct skips skips;
    bool complete;      /* every visit of the plan has ended */
    const char *stored; /* file of the samples; NULL: nothing could be measured, or several were
                           judged again */
    struct overhead_case file;
    struct overhead_report report;
    double seconds; /* that it all took */
};

extern const struct command command_overhead;

/* --- for people --- */
void overhead_put_report(const struct overhead_run *run, const struct style *style,
                         struct text *out);
/* --- for programs --- */
json_t *overhead_results_json(const struct overhead_run *run);
json_t *overhead_analysis_json(const struct overhead_run *run);
json_t *overhead_findings_json(const struct overhead_run *run);
/* Rows and kinds of pictures (show/figure.h), as a page shows them. */
json_t *overhead_figures(const struct overhead_run *run);
