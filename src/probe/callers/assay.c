/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of libassay's users, linked as they link it: a shared library, or an archive in static
 * programs. A read goes through what assay.h puts into the caller's own code. */
#include "probe/tour/instruments.h"

CALL_FUNCTION(call_start, assay_set_enable(state->set))
CALL_FUNCTION(call_stop, assay_set_disable(state->set))
CALL_FUNCTION(call_read, assay_set_read(state->set, state->assay_values))

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
