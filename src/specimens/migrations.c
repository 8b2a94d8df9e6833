/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times to another CPU: the thread allows itself one CPU and then the other, in turn. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code-system.h"
#include "specimens/affinity.h"
#include "specimens/framed.h"
#include "syscall.h"

SPECIMEN_ASSEMBLY(specimen_migrations_code, CODE_SYSTEM_COUNT CODE_AFFINITY_SETUP CODE_SYSTEM_LOOP(
                                                CODE_AFFINITY(SYS_sched_setaffinity)) CODE_RETURN);

static const char stopper[] = "the thread waits for another that moves it, and may be put off its "
                              "CPU before it waits";

static const struct truth truths[] = {
    TRUTH_FRAMED(3, 3, 4, 0, 0),
    TRUTH_CALLING_BRANCHES(1),
    TRUTH_NO_FP,
    TRUTH_NO_FAULTS,
    TRUTH_EXACT("cpu-migrations", 0, 1),
    TRUTH_BETWEEN("context-switches", 0, 1, 0, 3, stopper),
    TRUTH_EXACT("syscalls", 0, 1),
    TRUTH_EXACT("sched_setaffinity-calls", 0, 1),
    TRUTH_ZERO("getppid-calls"),
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

struct move {
    struct affinity before; /* as it was found */
    struct affinity turn[2];
};

static int available(struct failure *failure)
{
    struct affinity here;
    int result = affinity_get(&here);
    if (result < 0)
        return fail_with(failure, result,
                         "the operating system does not say which CPUs may be "
                         "used: %s",
                         strerror(-result));
    if (affinity_count(&here) < 2)
        return fail_with(failure, -ENODEV,
                         "it needs two CPUs, and this process may use one: start it without "
                         "taskset or --cpu, or on a machine with more");
    return 0;
}

static int prepare(struct specimen_state *state, struct failure *failure)
{
    int result = available(failure);
    if (result < 0)
        return result;
    struct move *move = calloc(1, sizeof(*move));
    if (!move)
        return -ENOMEM;
    state->own = move;
    affinity_get(&move->before);
    for (size_t turn = 0; turn < 2; turn++)
        affinity_single(&move->turn[turn], affinity_nth(&move->before, turn));
    state->operands[0] = (uintptr_t)&move->turn[0];
    state->operands[1] = (uintptr_t)&move->turn[0] ^ (uintptr_t)&move->turn[1];
    state->operands[2] = sizeof(move->turn[0]);
    /* The first call inside the window goes to the other one. */
    result = affinity_set(&move->turn[0]);
    if (result < 0) {
        free(move);
        state->own = NULL;
        return fail_with(failure, result, "the thread may not choose its CPU: %s",
                         strerror(-result));
    }
    return 0;
}

static void restore(struct specimen_state *state)
{
    struct move *move = state->own;
    if (!move)
        return;
    affinity_set(&move->before);
    free(move);
    state->own = NULL;
}

const struct specimen specimen_migrations = {
    .name = "migrations",
    .summary = "N moves of the thread to another CPU and back, by sched_setaffinity",
    .stresses = "migrations between CPUs",
    .needs = "two CPUs",
    SPECIMEN_CODE_OF(specimen_migrations_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 1000000,
    .truth = truths,
    .available = available,
    .prepare = prepare,
    .restore = restore,
};
