/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands around the calls of LIKWID's marker interface. */
#pragma once

#include "probe/tour/caller.h"

#define LIKWID_REGION "window"

int likwid_usable(char *reason, size_t size);
int likwid_open(struct tour_state *state);
int likwid_settle(struct tour_state *state, bool running);
int likwid_check(struct tour_state *state);
