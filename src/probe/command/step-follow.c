/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits for stops of all tasks of a program, follows those that are born, and passes signals on.
 * Tasks are seized, not attached to: so a stop by job control is one for them as well. */
#include "probe/command/step.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "base/list.h"
#include "stepped-code.h"

/* --- The list of traced tasks --- */

static struct traced *traced_find(struct traced_list *tasks, pid_t task)
{
    if (tasks->last && tasks->last->task == task)
        return tasks->last;
    for (size_t index = 0; index < tasks->count; index++)
        if (tasks->list[index]->task == task)
            return tasks->last = tasks->list[index];
    return NULL;
}

/* One more; NULL: out of memory. code: taken over. */
static struct traced *traced_add(struct traced_list *tasks, pid_t task, pid_t process,
                                 struct code *code)
{
    struct traced *traced = calloc(1, sizeof(*traced));
    struct traced **place =
        traced ? list_add(&tasks->list, &tasks->count, sizeof(*tasks->list)) : NULL;
    if (!place) {
        free(traced);
        return NULL;
    }
    *place = traced;
    traced->task = task;
    traced->process = process;
    traced->code = code;
    traced->number = (uint32_t)tasks->tasks++;
    tasks->processes += task == process;
    return traced;
}

/* It has ended, or become another: gives up its code, and writes what was executed of it when it
 * was the last. */
static int traced_leave_code(const struct command_visit *visit, struct traced *traced)
{
    struct code *code = traced->code;
    traced->code = NULL;
    traced->instruction = traced->made_by = NULL;
    if (!code || --code->users > 0)
        return 0;
    int result = code_write(visit, code);
    code_free(code);
    return result;
}

static int traced_remove(const struct command_visit *visit, struct traced_list *tasks,
                         struct traced *traced)
{
    size_t index = 0;
    while (index < tasks->count && tasks->list[index] != traced)
        index++;
    if (index == tasks->count)
        return 0;
    tasks->list[index] = tasks->list[--tasks->count];
    tasks->last = NULL;
    int result = traced_leave_code(visit, traced);
    free(traced);
    return result;
}

/* A stop of a task that nobody knows yet. */
static int traced_note_early(struct traced_list *tasks, pid_t task, int status)
{
    struct early *early = list_add(&tasks->early, &tasks->early_count, sizeof(*tasks->early));
    if (!early)
        return -ENOMEM;
    *early = (struct early){task, status};
    return 0;
}

/* Was there one of it? It is forgotten then. */
static bool traced_take_early(struct traced_list *tasks, pid_t task, int *status)
{
    for (size_t index = 0; index < tasks->early_count; index++)
        if (tasks->early[index].task == task) {
            *status = tasks->early[index].status;
            tasks->early[index] = tasks->early[--tasks->early_count];
            return true;
        }
    return false;
}

/* ----------------------------------------------------------------------------------------------
 * Tracer and tasks on one CPU: they take turns anyway, and across two CPUs a turn costs thrice
 * as much. A program that asks where it may run gets the answer that it would get otherwise. */

/* The CPU to share, which the tracer then stays on; -1: none. */
static int cpu_choose(const struct command_visit *visit)
{
    cpu_set_t one;
    bool pinned = visit->cell->command.controls & CONTROL_BIT(CONTROL_CPU) && visit->cell->cpu >= 0;
    int cpu = pinned ? visit->cell->cpu : sched_getcpu();
    if (cpu < 0 || cpu >= CPU_SETSIZE)
        return -1;
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one) < 0 ? -1 : cpu;
}

/* Holds a task there. */
static void cpu_hold(const struct following *following, struct traced *traced)
{
    cpu_set_t one;
    if (following->cpu < 0 || traced->placed)
        return;
    if (!CPU_ISSET((size_t)following->cpu, &traced->allowed)) {
        traced->placed = true; /* by whoever started it */
        return;
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)following->cpu, &one);
    sched_setaffinity(traced->task, sizeof(one), &one);
}

/* Whom the call is about; NULL: none of the program's. */
static struct traced *meant(struct following *following, struct traced *traced)
{
    pid_t task = (pid_t)traced->call.made.arguments[0];
    return task ? traced_find(&following->tasks, task) : traced;
}

