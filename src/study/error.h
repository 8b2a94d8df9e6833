/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The study of measurement error: from stores to the case that its judge gets. */
#pragma once

#include "judge/error/evidence.h"
#include "store/store.h"

/* What a cell is there for, by its factors alone: path perf-stat is a tool; an event of a source
 * that steps is stepped; specimens placed and phases say it themselves; null is null; the loop is
 * for duration where its event has a truth on it or counts interrupts, else (ticks, cycles, ns) for
 * placement; a loop with more than one counter is for duration where the further ones count
 * interrupts, else for multiplexing. False: no part of this study. */
bool error_part_of(const struct stored_cell *cell, const char *kind, enum error_part *part);

/* Adds what the store holds: its machine (once for a fingerprint), cells with all runs (those with
 * the factors of an earlier store's join them), and what could not be opened. Reads ten million
 * samples in seconds, holding little more than the values. error_case_release frees it, also after
 * a failure. */
int error_load(struct store *store, struct error_case *file, struct failure *failure);
