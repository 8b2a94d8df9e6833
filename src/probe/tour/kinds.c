/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What calls are called. */
#include "probe/tour/caller.h"

const char *const call_kind_names[CALL_KINDS] = {
    [CALL_START] = "start",     [CALL_STOP] = "stop",       [CALL_READ] = "read",
    [CALL_ACCUM] = "accum",     [CALL_BEGIN] = "begin",     [CALL_END] = "end",
    [CALL_COMMAND] = "command", [CALL_NOTHING] = "nothing", [CALL_GAUGE] = "gauge",
};

const char *const call_effect_names[] = {
    [EFFECT_KEEPS] = "keeps", [EFFECT_STARTS] = "starts", [EFFECT_STOPS] = "stops"};

const char *const call_when_names[] = {
    [WHEN_ANY] = "any", [WHEN_RUNNING] = "running", [WHEN_STOPPED] = "stopped"};
