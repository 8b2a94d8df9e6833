/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * By ptrace. A step is waited for at once, but for system calls: one may be a call that the liar
 * itself must answer, so these are left to the loop. */
#include "stepping.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "filter.h"
#include "target.h"

#define BURST 512 /* steps before the loop looks at others */

enum {
    CODE_BRANCH = 1 << 0,
    CODE_CALL = 1 << 1,
    CODE_REPEATED = 1 << 2,
    CODE_HIDES = 1 << 3,
    CODE_OPCODES = 8, /* shift: one bit for each lie's opcode */
};

/* --- which tasks --- */

static struct stepped *find(const struct stepping *stepping, pid_t task)
{
    for (size_t i = 0; i < STEPPED_MOST; i++)
        if (stepping->tasks[i].state != STEPPED_NOT && stepping->tasks[i].task == task)
            return (struct stepped *)(uintptr_t)&stepping->tasks[i];
    return NULL;
}

const struct steps *stepping_steps(const struct stepping *stepping, pid_t task)
{
    const struct stepped *stepped = find(stepping, task);
    return stepped ? &stepped->steps : NULL;
}

/* Tracer and tracee take turns: on one CPU that is three times as fast as on two. */
static void share_cpu(struct stepped *stepped)
{
    struct target_account account;
    if (target_account(stepped->task, &account) < 0 || account.cpu < 0 ||
        account.cpu >= CPU_SETSIZE ||
        sched_getaffinity(stepped->task, sizeof(stepped->cpus), &stepped->cpus) < 0)
        return;
    CPU_ZERO(&stepped->cpu);
    CPU_SET((size_t)account.cpu, &stepped->cpu);
    sched_setaffinity(0, sizeof(stepped->cpu), &stepped->cpu);
    stepped->is_pinned = sched_setaffinity(stepped->task, sizeof(stepped->cpu), &stepped->cpu) == 0;
}

/* Unless the task itself has asked for something else meanwhile. */
static void leave_cpu(const struct stepped *stepped)
{
    cpu_set_t now;
    if (stepped->is_pinned && sched_getaffinity(stepped->task, sizeof(now), &now) == 0 &&
        CPU_EQUAL(&now, &stepped->cpu))
        sched_setaffinity(stepped->task, sizeof(stepped->cpus), &stepped->cpus);
}

int stepping_start(struct stepping *stepping, pid_t task)
{
    struct stepped *stepped = find(stepping, task);
    if (stepped) {
        stepped->wanted = true;
        return 0;
    }
    for (size_t i = 0; i < STEPPED_MOST && !stepped; i++)
        stepped = stepping->tasks[i].state == STEPPED_NOT ? &stepping->tasks[i] : NULL;
    if (!stepped)
        return -EBUSY;
    memset(stepped, 0, sizeof(*stepped));
    stepped->task = task;
    if (ptrace(PTRACE_SEIZE, task, NULL, (void *)PTRACE_O_EXITKILL) < 0 ||
        ptrace(PTRACE_INTERRUPT, task, NULL, NULL) < 0)
        return -errno;
    stepped->wanted = true;
    stepped->state = STEPPED_RUNS;
    share_cpu(stepped);
    return 0;
}

void stepping_stop(struct stepping *stepping, pid_t task)
{
    struct stepped *stepped = find(stepping, task);
    if (stepped)
        stepped->wanted = false;
}

static void let_go(struct stepped *stepped)
{
    leave_cpu(stepped);
    ptrace(PTRACE_DETACH, stepped->task, NULL, (void *)(intptr_t)stepped->signal);
    stepped->state = STEPPED_NOT;
}

/* --- what is to be executed next --- */

static uint32_t flags_of(const struct stepping *stepping, const struct instruction *instruction)
{
    uint32_t flags = 0;
    if (instruction_is_branch(instruction))
        flags |= CODE_BRANCH;
    if (instruction_is_system_call(instruction))
        flags |= CODE_CALL;
    if (instruction_is_repeated(instruction))
        flags |= CODE_REPEATED;
    if (instruction_hides_next(instruction))
        flags |= CODE_HIDES;
    for (size_t i = 0; i < stepping->lies->count; i++) {
        const struct opcode *opcode = stepping->lies->list[i].opcode;
        if (opcode && opcode->matches(instruction))
            flags |= 1u << (CODE_OPCODES + i);
    }
    return flags;
}

static const struct code_place *look_at(const struct stepping *stepping, struct stepped *stepped,
                                        uint64_t address)
{
    uint8_t bytes[INSTRUCTION_LONGEST];
    struct instruction instruction;
    struct code_place *place = &stepped->code[address % CODE_PLACES];
    if (place->address == address)
        return place;
    *place = (struct code_place){.address = address};
    ssize_t got = target_read_some(stepped->task, address, bytes, sizeof(bytes));
    if (got > 0 && instruction_read(bytes, (size_t)got, &instruction)) {
        place->flags = flags_of(stepping, &instruction);
        place->length = (uint32_t)instruction.opcode_at + 1;
    }
    return place;
}

static void count(struct stepped *stepped, uint32_t flags)
{
    stepped->steps.instructions += flags & CODE_HIDES ? 2 : 1;
    stepped->steps.branches += (flags & CODE_BRANCH) != 0;
    stepped->steps.calls += (flags & CODE_CALL) != 0;
    for (size_t i = 0; i < LIES_MOST; i++)
        stepped->steps.opcodes[i] += (flags >> (CODE_OPCODES + i)) & 1u;
}

