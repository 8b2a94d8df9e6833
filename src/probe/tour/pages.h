/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The pages of instrument perf, for the callers that read counters in user code. */
#pragma once

#include "probe/tour/caller.h"

/* For struct caller: can user code read any counter here? */
int user_pages_usable(char *reason, size_t size);

/* Mapped when the instrument is opened, and looked at: what a page promises it keeps. For warm
 * tours. */
int user_pages_map(struct tour_state *state);

/* For struct caller, before cold tours: mapped, and in the state that the caller's name says.
 * Nobody looks at them: what they cannot keep shows when they are read. */
int user_pages_prepare_cold(struct tour_state *state);
int user_pages_prepare_touched(struct tour_state *state);
int user_pages_prepare_populated(struct tour_state *state);

/* After a pass: did the pages go on being readable? */
int user_pages_check(struct tour_state *state);
