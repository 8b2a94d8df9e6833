/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times the cheapest system call that no library answers on its own. */
#include "specimens/framed.h"

#include "syscall.h"

static const struct truth truths[] = {
    TRUTH_EXACT("syscalls", 0, 1),
    TRUTH_EXACT("getppid-calls", 0, 1),
    TRUTH_NO_FAULTS,
    TRUTH_NO_SCHEDULING,
    TRUTH_END,
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
