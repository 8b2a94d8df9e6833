/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay clocks`: clocks -> watches -> samples in a store -> judgement -> show. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/skips.h"
#include "studies/clocks/study.h"
#include "engine/session.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"

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
/* Rows and kinds of pictures (show/figure.h), as a page shows them. */
json_t *clocks_figures(const struct clocks_run *run);
