/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Context switches: the specimen shares its CPU with a second task (partner.h) and hands it over N
 * times, by yielding or by waiting for an answer. An exact number here is what the code asks for:
 * in long runs others add switches, which the operating system's account of the run shows, and such
 * a run is called disturbed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code-system.h"
#include "specimens/framed.h"
#include "specimens/partner.h"
#include "syscall.h"

#define WARM_TURNS    64u       /* of the partner, before the window */
#define WARM_PATIENCE 10000000u /* yields until it must have had them */

SPECIMEN_ASSEMBLY(specimen_yields_code,
                  CODE_SYSTEM_COUNT CODE_SYSTEM_LOOP(CODE_SYSTEM_CALL(SYS_sched_yield))
                      CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_ping_pong_code, CODE_SYSTEM_COUNT CODE_EXCHANGE_SETUP CODE_SYSTEM_LOOP(
                                               CODE_EXCHANGE(SYS_write, SYS_read)) CODE_RETURN);

#define TRUTH_YIELDS                                                                               \
    TRUTH_FRAMED(0, 0, 2, 0, 0), TRUTH_CALLING_BRANCHES(1), TRUTH_NO_FP, TRUTH_NO_FAULTS,          \
        TRUTH_EXACT("syscalls", 0, 1), TRUTH_EXACT("sched_yield-calls", 0, 1),                     \
        TRUTH_ZERO("getppid-calls"), TRUTH_ZERO("cpu-migrations")

static const struct truth yield_truths[] = {
    TRUTH_YIELDS,
    TRUTH_BETWEEN("context-switches", 0, 0, 16, 2,
                  "a scheduler that wants to be fair may let a task that yields go on at once; the "
                  "other way round it may take the CPU from it between two yields, rarely, and as "
                  "often as it yields at the very most"),
    TRUTH_END,
};

static const struct truth fifo_truths[] = {
    TRUTH_YIELDS,
    TRUTH_EXACT("context-switches", 0, 1),
    TRUTH_END,
};

/* A byte goes to the partner and comes back: it must have run in between, on the same CPU. */
static const struct truth exchange_truths[] = {
    TRUTH_FRAMED(4, 3, 6, 0, 0),
    TRUTH_CALLING_BRANCHES(2),
    TRUTH_NO_FP,
    TRUTH_NO_FAULTS,
    TRUTH_EXACT("context-switches", 0, 1),
    TRUTH_ZERO("cpu-migrations"),
    TRUTH_EXACT("syscalls", 0, 2),
    TRUTH_EXACT("read-calls", 0, 1),
    TRUTH_EXACT("write-calls", 0, 1),
    TRUTH_ZERO("getppid-calls"),
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

struct sharing {
    struct partner partner;
    uint64_t turns;        /* of the partner so far */
    int there[2], back[2]; /* pipes */
    char byte;
};

static void restore(struct specimen_state *state)
{
    struct sharing *sharing = state->own;
    if (!sharing)
        return;
    partner_stop(&sharing->partner);
    for (size_t end = 0; end < 2; end++) {
        if (sharing->there[end])
            close(sharing->there[end]);
        if (sharing->back[end])
            close(sharing->back[end]);
    }
    free(sharing);
    state->own = NULL;
}

static int begin(struct specimen_state *state, struct sharing **sharing)
{
    state->own = *sharing = calloc(1, sizeof(**sharing));
    return state->own ? 0 : -ENOMEM;
}

/* --- yielding --- */

static int keep_yielding(void *argument)
{
    struct sharing *sharing = argument;
    while (assay_syscall0(SYS_sched_yield) == 0)
        __atomic_add_fetch(&sharing->turns, 1, __ATOMIC_RELAXED);
    return 0;
}

/* A new task may stand behind: the window opens when turns have come about. */
static int await_turns(const struct sharing *sharing, struct failure *failure)
{
    for (uint64_t patience = WARM_PATIENCE; patience; patience--) {
        if (__atomic_load_n(&sharing->turns, __ATOMIC_RELAXED) >= WARM_TURNS)
            return 0;
        assay_syscall0(SYS_sched_yield);
    }
    return fail_with(failure, -ETIMEDOUT, "the second task gets no turn although the first yields");
}

static int prepare_yields(struct specimen_state *state, bool fifo, struct failure *failure)
{
    struct sharing *sharing;
    int result = begin(state, &sharing);
    if (result < 0)
        return result;
    result = partner_start(&sharing->partner, keep_yielding, sharing, fifo, failure);
    if (result == 0)
        result = await_turns(sharing, failure);
    if (result < 0)
        restore(state);
    return result;
}

static int prepare_fair(struct specimen_state *state, struct failure *failure)
{
    return prepare_yields(state, false, failure);
}

static int prepare_fifo(struct specimen_state *state, struct failure *failure)
{
    return prepare_yields(state, true, failure);
}

/* --- asking and waiting --- */

static int keep_answering(void *argument)
{
    struct sharing *sharing = argument;
    char byte;
    while (assay_syscall3(SYS_read, sharing->there[0], (long)&byte, 1) == 1)
        assay_syscall3(SYS_write, sharing->back[1], (long)&byte, 1);
    return 0;
}

/* In strict turns where that is allowed: then nobody else gets in between. */
static int start_answering(struct sharing *sharing, struct failure *failure)
{
    if (partner_start(&sharing->partner, keep_answering, sharing, true, NULL) == 0)
        return 0;
    return partner_start(&sharing->partner, keep_answering, sharing, false, failure);
}

static int prepare_exchange(struct specimen_state *state, struct failure *failure)
{
    struct sharing *sharing;
    int result = begin(state, &sharing);
    if (result < 0)
        return result;
    if (pipe(sharing->there) < 0 || pipe(sharing->back) < 0)
        result = fail_with(failure, -errno, "no pipe: %s", strerror(errno));
    if (result == 0)
        result = start_answering(sharing, failure);
    state->operands[0] = (uint64_t)sharing->there[1];
    state->operands[1] = (uint64_t)sharing->back[0];
    state->operands[2] = (uintptr_t)&sharing->byte;
    struct specimen_state once = {.n = 1};
    memcpy(once.operands, state->operands, sizeof(once.operands));
    if (result == 0)
        specimen_ping_pong_code(&once);
    else
        restore(state);
    return result;
}

#define SHARES(symbol)                                                                             \
    .stresses = "context switches", SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(trips), .min_n = 1,   \
    .restore = restore

const struct specimen specimen_ping_pong = {
    .name = "ping-pong",
    .summary = "a byte to a second task on the same CPU and back, N times, through pipes",
    SHARES(specimen_ping_pong_code),
    .max_n = 1000000,
    .truth = exchange_truths,
    .available = partner_possible,
    .prepare = prepare_exchange,
};

const struct specimen specimen_fifo_yields = {
    .name = "fifo-yields",
    .summary = "N times sched_yield beside a second task on the same CPU, in strict turns",
    .needs = "the right to real-time scheduling",
    SHARES(specimen_yields_code),
    .max_n = 100000,
    .truth = fifo_truths,
    .available = partner_fifo_allowed,
    .prepare = prepare_fifo,
    .takes_cpu = true,
};

const struct specimen specimen_yields = {
    .name = "yields",
    .summary = "N times sched_yield beside a second task on the same CPU",
    SHARES(specimen_yields_code),
    .max_n = 1000000,
    .truth = yield_truths,
    .available = partner_possible,
    .prepare = prepare_fair,
    .takes_cpu = true,
};
