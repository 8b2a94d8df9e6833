/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who counts an event, and what follows from it for a cell: which paths it can take and how many
 * runs are sensible. */
#pragma once

#include "base/text.h"
#include "engine/predict.h"

#define SOURCE_NAME 64 /* bytes; longer names are cut and fit nothing */

/* "perf_event", "papi" for a preset, or the source in front of an event's first slash. */
void source_of(const struct counted_event *event, char name[SOURCE_NAME]);

/* The one source of all events; -EINVAL with a sentence when they have several. */
int source_of_all(const struct counted_event *events, size_t count, char name[SOURCE_NAME],
                  struct failure *failure);

/* The path an event of the source takes when nobody chose: the first that can count it. NULL: none
 * here. */
const struct catalogue_path *source_path(const struct catalogue *catalogue, const char *source);

/* "events of step can be counted on bare, perf-read only" */
void source_put_paths(const struct catalogue *catalogue, const char *source, struct text *out);

/* Does one process of the cell ask more of the source than it does in some ten minutes? Then reason
 * says so, and which source here would do it. Nothing is known of other sources. */
bool source_too_slow(const struct catalogue *catalogue, const char *source, const struct cell *cell,
                     struct text *reason);

/* Runs in a process where nobody said how many. */
uint64_t source_runs(const struct catalogue *catalogue, const char *source);
