/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the scheduler does: context switches, beside a second task on the same CPU, and migrations
 * to another CPU. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "specimens/affinity.h"
#include "specimens/framed.h"

static const struct trip trips[] = {TRIP_LOOP};

/* ----------------------------------------------------------------------------------------------
 * Somebody to share a CPU with: a second task on the specimen's CPU, for as long as a run takes. It
 * is a process of its own in the same memory, not a thread: the process under test stays what it is
 * to libraries, tracers and whoever counts it. */

/* What it does, by inline system calls alone: libc's per-thread data are the other's. */
typedef int partner_function(void *argument);

struct partner {
    pid_t pid;
    void *stack;
    struct affinity before; /* of the specimen's thread */
    int policy;             /* scheduling policy it had */
};

#define STACK_BYTES ((size_t)64 * 1024)

struct start {
    partner_function *function;
    void *argument;
    pid_t parent;
};

/* The specimen's process may be killed: then nobody is left to end this one. */
static int begin_second(void *argument)
{
    struct start start = *(struct start *)argument;
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (assay_syscall0(SYS_getppid) != start.parent)
        return 1;
    return start.function(start.argument);
}

static int set_policy(pid_t task, int policy)
{
    struct sched_param parameters = {.sched_priority = policy == SCHED_FIFO ? 1 : 0};
    return sched_setscheduler(task, policy, &parameters) < 0 ? -errno : 0;
}

static int stay_here(struct partner *partner, struct failure *failure)
{
    unsigned cpu = 0;
    struct affinity here;
    int result = affinity_get(&partner->before);
    if (result == 0)
        result = (int)assay_syscall3(SYS_getcpu, (long)&cpu, 0, 0);
    affinity_single(&here, cpu);
    if (result == 0)
        result = affinity_set(&here);
    if (result < 0)
        return fail_with(failure, result, "the thread cannot be kept on its CPU: %s",
                         strerror(-result));
    return 0;
}

static int make_stack(struct partner *partner, struct failure *failure)
{
    partner->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (partner->stack != MAP_FAILED)
        return 0;
    partner->stack = NULL;
    return fail_with(failure, -errno, "no memory for a second task: %s", strerror(errno));
}

static int start_second(struct partner *partner, struct start *start, struct failure *failure)
{
    partner->pid = clone(begin_second, (char *)partner->stack + STACK_BYTES,
                         CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, start);
    if (partner->pid > 0)
        return 0;
    int result = -errno;
    partner->pid = 0;
    return fail_with(failure, result, "no second task can be started: %s", strerror(-result));
}

static int refuse_fifo(int result, struct failure *failure)
{
    return fail_with(failure, result,
                     "it needs real-time scheduling (SCHED_FIFO), which is refused here: %s. Run "
                     "as root, with CAP_SYS_NICE, or with `ulimit -r 1`",
                     strerror(-result));
}

static int take_turns(struct partner *partner, struct failure *failure)
{
    int result = set_policy(0, SCHED_FIFO);
    if (result == 0)
        result = set_policy(partner->pid, SCHED_FIFO);
    return result < 0 ? refuse_fifo(result, failure) : 0;
}

/* Ends it and gives the thread back its CPUs and policy. */
static void partner_stop(struct partner *partner)
{
    if (partner->pid) {
        kill(partner->pid, SIGKILL);
        while (waitpid(partner->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    partner->pid = 0;
    if (partner->stack)
        munmap(partner->stack, STACK_BYTES);
    partner->stack = NULL;
    if (sched_getscheduler(0) != partner->policy)
        set_policy(0, partner->policy < 0 ? SCHED_OTHER : partner->policy);
    affinity_set(&partner->before);
}

/* Binds the thread to the CPU it is on and starts function there; with `fifo` both are scheduled in
 * strict turns, which needs the right to it. 0, or negative errno with a sentence. */
static int partner_start(struct partner *partner, partner_function *function, void *argument,
                         bool fifo, struct failure *failure)
{
    /* On the partner's side read at its first turn, before which this function may return. */
    static struct start start;
    start = (struct start){function, argument, getpid()};
    *partner = (struct partner){.policy = sched_getscheduler(0)};
    int result = stay_here(partner, failure);
    if (result < 0)
        return result;
    result = make_stack(partner, failure);
    if (result == 0)
        result = start_second(partner, &start, failure);
    if (result == 0 && fifo)
        result = take_turns(partner, failure);
    if (result < 0)
        partner_stop(partner);
    return result;
}

static int leave_at_once(void *argument)
{
    (void)argument;
    return 0;
}

/* Can there be a second task in the same memory? Emulators know threads and processes only. */
static int partner_possible(struct failure *failure)
{
    struct partner partner;
    int result = partner_start(&partner, leave_at_once, NULL, false, failure);
    if (result == 0)
        partner_stop(&partner);
    return result;
}

/* The same, and may both be scheduled in strict turns? */
static int partner_fifo_allowed(struct failure *failure)
{
    if (partner_possible(failure) < 0)
        return -ENOSYS;
    int before = sched_getscheduler(0);
    int result = set_policy(0, SCHED_FIFO);
    if (result < 0)
        return refuse_fifo(result, failure);
    set_policy(0, before < 0 ? SCHED_OTHER : before);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * Context switches: the specimen shares its CPU with a second task and hands it over N times, by
 * yielding or by waiting for an answer. An exact number here is what the code asks for: in long
 * runs others add switches, which the operating system's account of the run shows, and such a run
 * is called disturbed. */

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

struct sharing {
    struct partner partner;
    uint64_t turns;        /* of the partner so far */
    int there[2], back[2]; /* pipes */
    char byte;
};

static void restore_sharing(struct specimen_state *state)
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

static int begin_sharing(struct specimen_state *state, struct sharing **sharing)
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
    int result = begin_sharing(state, &sharing);
    if (result < 0)
        return result;
    result = partner_start(&sharing->partner, keep_yielding, sharing, fifo, failure);
    if (result == 0)
        result = await_turns(sharing, failure);
    if (result < 0)
        restore_sharing(state);
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
    int result = begin_sharing(state, &sharing);
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
        restore_sharing(state);
    return result;
}

#define SHARES(symbol)                                                                             \
    .stresses = "context switches", SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(trips), .min_n = 1,   \
    .restore = restore_sharing

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

/* --- N times to another CPU: the thread allows itself one CPU and then the other, in turn --- */

SPECIMEN_ASSEMBLY(specimen_migrations_code, CODE_SYSTEM_COUNT CODE_AFFINITY_SETUP CODE_SYSTEM_LOOP(
                                                CODE_AFFINITY(SYS_sched_setaffinity)) CODE_RETURN);

static const char stopper[] = "the thread waits for another that moves it, and may be put off its "
                              "CPU before it waits";

static const struct truth move_truths[] = {
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

struct move {
    struct affinity before; /* as it was found */
    struct affinity turn[2];
};

static int moves_available(struct failure *failure)
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

static int prepare_moves(struct specimen_state *state, struct failure *failure)
{
    int result = moves_available(failure);
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

static void restore_moves(struct specimen_state *state)
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
    SPECIMEN_REPEATS(specimen_migrations_code, trips, 1000000),
    .truth = move_truths,
    .available = moves_available,
    .prepare = prepare_moves,
    .restore = restore_moves,
};
