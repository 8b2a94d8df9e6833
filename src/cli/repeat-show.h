/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of what `assay repeat` shows, for people and for programs, and what they share. Each
 * part for people is a paragraph, a table or a plot, or nothing where nothing of it was measured.
 */
#pragma once

#include "studies/repeat/parts.h"
#include "output/figure.h"
#include "show/number.h"
#include "show/section.h"

/* --- which programs --- */

/* Is it what a person asked for? Subjects that a study adds of itself are not; where there are but
 * subjects, the first is if it was the command, and all are where there was none. */
bool repeat_is_own(const struct repeat_run_of *run, size_t program);
size_t repeat_own_count(const struct repeat_run_of *run);
/* Are there several, so that each has but a line? */
bool repeat_is_suite(const struct repeat_run_of *run);
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

/* "perl hash.pl", or the name of one whose words are too long for a sentence. */
void repeat_put_program(const struct repeat_run_of *run, size_t program, struct text *out);
/* Its name alone. */
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

/* --- for programs --- */
json_t *repeat_effect_json(const struct repeat_run_of *run, const struct repeat_effect *effect);
json_t *repeat_program_json(const struct repeat_run_of *run, size_t program);

/* --- figures, in the order in which a page has them; any may be without rows --- */
typedef json_t *repeat_figure(const struct repeat_run_of *run);
repeat_figure repeat_variation_figure, repeat_spread_figure, repeat_alone_figure,
    repeat_without_figure, repeat_environment_figure, repeat_stack_figure, repeat_addresses_figure,
    repeat_causes_figure, repeat_sources_figure, repeat_repetitions_figure, repeat_machines_figure,
    repeat_contributions_figure, repeat_adjusted_figure, repeat_ranking_figure;
/* Of a column with the machine: a picture for each where there are several. */
enum figure_role repeat_machine_role(const struct repeat_run_of *run);
/* Does the row count instructions? */
bool repeat_counts_instructions(const struct repeat_run_of *run, const struct repeat_row *row);
/* … with every repetition of string instructions? It goes as the instructions do. */
bool repeat_counts_repetitions(const struct repeat_run_of *run, const struct repeat_row *row);
/* Is the row one of the sweep's points? */
bool repeat_is_point(const struct repeat_run_of *run, const struct repeat_sweep *sweep,
                     const struct repeat_row *row);

/* --- for people, in the order in which they are shown --- */
typedef void repeat_part(const struct repeat_run_of *run, const struct style *style,
                         struct text *out);
repeat_part repeat_put_summary, repeat_put_suite, repeat_put_table, repeat_put_controls,
    repeat_put_sweeps, repeat_put_causes, repeat_put_sources, repeat_put_system, repeat_put_ranking,
    repeat_put_machines, repeat_put_absences;
