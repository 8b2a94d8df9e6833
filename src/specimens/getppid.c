/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times the cheapest system call that no library answers on its own. */
#include "specimens/quiet.h"

#include "syscall.h"
#include "window.h"

static const struct truth truths[] = {
    {"syscalls", 0, 1, TRUTH_PROVEN},
    {"getppid-calls", 0, 1, TRUTH_PROVEN},
    TRUTH_NO_FAULTS,
    TRUTH_NO_SCHEDULING,
    {NULL, 0, 0, TRUTH_PROVEN},
};

SPECIMEN_CODE static void code(struct specimen_state *state)
{
    for (uint64_t index = 0; index < state->n; index++)
        assay_syscall0(SYS_getppid);
}

const struct specimen specimen_getppid = {
    .name = "getppid",
    .summary = "N getppid system calls, each one instruction in the specimen's own code",
    .stresses = "system calls",
    .form = SPECIMEN_CALLED,
    .max_n = 1000000000,
    .truth = truths,
    .code = code,
};
