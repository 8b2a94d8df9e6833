/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay repeat`: programs -> executions -> samples in a store -> judgement -> show.
 */
#pragma once

#include "engine/executed.h"
#include "engine/study.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "studies/repeat/plan.h"

struct repeat_options {
    struct study_options study;
    struct string_list event, source;
    struct string_list control;    /* those that "controlled" has on; none: all */
    struct string_list no_control; /* all but these */
    struct string_list sweep;
    struct string_list bring; /* files for the machine under test */
    struct string_list keep;  /* variables */
    struct string_list suite; /* INI files, "open" for the one that comes with assay */
    const char *input, *directory;
    struct optional runs, cpu;
    uint64_t timeout; /* ms */
    bool install, quick, show_output, no_subjects;
};

/* One execution of `assay repeat`. */
struct repeating {
    struct studying studying;
    /* --- the user's command, as it was given or as the store has it --- */
    char *joined;            /* its words as one line; NULL: there is none */
    char *input, *directory; /* NULL: none */
    /* --- what is wished for --- */
    struct tried_events tried;
    struct repeat_study study;
    struct repeat_plan plan;
    /* --- while it measures --- */
    struct executed *executed; /* sums of the visit under way; NULL: there were none yet */
    bool ran;                  /* stretches of it came */
    bool showing;              /* what the program writes is still passed on */
    /* --- what came out --- */
    struct repeat_case file;
    struct repeat_report report;
    int status; /* how the user's command ended, as wire/command.h says; -1: there was none */
    int ending; /* the exit code that follows from it */
};

static inline const struct repeat_options *repeat_asked(const struct repeating *run)
{
    return (const void *)run->studying.options;
}

/* --- measuring: negative errno, with the reason in failure --- */

/* The user's command and suites, and what they need on the machine under test. */
int repeat_find_programs(struct repeating *run, struct failure *failure);
/* Who counts, and what. */
int repeat_find_sources(struct repeating *run, struct failure *failure);
/* Entries of the study (engine/study.h). */
int repeat_put(void *kept, struct failure *failure);
int repeat_recall(void *kept, struct failure *failure);
int repeat_measure(void *kept);
/* What could not be measured becomes rows of `skips`, by the reason. */
void repeat_collect_skips(struct repeating *run);
/* How the user's command ended, by the executions of the case: says what is to be said of it, and
 * refuses to show one that could not be started. */
void repeat_find_ending(struct repeating *run);

/* --- what it looks like: for people, for programs, and as rows and kinds of pictures --- */
void repeat_put_report(const void *shown, const struct style *style, struct text *out);
json_t *repeat_results_json(const void *shown);
json_t *repeat_analysis_json(const void *shown);
json_t *repeat_figures(const void *shown);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay repeat` shows, for people and for programs, and what they share. Each
 * part for people is a paragraph, a table or a plot, or nothing where nothing of it was measured.
 */

/* --- which programs --- */

/* Is it what a person asked for? Subjects that a study adds of itself are not; where there are but
 * subjects, the first is if it was the command, and all are where there was none. */
bool repeat_is_own(const struct repeating *run, size_t program);
/* Is this program shown in detail: one alone, or with --all? */
bool repeat_is_detailed(const struct repeating *run, size_t program);
/* Program of a row, or of an index that leads nowhere: NULL. */
const struct repeat_cell *repeat_cell_of(const struct repeating *run, const struct repeat_row *row);
/* The row of this index; NULL: there is none. */
const struct repeat_row *repeat_row_at(const struct repeating *run, size_t index);

/* --- which rows --- */

/* Of all effects of a program the one that says most: one with several runs before one without,
 * instructions before all else, by the CPU's own counter, then by the source that disturbs least.
 * NULL: there is none. */
const struct repeat_effect *repeat_leading(const struct repeating *run, size_t machine,
                                           size_t program);
/* How many runs have the count that most of them have. */
size_t repeat_alike(const struct repeating *run, const struct repeat_row *row);
/* The name of its event, "?" where there is none. */
const char *repeat_event_of(const struct repeating *run, const struct repeat_row *row);

/* --- words --- */

/* Its name, "?" where there is none. */
const char *repeat_program_name(const struct repeating *run, size_t program);
const char *repeat_machine_name(const struct repeating *run, size_t machine);
/* " on NAME" where there are several machines. */
void repeat_put_machine(const struct repeating *run, size_t machine, struct text *out);
/* Numbers as people read them, and settings, where they are printed. */
/* "0.83", "0.0012", "0": percent, two digits that say something; "-" for what is no number. */
char *repeat_percent(double percent, char text[NUMBER_SIZE]);
/* 1,318,002: whole; of what is small "3.4". */
char *repeat_number(double value, char text[NUMBER_SIZE]);
/* The same with a sign. */
char *repeat_difference(double value, char text[NUMBER_SIZE]);
#define REPEAT_PERCENT(value)    repeat_percent(value, (char[NUMBER_SIZE]){""})
#define REPEAT_NUMBER(value)     repeat_number(value, (char[NUMBER_SIZE]){""})
#define REPEAT_DIFFERENCE(value) repeat_difference(value, (char[NUMBER_SIZE]){""})
#define REPEAT_SETTING(controls) setting_name(controls, (char[200]){""}, 200)

/* --- figures (figures-sources.c; the others are only of figures.c); any may be without rows --- */
typedef json_t *repeat_figure(const struct repeating *run);
repeat_figure repeat_causes_figure, repeat_sources_figure, repeat_repetitions_figure,
    repeat_machines_figure;
json_t *repeat_sweep_figure(const struct repeating *run, enum command_sweep kind);
/* Of a column with the machine: a picture for each where there are several. */
enum figure_role repeat_machine_role(const struct repeating *run);
/* Does the row count instructions with every repetition of string instructions? It goes as the
 * instructions do. */
bool repeat_counts_repetitions(const struct repeating *run, const struct repeat_row *row);
/* Is the row one of the sweep's points? */
bool repeat_is_point(const struct repeating *run, const struct repeat_sweep *sweep,
                     const struct repeat_row *row);

/* --- for people (show-table.c; the others are only of show.c) --- */
typedef void repeat_part(const struct repeating *run, const struct style *style, struct text *out);
repeat_part repeat_put_table, repeat_put_controls, repeat_put_sweeps, repeat_put_system,
    repeat_put_ranking;
