/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of libassay's users, linked as they link it: a shared library, or an archive in static
 * programs. A read goes through what assay.h puts into the caller's own code. */
#include "assay.h"
#include "probe/tour/instruments.h"

static void call_start(struct tour_state *state, uint32_t times)
{
    long status = 0;
    do
        status = call_worst(status, assay_set_enable(state->set));
    while (--times);
    state->status = status;
}

static void call_stop(struct tour_state *state, uint32_t times)
{
    long status = 0;
    do
        status = call_worst(status, assay_set_disable(state->set));
    while (--times);
    state->status = status;
}

static void call_read(struct tour_state *state, uint32_t times)
{
    long status = 0;
    do
        status = call_worst(status, assay_set_read(state->set, state->assay_values));
    while (--times);
    state->status = status;
}

const struct caller caller_assay = {
    .path = "assay",
    .instrument = "assay",
    .note = "",
    .page = "",
    .binds = true,
    .open = assay_instrument_open,
    .settle = assay_instrument_settle,
    .check = assay_instrument_check,
    .close = assay_instrument_close,
    .calls =
        {
            [CALL_START] = {call_start, EFFECT_STARTS, WHEN_STOPPED},
            [CALL_STOP] = {call_stop, EFFECT_STOPS, WHEN_RUNNING},
            [CALL_READ] = {call_read, EFFECT_KEEPS, WHEN_ANY},
        },
};