/* Does the call in hand read what is no counter? Where that waits, the CPU is given up. */
static bool is_waiting(const struct stepped *stepped)
{
    struct user_regs_struct registers;
    return ptrace(PTRACE_GETREGS, stepped->task, NULL, &registers) == 0 &&
           registers.rax == SYS_read && registers.rdi < REAL_FIRST;
}

/* --- steps --- */

static bool get_address(const struct stepped *stepped, uint64_t *address)
{
    errno = 0;
    *address = (uint64_t)ptrace(PTRACE_PEEKUSER, stepped->task,
                                (void *)offsetof(struct user_regs_struct, rip), NULL);
    return errno == 0;
}

/* A stop that says: one instruction is done. Entering a signal's handler looks alike, but for the
 * code. */
static bool is_step(const struct stepped *stepped, int status, bool signalled)
{
    siginfo_t info;
    if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP || status >> 16)
        return false;
    return !signalled || (ptrace(PTRACE_GETSIGINFO, stepped->task, NULL, &info) == 0 &&
                          info.si_code > 0 && info.si_code != SIGTRAP);
}

/* What any stop means for what comes next. */
static void take_stop(struct stepped *stepped, int status)
{
    int number = WSTOPSIG(status), event = status >> 16;
    stepped->state = STEPPED_STANDS;
    stepped->signal = 0;
    if (event == PTRACE_EVENT_STOP && number != SIGTRAP) { /* the whole process was stopped */
        ptrace(PTRACE_LISTEN, stepped->task, NULL, NULL);
        stepped->state = STEPPED_RUNS;
    } else if (!event && number != SIGTRAP) {
        stepped->signal = number;
    }
}

bool stepping_stopped(struct stepping *stepping, pid_t task, int status)
{
    struct stepped *stepped = find(stepping, task);
    if (!stepped)
        return false;
    if (!WIFSTOPPED(status)) {
        stepped->state = STEPPED_NOT;
        return true;
    }
    take_stop(stepped, status);
    return true;
}

/* Runs with this request until the next stop. False when there is no such task any more. */
static bool resume(struct stepped *stepped, enum __ptrace_request how, int *status)
{
    if (ptrace(how, stepped->task, NULL, (void *)(intptr_t)stepped->signal) < 0)
        return false;
    while (waitpid(stepped->task, status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    return WIFSTOPPED(*status);
}

#define DEBUG_REGISTER(number)                                                                     \
    (offsetof(struct user, u_debugreg) + (number) * sizeof(((struct user *)NULL)->u_debugreg[0]))

static bool set_breakpoint(const struct stepped *stepped, uint64_t address, uint64_t control)
{
    return ptrace(PTRACE_POKEUSER, stepped->task, (void *)DEBUG_REGISTER(0), (void *)address) ==
               0 &&
           ptrace(PTRACE_POKEUSER, stepped->task, (void *)DEBUG_REGISTER(7), (void *)control) == 0;
}

/* A million repetitions are a million steps, and one instruction: run to what follows, by a
 * breakpoint of the CPU's, which changes no code. Where there is none, step through. */
static bool run_repeated(struct stepped *stepped, const struct code_place *place, int *status)
{
    bool has_breakpoint = set_breakpoint(stepped, place->address + place->length, 1);
    bool alive = resume(stepped, has_breakpoint ? PTRACE_CONT : PTRACE_SINGLESTEP, status);
    if (alive && has_breakpoint)
        set_breakpoint(stepped, 0, 0);
    return alive;
}

/* False when the loop must wait for it. */
static bool step(struct stepping *stepping, struct stepped *stepped)
{
    uint64_t address, now;
    int status = 0;
    bool signalled = stepped->signal != 0;
    if (!get_address(stepped, &address))
        return false;
    const struct code_place *place = look_at(stepping, stepped, address);
    if (place->flags & CODE_CALL) {
        /* through the instruction: what it closes includes itself */
        count(stepped, place->flags);
        stepped->steps.switches += is_waiting(stepped);
        stepped->state = STEPPED_RUNS;
        ptrace(PTRACE_SINGLESTEP, stepped->task, NULL, (void *)(intptr_t)stepped->signal);
        return false;
    }
    bool alive = place->flags & CODE_REPEATED ? run_repeated(stepped, place, &status)
                                              : resume(stepped, PTRACE_SINGLESTEP, &status);
    if (!alive) {
        stepped->state = STEPPED_NOT;
        stepping->ended = stepped->task;
        stepping->ended_status = status;
        return false;
    }
    bool done = is_step(stepped, status, signalled);
    if (done && place->flags & CODE_REPEATED)
        done = get_address(stepped, &now) && now != address;
    if (done)
        count(stepped, place->flags);
    take_stop(stepped, status);
    return stepped->state == STEPPED_STANDS;
}

bool stepping_go_on(struct stepping *stepping)
{
    bool more = false;
    for (size_t i = 0; i < STEPPED_MOST; i++) {
        struct stepped *stepped = &stepping->tasks[i];
        if (stepped->state != STEPPED_STANDS)
            continue;
        if (!stepped->wanted) {
            let_go(stepped);
            continue;
        }
        int left = BURST;
        while (left > 0 && step(stepping, stepped))
            left--;
        more |= stepped->state == STEPPED_STANDS;
    }
    return more;
}
