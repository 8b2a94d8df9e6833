/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits for stops of all tasks of a program, follows those that are born, and passes signals on.
 * Tasks are seized, not attached to: so a stop by job control is one for them as well. */
#include "probe/command/step.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "stepped-code.h"

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

/* A sequence that cannot be stepped runs here, and ends with a stop of its own. */
static int run_exclusive(struct following *following, struct traced *traced)
{
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

int follow_resume(struct following *following, struct traced *traced, int signal)
{
    traced->passed = signal;
    if (following->stepping && following->begun && !signal && traced->instruction &&
        traced->instruction->kind == KIND_EXCLUSIVE)
        return run_exclusive(following, traced);
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
    return result < 0 ? result : follow_resume(following, traced, signal);
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

static int on_birth(struct following *following, struct traced *parent, int event)
{
    pid_t task = 0;
    int status;
    uint64_t flags = 0;
    int result = message_of(parent->task, &task);
    if (result < 0)
        return result == -ESRCH ? 0 : lost(following, -result);
    result = stop_clone_flags(following, parent, &flags);
    if (result < 0)
        return result;
    if (event == PTRACE_EVENT_VFORK)
        flags |= CLONE_VM;
    struct code *code = code_for(parent, flags);
    pid_t process = flags & CLONE_THREAD ? parent->process : task;
    struct traced *child = code ? traced_add(&following->tasks, task, process, code) : NULL;
    if (!child)
        return command_fail(following->visit, -ENOMEM, "out of memory");
    child->allowed = parent->allowed;
    child->placed = parent->placed;
    result =
        traced_take_early(&following->tasks, task, &status) ? on_stop(following, child, status) : 0;
    return result < 0 ? result : follow_resume(following, parent, 0);
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
        result = call_hide_vdso(traced->task);
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
    case PTRACE_EVENT_CLONE:
        return on_birth(following, traced, event);
    case PTRACE_EVENT_EXEC:
        return on_exec(following, traced);
    case PTRACE_EVENT_STOP:
        if (signal == SIGTRAP) /* newborn, or going on after a stop by job control */
            return go_on(following, traced, 0);
        result = request(PTRACE_LISTEN, traced->task, 0);
        return result < 0 ? lost(following, -result) : 0;
    default:
        return follow_resume(following, traced, 0);
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

static int seize(struct following *following)
{
    const uintptr_t options = PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK |
                              PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC;
    pid_t first = following->execution->pid;
    struct code *code = code_new();
    if (!code || !traced_add(&following->tasks, first, first, code))
        return command_fail(following->visit, -ENOMEM, "out of memory");
    if (ptrace(PTRACE_SEIZE, first, NULL, (void *)options) < 0)
        return command_fail(following->visit, -errno,
                            "ptrace is refused: %s. A seccomp filter (as in a container) or "
                            "kernel.yama.ptrace_scope may forbid it",
                            strerror(errno));
    return launch_release(following->visit, following->execution);
}

/* What is left when the first process has ended is ended by whoever started it. */
static int write_rest(struct following *following)
{
    int result = 0;
    while (following->tasks.count && result == 0)
        result = traced_remove(following->visit, &following->tasks, following->tasks.list[0]);
    int written = following->telling ? call_finish(&following->record) : 0;
    if (result == 0 && written < 0)
        return command_fail(following->visit, written, "details cannot be written: %s",
                            strerror(-written));
    return result;
}

int follow(struct following *following, int *status)
{
    following->cpu = following->stepping ? cpu_choose(following->visit) : -1;
    if (following->telling)
        following->record.writer = detail_writer(following->visit->detail);
    int result = seize(following);
    if (result == 0)
        result = follow_on(following, status);
    return result < 0 ? result : write_rest(following);
}

void follow_free(struct following *following)
{
    wire_writer_free(&following->record.writer);
    traced_free(&following->tasks);
}
