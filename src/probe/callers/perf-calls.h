/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the callers on perf descriptors have in common: each call is made `times` times, to one
 * descriptor or to every one in turn. There is at least one of both. The caller's file defines
 * CALL_START_ONE(descriptor), CALL_STOP_ONE and CALL_READ_ONE(descriptor, buffer, bytes) as
 * expressions that are negative where they failed, and includes this. */
#pragma once

#include "probe/tour/instruments.h"

#define CALL_EACH(call)                                                                            \
    do {                                                                                           \
        uint32_t index = 0;                                                                        \
        do                                                                                         \
            status = call_worst(status, (long)(call));                                             \
        while (++index < handles);                                                                 \
    } while (--times)

#ifdef CALL_START_ONE
static void call_start(struct tour_state *state, uint32_t times)
{
    const uint32_t handles = state->handles;
    long status = 0;
    CALL_EACH(CALL_START_ONE(state->descriptors[index]));
    state->status = status;
}

static void call_stop(struct tour_state *state, uint32_t times)
{
    const uint32_t handles = state->handles;
    long status = 0;
    CALL_EACH(CALL_STOP_ONE(state->descriptors[index]));
    state->status = status;
}
#endif

static void call_read(struct tour_state *state, uint32_t times)
{
    const uint32_t handles = state->handles;
    const size_t words = state->words;
    long status = 0;
    CALL_EACH(
        CALL_READ_ONE(state->descriptors[index], &state->reading[index * words], state->bytes));
    state->status = status;
}
