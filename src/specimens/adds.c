/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times a chain of sixteen dependent additions. Written in assembly from its first instruction to
 * its return, so that no compiler shapes the count (arch window.h). */
#include "specimens/quiet.h"

#include <errno.h>

#include "window.h"

void specimen_adds_code(struct specimen_state *state);

__asm__(".text\n"
        "\t.p2align 6\n"
        "\t.globl specimen_adds_code\n"
        "\t.type specimen_adds_code, %function\n"
        "specimen_adds_code:\n" WINDOW_ADDS_CODE
        "\t.size specimen_adds_code, . - specimen_adds_code\n");

static const struct truth truths[] = {
    {"instructions", WINDOW_CALL_INSTRUCTIONS + WINDOW_ADDS_BASE, WINDOW_ADDS_EACH, TRUTH_PROVEN},
    {"cond-branches", 0, 1, TRUTH_PROVEN},
    TRUTH_NO_FAULTS,
    TRUTH_NO_SYSCALLS,
    TRUTH_NO_SCHEDULING,
    {NULL, 0, 0, TRUTH_PROVEN},
};

static int prepare(struct specimen_state *state)
{
    return state->n ? 0 : -EINVAL;
}

const struct specimen specimen_adds = {
    .name = "adds",
    .summary = "N times a chain of sixteen dependent additions",
    .stresses = "completed instructions",
    .form = SPECIMEN_CALLED,
    .max_n = 100000000000u,
    .truth = truths,
    .prepare = prepare,
    .code = specimen_adds_code,
};