void cpu_before_call(struct following *following, struct traced *traced)
{
    enum call_role role = traced->call.role;
    if (following->cpu < 0 || (role != CALL_ASKS_CPUS && role != CALL_CHOOSES_CPUS))
        return;
    struct traced *whom = meant(following, traced);
    if (!whom)
        return;
    /* Lets it go where it may run. */
    if (following->cpu >= 0 && !whom->placed)
        sched_setaffinity(whom->task, sizeof(whom->allowed), &whom->allowed);
    if (role == CALL_CHOOSES_CPUS)
        whom->placed = true;
}

void cpu_after_call(struct following *following, struct traced *traced)
{
    if (following->cpu < 0 || traced->call.role != CALL_ASKS_CPUS)
        return;
    struct traced *whom = meant(following, traced);
    if (whom)
        cpu_hold(following, whom);
}

/* ----------------------------------------------------------------------------------------------
 * Hides the vDSO from a program that has just been executed: it is told of it by two entries of
 * the auxiliary vector, which then say nothing. Asking for the time is a system call afterwards. */

#define WORDS_MOST (64u << 20) /* of arguments and environment: more than can be */

/* The stack: a count, arguments, 0, environment, 0, then pairs of which the last is AT_NULL. */
struct stack {
    pid_t task;
    uint64_t at;
    size_t width; /* bytes of a word */
    uint64_t read;
};

static int word_here(struct stack *stack, uint64_t *word)
{
    if (stack->read++ > WORDS_MOST)
        return -E2BIG;
    errno = 0;
    long found = ptrace(PTRACE_PEEKDATA, stack->task, (void *)(uintptr_t)stack->at, NULL);
    if (errno)
        return -errno;
    *word = stack->width == 4 ? (uint32_t)found : (uint64_t)found;
    return 0;
}

static int skip_list(struct stack *stack)
{
    uint64_t word = 1;
    int result = 0;
    while (result == 0 && word) {
        result = word_here(stack, &word);
        stack->at += stack->width;
    }
    return result;
}

/* The whole machine word is written back, with the lower part of it replaced where words are
 * shorter. */
static int overwrite(const struct stack *stack, uint64_t value)
{
    errno = 0;
    long word = ptrace(PTRACE_PEEKDATA, stack->task, (void *)(uintptr_t)stack->at, NULL);
    if (errno)
        return -errno;
    memcpy(&word, &value, stack->width); /* ISAs with a kit are little-endian */
    return ptrace(PTRACE_POKEDATA, stack->task, (void *)(uintptr_t)stack->at, (void *)word) < 0
               ? -errno
               : 0;
}

