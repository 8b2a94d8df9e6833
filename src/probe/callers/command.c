/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whole commands: the same idle program by itself and under perf(1), so that their difference is
 * what it costs to count one. */
#include "probe/tour/instruments.h"

static void plain_call(struct tour_state *state, uint32_t times)
{
    const struct tour_command *command = state->own;
    long status = 0;
    do
        status = command_run(command->plain, command->said, command->self);
    while (status == 0 && --times);
    state->status = status;
}

static void perf_stat_call(struct tour_state *state, uint32_t times)
{
    const struct tour_command *command = state->own;
    long status = 0;
    do
        status = command_run(command->counted, command->said, command->self);
    while (status == 0 && --times);
    state->status = status;
}

const struct caller caller_command = {
    .path = "command",
    .instrument = "command",
    .note = "a static program that does nothing, from vfork to wait; a counter of the caller does "
            "not see what the program itself executes",
    .page = "",
    .needs_folder = true,
    .usable = command_usable,
    .open = command_open,
    .check = command_check,
    .close = command_close,
    .calls = {[CALL_COMMAND] = {plain_call, EFFECT_KEEPS, WHEN_ANY}},
};

const struct caller caller_perf_stat = {
    .path = "perf-stat",
    .instrument = "command",
    .note = "the same program under perf stat, with one event",
    .page = "",
    .needs_folder = true,
    .usable = perf_stat_usable,
    .open = command_open,
    .check = perf_stat_check,
    .close = command_close,
    .calls = {[CALL_COMMAND] = {perf_stat_call, EFFECT_KEEPS, WHEN_ANY}},
};
