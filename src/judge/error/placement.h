/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judgements of placement share: bytes at offsets (places.c), the inline loop in windows
 * (windows.c). */
#pragma once

#include "judge/error/fastest.h"
#include "studies/error/study.h"

typedef const struct error_cell *cell_pointer;

/* Cells of one event with one N, placed ones by rising offset. Appends report->places, whose room
 * must suffice for one a cell, and fills in everything about them. -ENOMEM. */
int judge_places(const cell_pointer *cells, size_t count, uint64_t seed,
                 struct error_report *report, struct error_placement *placement);
/* The inline loop: one N, any patterns, levels and links. -ENOMEM. */
int judge_windows(const cell_pointer *cells, size_t count, uint64_t seed,
                  struct error_placement *placement);
