/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The set of libassay's that the caller of the same name switches and reads. */
#pragma once

#include "probe/tour/caller.h"

/* For struct caller. */
int assay_instrument_open(struct tour_state *state);
int assay_instrument_settle(struct tour_state *state, bool running);
int assay_instrument_check(struct tour_state *state);
void assay_instrument_close(struct tour_state *state);
