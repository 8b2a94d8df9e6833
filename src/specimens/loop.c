/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counting loop of N iterations that stands inline in the window and touches no memory: its
 * counts follow from its instructions (arch window.h). */
#include "specimens/quiet.h"

#include <errno.h>

#include "window.h"

static const struct truth truths[] = {
    {"instructions", WINDOW_LOOP_INSTRUCTIONS_BASE, WINDOW_LOOP_INSTRUCTIONS_EACH, TRUTH_PROVEN},
    {"branches", 0, 1, TRUTH_PROVEN},
    {"cond-branches", 0, 1, TRUTH_PROVEN},
    {"cond-branches-taken", -1, 1, TRUTH_PROVEN},
    {"cond-branches-not-taken", 1, 0, TRUTH_PROVEN},
    {"loads", 0, 0, TRUTH_PROVEN},
    {"stores", 0, 0, TRUTH_PROVEN},
    TRUTH_NO_FAULTS,
    TRUTH_NO_SYSCALLS,
    TRUTH_NO_SCHEDULING,
    {NULL, 0, 0, TRUTH_PROVEN},
};

/* The loop counts up to N and compares afterwards: N = 0 would run until the register wraps. */
static int prepare(struct specimen_state *state)
{
    return state->n ? 0 : -EINVAL;
}

const struct specimen specimen_loop = {
    .name = "loop",
    .summary = "N iterations of the smallest counting loop, inline in the window",
    .stresses = "what accrues with time: interrupts, switches, lost counts",
    .form = SPECIMEN_LOOP,
    .max_n = 1000000000000u,
    .truth = truths,
    .prepare = prepare,
};
