/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps from the rows of one event to its verdict, and from there to what events say of one
 * another. */
#pragma once

#include "judge/rows.h"

/* One event by itself: rows, explanation, verdict, cause, note. -ENOMEM. */
int judge_event(const struct evidence *evidence, uint64_t seed, struct judgement *judgement);

/* In nearly every process the first run that is judged differs from those after it. */
struct first_runs {
    bool differ;
    size_t processes;
    double error; /* of a first run, relative to what was to be counted: median */
};
struct first_runs compare_first_runs(const struct judgement *judgement);

/* In nearly every process each run counts more (or less) than the one before it. */
struct drift {
    bool found, up;
    size_t processes;
};
struct drift compare_runs_in_turn(const struct judgement *judgement);

/* Strays in so many points and runs that they are a property of the counter. */
bool too_many_strays(const struct judgement *judgement);
/* What became of the runs that the verdict does not rest on. */
void note_disturbed(struct judgement *judgement);
/* That the runs of a process are not alike, where each differs from the one before. */
void note_drift(struct judgement *judgement);
void note_unscheduled(struct judgement *judgement, size_t unscheduled);

/* What only shows across events: modes, core types, paths, sums, ranks. */
void relate_events(const struct case_file *file, struct judgements *judgements);
/* Its parts: one event on cores of several types, by several paths; events that add up. */
void compare_cores(struct judgement *judgement);
/* … in several patterns, with several numbers of counters: a note where one is right. */
void compare_settings(struct judgement *judgement);
void compare_paths(struct judgement *judgement);
void check_identities(struct judgements *all);

/* The event's name without its mode; its length. mode: the letters, or "" where it has none. */
size_t event_base(const char *event, const char **mode);
/* An event of the processor, which a hypervisor can withhold. */
bool is_hardware(const struct evidence *evidence);
/* Mean over points that demand counts: |error| in parts of the truth, at most 1e6. */
double mean_relative_error(const struct judgement *judgement);