/* At the stop behind an exec. 0 or negative errno. */
static int hide_vdso(pid_t task)
{
    decode_registers registers;
    int result = stepped_registers(task, &registers);
    if (result < 0)
        return result;
    struct stack stack = {.task = task,
                          .at = stepped_stack(&registers),
                          .width = stepped_is_narrow(&registers) ? 4 : 8};
    stack.at += stack.width;
    result = skip_list(&stack);
    if (result == 0)
        result = skip_list(&stack);
    uint64_t type = AT_IGNORE;
    while (result == 0 && type != AT_NULL) {
        result = word_here(&stack, &type);
        if (result == 0 && (type == AT_SYSINFO_EHDR || type == AT_SYSINFO))
            result = overwrite(&stack, AT_IGNORE);
        stack.at += 2 * stack.width;
    }
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * Sequences of an exclusive load and its store: stopped in between, the store fails and the loop
 * around both never ends. They run in one go to breakpoints behind them, and what was executed
 * is told from where the task came out. */

#if DECODE_EXCLUSIVES

#define ENDS 2 /* behind the store, and where a branch leaves it */

struct breakpoint {
    uint64_t address;
    long word; /* what stood there */
};

static int peek(pid_t task, uint64_t address, long *word)
{
    errno = 0;
    *word = ptrace(PTRACE_PEEKTEXT, task, (void *)(uintptr_t)address, NULL);
    return -errno;
}

static int poke(pid_t task, uint64_t address, long word)
{
    return ptrace(PTRACE_POKETEXT, task, (void *)(uintptr_t)address, (void *)word) < 0 ? -errno : 0;
}

static int set_breakpoint(pid_t task, struct breakpoint *breakpoint, uint64_t address)
{
    breakpoint->address = address;
    int result = peek(task, address, &breakpoint->word);
    if (result < 0)
        return result;
    uint64_t word =
        ((uint64_t)breakpoint->word & ~(uint64_t)DECODE_BREAKPOINT_MASK) | DECODE_BREAKPOINT;
    return poke(task, address, (long)word);
}

/* Runs a sequence that must not be stopped from its first instruction on, and counts it.
 * *status: of the wait that ended it. 0, or negative errno; -ENOTSUP: it is not understood. */
static int exclusive_run(struct following *following, struct traced *traced, int *status)
{
    uint32_t words[DECODE_SEQUENCE];
    struct decode_sequence sequence;
    struct breakpoint breakpoints[ENDS];
    size_t count = 1;
    pid_t task = traced->task;
    uint64_t begun = traced->begun, here = 0;
    for (size_t index = 0; index < DECODE_SEQUENCE; index += 2) {
        long word;
        if (peek(task, begun + 4 * index, &word) < 0)
            word = 0; /* the end of what is mapped: no such instruction */
        memcpy(words + index, &word, sizeof(word));
    }
    if (!decode_exclusive(words, &sequence))
        return -ENOTSUP;
    uint64_t branch = begun + (uint64_t)sequence.branch_bytes, end = begun + 4 * sequence.length;
    int result = set_breakpoint(task, &breakpoints[0], end);
    if (result == 0 && sequence.branch)
        result = set_breakpoint(task, &breakpoints[count++], branch);
    if (result == 0) {
        /* Runs to one of the breakpoints, or to whatever stops it first. */
        result = ptrace(PTRACE_CONT, task, NULL, NULL) < 0 ? -errno : 0;
        while (result == 0 && waitpid(task, status, __WALL) < 0)
            result = errno == EINTR ? 0 : -errno;
        for (size_t index = count; index-- > 0;)
            if (result == 0 && WIFSTOPPED(*status))
                result = poke(task, breakpoints[index].address, breakpoints[index].word);
    }
    if (result < 0 || !WIFSTOPPED(*status))
        return result;
    result = stepped_address(task, &here);
    if (result < 0)
        return result;
    /* A signal may stop it inside: then what stands before was executed. */
    unsigned executed = here == end                         ? sequence.length
                        : sequence.branch && here == branch ? sequence.branch
                        : here > begun && here < end        ? (unsigned)(here - begun) / 4
                                                            : 0;
    traced->begun = here;
    traced->instruction = NULL;
    /* Each of the sequence's instructions was executed once, up to where the task came out. */
    for (unsigned index = 0; index < executed; index++) {
        struct instruction *instruction;
        result =
            code_at(following->visit, traced->code, traced->task, begun + 4 * index, &instruction);
        if (result < 0)
            return result;
        instruction->executions++;
        following->instructions++;
    }
    return 0;
}
#else
static int exclusive_run(struct following *following, struct traced *traced, int *status)
{
    (void)following, (void)traced, (void)status;
    return -ENOTSUP;
}
#endif

/* --- Stops, births, execs and ends of all tasks --- */

#define STOP_AT_CALL (SIGTRAP | 0x80) /* PTRACE_O_TRACESYSGOOD */

static int lost(const struct following *following, int error)
{
    return command_fail(following->visit, -error, "tracing the program failed: %s",
                        strerror(error));
}

/* --- going on --- */

/* One that is gone meanwhile was killed, and its end will be told. */
static int request(enum __ptrace_request what, pid_t task, int signal)
{
    if (ptrace(what, task, NULL, (void *)(intptr_t)signal) < 0 && errno != ESRCH)
        return -errno;
    return 0;
}

static int on_stop(struct following *following, struct traced *traced, int status);

/* Lets a task go on from where it stands (traced->begun), with a signal or 0. */
static int resume(struct following *following, struct traced *traced, int signal)
{
    traced->passed = signal;
    if (following->stepping && following->begun && !signal && traced->instruction &&
        traced->instruction->kind == KIND_EXCLUSIVE) {
        /* A sequence that cannot be stepped runs here, and ends with a stop of its own. */
        int status = 0;
        pid_t task = traced->task;
        int result = exclusive_run(following, traced, &status);
        if (result == -ENOTSUP)
            return command_fail(following->visit, result,
                                "at %#llx stands an exclusive load whose store cannot be found: it "
                                "cannot be stepped. Count it with another source",
                                (unsigned long long)traced->begun);
        if (result < 0)
            return lost(following, -result);
        if (WIFSTOPPED(status))
            return on_stop(following, traced, status);
        return traced_note_early(&following->tasks, task, status);
    }
    enum __ptrace_request how = !following->begun     ? PTRACE_CONT
                                : following->stepping ? PTRACE_SINGLESTEP
                                                      : PTRACE_SYSCALL;
    int result = request(how, traced->task, signal);
    return result < 0 ? lost(following, -result) : 0;
}

/* Where it stands now is where it goes on. */
static int go_on(struct following *following, struct traced *traced, int signal)
{
    int result = following->begun ? stop_prepare(following, traced) : 0;
    return result < 0 ? result : resume(following, traced, signal);
}

/* --- births --- */

static int message_of(pid_t task, pid_t *other)
{
    unsigned long message = 0;
    if (ptrace(PTRACE_GETEVENTMSG, task, NULL, &message) < 0)
        return -errno;
    *other = (pid_t)message;
    return 0;
}

static struct code *code_for(const struct traced *parent, uint64_t flags)
{
    if (!(flags & CLONE_VM))
        return code_new();
    parent->code->users++;
    return parent->code;
}

/* --- exec --- */

/* Whatever thread made the call, it is the process's first one now, and its only one. */
static int take_over(struct following *following, struct traced **traced)
{
    pid_t task = (*traced)->task, former = task;
    int result = message_of(task, &former);
    struct traced *caller = result == 0 ? traced_find(&following->tasks, former) : NULL;
    if (!caller)
        caller = *traced;
    for (size_t index = following->tasks.count; index-- > 0 && result == 0;) {
        struct traced *other = following->tasks.list[index];
        if (other->process != task || other == caller)
            continue;
        stop_ended(following, other, 0);
        result = traced_remove(following->visit, &following->tasks, other);
    }
    caller->task = task;
    following->tasks.last = NULL;
    *traced = caller;
    return result;
}

static int new_image(struct following *following, struct traced *traced)
{
    decode_registers registers;
    int result = traced_leave_code(following->visit, traced);
    if (result < 0)
        return result;
    traced->code = code_new();
    if (!traced->code)
        return command_fail(following->visit, -ENOMEM, "out of memory");
    result = stepped_registers(traced->task, &registers);
    if (result == -ENOTSUP)
        return command_fail(following->visit, result,
                            "it is a 32-bit program, which cannot be followed on this ISA");
    if (result == 0 && following->telling)
        result = hide_vdso(traced->task);
    return result < 0 && result != -ESRCH ? lost(following, -result) : 0;
}

static int on_exec(struct following *following, struct traced *traced)
{
    int result = 0;
    if (following->begun) {
        result = take_over(following, &traced);
        if (result == 0)
            stop_executed(following, traced);
    } else if (following->cpu >= 0) {
        sched_getaffinity(traced->task, sizeof(traced->allowed), &traced->allowed);
        cpu_hold(following, traced);
    }
    following->begun = true;
    traced->executed = true;
    traced->calling = false;
    if (result == 0)
        result = new_image(following, traced);
    return result < 0 ? result : go_on(following, traced, 0);
}

/* --- stops --- */

static int on_event(struct following *following, struct traced *traced, int event, int signal)
{
    int result;
    switch (event) {
    case PTRACE_EVENT_FORK:
    case PTRACE_EVENT_VFORK:
    case PTRACE_EVENT_CLONE: {
        pid_t task = 0;
        int status;
        uint64_t flags = 0;
        int error = message_of(traced->task, &task);
        if (error < 0)
            return error == -ESRCH ? 0 : lost(following, -error);
        error = stop_clone_flags(following, traced, &flags);
        if (error < 0)
            return error;
        if (event == PTRACE_EVENT_VFORK)
            flags |= CLONE_VM;
        struct code *code = code_for(traced, flags);
        pid_t process = flags & CLONE_THREAD ? traced->process : task;
        struct traced *child = code ? traced_add(&following->tasks, task, process, code) : NULL;
        if (!child)
            return command_fail(following->visit, -ENOMEM, "out of memory");
        child->allowed = traced->allowed;
        child->placed = traced->placed;
        error = traced_take_early(&following->tasks, task, &status)
                    ? on_stop(following, child, status)
                    : 0;
        return error < 0 ? error : resume(following, traced, 0);
    }
    case PTRACE_EVENT_EXEC:
        return on_exec(following, traced);
    case PTRACE_EVENT_STOP:
        if (signal == SIGTRAP) /* newborn, or going on after a stop by job control */
            return go_on(following, traced, 0);
        result = request(PTRACE_LISTEN, traced->task, 0);
        return result < 0 ? lost(following, -result) : 0;
    default:
        return resume(following, traced, 0);
    }
}

static int on_stop(struct following *following, struct traced *traced, int status)
{
    int signal = WSTOPSIG(status), event = status >> 16, result = 0;
    if (event)
        return on_event(following, traced, event, signal);
    if (signal == STOP_AT_CALL)
        result = stop_call(following, traced);
    else if (signal == SIGTRAP && following->stepping && following->begun)
        result = stop_stepped(following, traced, &signal);
    else
        stop_forget(following, traced, signal);
    if (result < 0)
        return result == -ESRCH ? 0 : result; /* killed while it stood: its end follows */
    return go_on(following, traced, signal == STOP_AT_CALL ? 0 : signal);
}

/* --- waiting --- */

/* The only task there is can be waited for by name; with others, any. */
static pid_t next_stop(struct following *following, int *status)
{
    struct traced_list *tasks = &following->tasks;
    for (size_t index = 0; index < tasks->early_count; index++) {
        pid_t known = tasks->early[index].task;
        if (traced_find(tasks, known) && traced_take_early(tasks, known, status))
            return known;
    }
    pid_t task = tasks->count == 1 ? tasks->list[0]->task : -1, found;
    do
        found = waitpid(task, status, __WALL);
    while (found < 0 && errno == EINTR);
    return found;
}

static int on_end(struct following *following, struct traced *traced, int status)
{
    stop_ended(following, traced, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return traced_remove(following->visit, &following->tasks, traced);
}

static int follow_on(struct following *following, int *status)
{
    pid_t first = following->execution->pid;
    for (;;) {
        pid_t task = next_stop(following, status);
        if (task < 0)
            return lost(following, errno);
        struct traced *traced = traced_find(&following->tasks, task);
        int result = 0;
        if (traced && WIFSTOPPED(*status))
            result = on_stop(following, traced, *status);
        else if (traced)
            result = on_end(following, traced, *status);
        else if (WIFSTOPPED(*status))
            result = traced_note_early(&following->tasks, task, *status);
        if (result < 0)
            return result;
        if (task == first && !WIFSTOPPED(*status))
            return 0;
    }
}

int follow(struct following *following, int *status)
{
    following->cpu = following->stepping ? cpu_choose(following->visit) : -1;
    if (following->telling)
        following->record.writer = detail_writer(following->visit->detail);
    int result;
    const uintptr_t options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
                              PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
    pid_t first = following->execution->pid;
    struct code *code = code_new();
    if (!code || !traced_add(&following->tasks, first, first, code))
        result = command_fail(following->visit, -ENOMEM, "out of memory");
    else if (ptrace(PTRACE_SEIZE, first, NULL, (void *)options) < 0)
        result = command_fail(following->visit, -errno,
                              "ptrace is refused: %s. A seccomp filter (as in a container) or "
                              "kernel.yama.ptrace_scope may forbid it",
                              strerror(errno));
    else
        result = launch_release(following->visit, following->execution);
    if (result == 0)
        result = follow_on(following, status);
    /* What is left when the first process has ended is ended by whoever started it. */
    if (result < 0)
        return result;
    while (following->tasks.count && result == 0)
        result = traced_remove(following->visit, &following->tasks, following->tasks.list[0]);
    int written = following->telling ? call_finish(&following->record) : 0;
    if (result == 0 && written < 0)
        return command_fail(following->visit, written, "details cannot be written: %s",
                            strerror(-written));
    return result;
}

void follow_free(struct following *following)
{
    wire_writer_free(&following->record.writer);
    struct traced_list *tasks = &following->tasks;
    for (size_t index = 0; index < tasks->count; index++) {
        struct traced *traced = tasks->list[index];
        if (traced->code && --traced->code->users == 0)
            code_free(traced->code);
        free(traced);
    }
    free(tasks->list);
    free(tasks->early);
    *tasks = (struct traced_list){0};
}
