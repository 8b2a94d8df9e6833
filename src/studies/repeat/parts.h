/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay repeat`: programs -> executions -> samples in a store -> judgement -> show.
 */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/executed.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/repeat/plan.h"
#include "studies/repeat/study.h"
#include "studies/repeat/suite.h"

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

/* What a struct repeat_run_of looks like (engine/finish.h): for people, … */
void repeat_put_report(const void *shown, const struct style *style, struct text *out);
/* … for programs, … */
json_t *repeat_results_json(const void *shown);
json_t *repeat_analysis_json(const void *shown);
json_t *repeat_findings_json(const void *shown);
/* … and as rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *repeat_figures(const void *shown);

/* ----------------------------------------------------------------------------------------------
 * One execution of `assay repeat`, for those of its parts that measure. */

struct repeating {
    struct repeat_run_of run; /* what showing needs */
    /* With --resume: what the run began with, and what it goes on with. */
    struct repeat_options begun, resumed;
    uint64_t begun_budget; /* ms */
    int64_t started;       /* monotonic ms */
    /* --- the user's command, as it was given or as the store has it --- */
    const char *const *words;
    size_t word_count;       /* 0: there is none */
    char *joined;            /* its words as one line; NULL until they were joined */
    char *input, *directory; /* NULL: none */
    /* --- the machine; stored runs that are judged again have neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    /* --- the plan --- */
    struct suite *suites;
    size_t suite_count;
    struct tried_events tried;
    struct repeat_wanted *programs;
    size_t program_count;
    struct repeat_source *sources;
    size_t source_count;
    struct repeat_study study;
    struct repeat_plan plan;
    struct store *store; /* NULL: nothing can be measured; of several the first */
    /* --- while it measures --- */
    struct executed *executed; /* sums of the visit under way; NULL: there were none yet */
    bool ran;                  /* stretches of it came */
    bool showing;              /* what the program writes is still passed on */
    bool given_up;             /* the user's command cannot be started, or never ends */
    int refusal;               /* errno of its first execution, where that failed */
};

extern const struct command command_repeat;

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* The user's command and suites, and what they need on the machine under test. */
int repeat_find_programs(struct repeating *repeating);
/* A new store with events, subjects and absences in it. */
int repeat_create_store(struct repeating *repeating);
/* --resume: an unfinished one, and what it began with; when the plan was made, its cells become the
 * plan's. */
int repeat_reopen_store(struct repeating *repeating);
int repeat_adopt_store(struct repeating *repeating);
/* --from: loads every store that was named. */
int repeat_open_from(struct repeating *repeating);
/* Execution after execution, as far as the budget goes. */
int repeat_measure(struct repeating *repeating);
/* What could not be measured becomes rows of `skips`, by the reason. -ENOMEM. */
int repeat_collect_skips(struct repeating *repeating);
/* How the user's command ended, by the executions of the case: says what is to be said of it. The
 * exit code. */
int repeat_exit(struct repeating *repeating, int status);

/* The parts of these: negative errno, with the reason in failure. */

int repeat_find_sources(struct repeating *repeating, struct failure *failure);
/* "perf_event", or "" of REPEAT_PLAIN. */
const char *repeat_source_name(const struct repeating *repeating, size_t source);

/* Exit codes below 125 are the command's: whatever of ours failed is 125. */
int repeat_fail(const struct failure *failure);
int repeat_ours(int status);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay repeat` shows, for people and for programs, and what they share. Each
 * part for people is a paragraph, a table or a plot, or nothing where nothing of it was measured.
 */

/* --- which programs --- */

/* Is it what a person asked for? Subjects that a study adds of itself are not; where there are but
 * subjects, the first is if it was the command, and all are where there was none. */
bool repeat_is_own(const struct repeat_run_of *run, size_t program);
/* Is this program shown in detail: one alone, or with --all? */
bool repeat_is_detailed(const struct repeat_run_of *run, size_t program);
/* Program of a row, or of an index that leads nowhere: NULL. */
const struct repeat_cell *repeat_cell_of(const struct repeat_run_of *run,
                                         const struct repeat_row *row);
/* The row of this index; NULL: there is none. */
const struct repeat_row *repeat_row_at(const struct repeat_run_of *run, size_t index);

/* --- which rows --- */

/* Of all effects of a program the one that says most: one with several runs before one without,
 * instructions before all else, by the CPU's own counter, then by the source that disturbs least.
 * NULL: there is none. */
const struct repeat_effect *repeat_leading(const struct repeat_run_of *run, size_t machine,
                                           size_t program);
/* How many runs have the count that most of them have. */
size_t repeat_alike(const struct repeat_run_of *run, const struct repeat_row *row);
/* The name of its event, "?" where there is none. */
const char *repeat_event_of(const struct repeat_run_of *run, const struct repeat_row *row);

/* --- words --- */

/* Its name, "?" where there is none. */
const char *repeat_program_name(const struct repeat_run_of *run, size_t program);
const char *repeat_machine_name(const struct repeat_run_of *run, size_t machine);
/* " on NAME" where there are several machines. */
void repeat_put_machine(const struct repeat_run_of *run, size_t machine, struct text *out);
/* "0.83", "0.0012", "0": percent, two digits that say something; "-" for what is no number. */
void repeat_percent(double percent, char *text, size_t size);
/* 1,318,002: whole; of what is small "3.4". */
void repeat_number(double value, char *text, size_t size);
/* The same with a sign. */
void repeat_difference(double value, char *text, size_t size);

/* --- figures (figures-sources.c; the others are only of figures.c); any may be without rows --- */
typedef json_t *repeat_figure(const struct repeat_run_of *run);
repeat_figure repeat_environment_figure, repeat_stack_figure, repeat_addresses_figure,
    repeat_causes_figure, repeat_sources_figure, repeat_repetitions_figure, repeat_machines_figure;
/* Of a column with the machine: a picture for each where there are several. */
enum figure_role repeat_machine_role(const struct repeat_run_of *run);
/* Does the row count instructions with every repetition of string instructions? It goes as the
 * instructions do. */
bool repeat_counts_repetitions(const struct repeat_run_of *run, const struct repeat_row *row);
/* Is the row one of the sweep's points? */
bool repeat_is_point(const struct repeat_run_of *run, const struct repeat_sweep *sweep,
                     const struct repeat_row *row);

/* --- for people (show-table.c; the others are only of show.c) --- */
typedef void repeat_part(const struct repeat_run_of *run, const struct style *style,
                         struct text *out);
repeat_part repeat_put_table, repeat_put_controls, repeat_put_sweeps, repeat_put_system,
    repeat_put_ranking;
