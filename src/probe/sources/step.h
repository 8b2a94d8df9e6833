/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Steps one window of a harness (step.c): from what opens it to what closes it. What a path does
 * before is run past where that can be done, because stepping costs and it does not count. */
#pragma once

#include "probe/sources/stepper.h"
#include "probe/sources/trial.h"

/* The process stands on the mark where the window's code begins, and afterwards on the one behind
 * it. openings: so many calls that may open the window are run past; more of them that come before
 * the slot are found. 0: not known, taken for 1 where that is near enough, else -EAGAIN. All return
 * 0 or negative errno; where source_fail was not called it is the stepper's. */
int step_window_count(struct stepper *stepper, const struct trial *trial, uint32_t run,
                      uint32_t openings, struct steps *steps);

/* How many such calls there are, by letting the process run to the slot. */
int step_window_openings(struct stepper *stepper, const struct trial *trial, uint32_t *openings);
