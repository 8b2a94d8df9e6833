/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The instrument that the callers on perf descriptors share: job->tour.open counters of one event,
 * as a group or each by itself. Everything by inline system calls. */
#pragma once

#include "probe/tour/caller.h"

/* For struct caller. */
int perf_instrument_open(struct tour_state *state);
int perf_instrument_settle(struct tour_state *state, bool running);
void perf_instrument_close(struct tour_state *state);

/* Reads the counters by itself: every one must have counted all the
 * time that it was enabled. A negative
 * state->status is a failed call's, a negative errno; libc's -1 stands for errno. */
int perf_instrument_check(struct tour_state *state);
int perf_instrument_check_libc(struct tour_state *state);
