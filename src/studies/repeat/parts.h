/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay repeat`: programs -> executions -> samples in a store -> judgement -> show.
 */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/skips.h"
#include "studies/repeat/study.h"
#include "engine/session.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"

struct repeat_options {
    struct common_options common;
    struct string_list event, source;
    struct string_list control;    /* those that "controlled" has on; none: all */
    struct string_list no_control; /* all but these */
    struct string_list sweep;
    struct string_list from;  /* stores to be judged (together) instead of measuring */
    struct string_list bring; /* files for the machine under test */
    struct string_list keep;  /* variables */
    struct string_list suite; /* INI files, "open" for the one that comes with assay */
    const char *store, *input, *directory;
    struct optional runs, cpu;
    uint64_t timeout, budget; /* ms */
    bool install, quick, resume, all, show_output, no_subjects;
    struct seed seed;
};

/* One execution of the command, as far as showing needs it. */
struct repeat_run_of {
    const struct repeat_options *options;
    uint64_t seed, budget; /* ms */
    const struct facts *facts;
    char fingerprint[33];
    struct skips skips;
    bool complete;
    const char *stored; /* file of the samples; NULL: nothing could be measured */
    struct repeat_case file;
    struct repeat_report report;
    double seconds;
    int status; /* how the user's command ended, as wire/command.h says; -1: there was none */
};

/* --- for people --- */
void repeat_put_report(const struct repeat_run_of *run, const struct style *style,
                       struct text *out);
/* --- for programs --- */
json_t *repeat_results_json(const struct repeat_run_of *run);
json_t *repeat_analysis_json(const struct repeat_run_of *run);
json_t *repeat_findings_json(const struct repeat_run_of *run);
/* Rows and kinds of pictures (show/figure.h), as a page shows them. */
json_t *repeat_figures(const struct repeat_run_of *run);
