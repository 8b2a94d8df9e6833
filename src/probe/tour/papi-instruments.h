/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands around the calls of PAPI's two levels. One process has one of them: of all event sets
 * of a thread PAPI runs one at a time. */
#pragma once

#include "probe/tour/caller.h"

int papi_low_open(struct tour_state *state);
int papi_low_settle(struct tour_state *state, bool running);
int papi_low_check(struct tour_state *state);
void papi_low_close(struct tour_state *state);

int papi_high_open(struct tour_state *state);
int papi_high_settle(struct tour_state *state, bool running);
int papi_high_check(struct tour_state *state);
