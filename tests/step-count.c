/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plainest way to count what a program executes, against which tests hold assay's own: a loop
 * of ptrace. step-count PROGRAM [ARGUMENT…] prints how many instructions all of its threads and
 * children executed, each repeated string instruction once, and how many repetitions there were
 * beyond. Addresses are not random. */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_TASKS 64

struct task {
    pid_t pid;
    uint64_t place; /* of the instruction that was let go; 0: none yet */
};

static uint64_t place_of(pid_t pid)
{
#if defined(__x86_64__)
    struct user_regs_struct registers; /* the same of a 32-bit program */
    return ptrace(PTRACE_GETREGS, pid, NULL, &registers) < 0 ? 0 : registers.rip;
#elif defined(__aarch64__)
    struct user_regs_struct registers;
    struct iovec memory = {&registers, sizeof(registers)};
    return ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &memory) < 0 ? 0 : registers.pc;
#else
    (void)pid;
    return 0;
#endif
}

/* Else a stop at the same place was none of a step: a task that begins stops before its first. */
static bool is_repeated(pid_t pid, uint64_t place)
{
    const long bytes = ptrace(PTRACE_PEEKTEXT, pid, (void *)(uintptr_t)place, NULL);
    return (bytes & 0xff) == 0xf3 || (bytes & 0xff) == 0xf2;
}

static struct task *task_of(struct task *tasks, pid_t pid)
{
    struct task *free_one = NULL;
    for (struct task *task = tasks; task < tasks + MOST_TASKS; task++) {
        if (task->pid == pid)
            return task;
        if (!task->pid && !free_one)
            free_one = task;
    }
    if (free_one)
        *free_one = (struct task){.pid = pid};
    return free_one;
}

/* A stop that is no step: a clone, a new task's first, a signal that is not for us. */
static int signal_to_pass(int status)
{
    const int number = WSTOPSIG(status);
    return status >> 16 || number == SIGTRAP || number == SIGSTOP ? 0 : number;
}

static int count(pid_t first)
{
    struct task tasks[MOST_TASKS] = {{first, place_of(first)}};
    uint64_t executed = 0, repetitions = 0;
    int status, result = 1;
    ptrace(PTRACE_SINGLESTEP, first, NULL, NULL);
    for (;;) {
        const pid_t pid = waitpid(-1, &status, __WALL);
        if (pid < 0)
            break;
        struct task *task = task_of(tasks, pid);
        if (!task)
            return fputs("too many tasks\n", stderr), 1;
        if (!WIFSTOPPED(status)) { /* within the system call that was let go */
            executed += task->place != 0;
            if (pid == first)
                result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            task->pid = 0;
            continue;
        }
        const bool stepped = task->place && WSTOPSIG(status) == SIGTRAP && !(status >> 16);
        const uint64_t place = place_of(pid);
        if (stepped && place == task->place)
            repetitions += is_repeated(pid, place);
        else if (stepped)
            executed++;
        if (stepped || !task->place)
            task->place = place;
        ptrace(PTRACE_SINGLESTEP, pid, 0, signal_to_pass(status));
    }
    printf("%llu %llu\n", (unsigned long long)executed, (unsigned long long)repetitions);
    return result;
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2)
        return fputs("usage: step-count PROGRAM [ARGUMENT…]\n", stderr), 2;
    const pid_t pid = fork();
    if (pid == 0) {
        personality((unsigned long)personality(UINT32_MAX) | ADDR_NO_RANDOMIZE);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execv(arguments[1], arguments + 1);
        perror(arguments[1]);
        _exit(127);
    }
    int status;
    if (waitpid(pid, &status, 0) < 0 ||
        ptrace(PTRACE_SETOPTIONS, pid, NULL,
               PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK) < 0)
        return perror("ptrace"), 77;
    ptrace(PTRACE_CONT, pid, NULL, NULL); /* up to the program's first instruction */
    if (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status))
        return fputs("it did not begin\n", stderr), 1;
    return count(pid);
}
