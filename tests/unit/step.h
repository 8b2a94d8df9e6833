/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts by executing: runs a function in a child, instruction by instruction under ptrace, and
 * counts what it executes between two addresses. Independent of every performance counter. */
#pragma once

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "decode.h"

struct steps {
    uint64_t instructions; /* from the first address up to, not with, the last */
    uint64_t system_calls; /* among them */
};

static inline uintptr_t step_address(pid_t child)
{
    decode_registers registers = {0};
    struct iovec io = {&registers, sizeof(registers)};
    if (ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &io) < 0)
        return 0;
    return decode_program_counter(&registers);
}

static inline bool step_is_system_call(pid_t child, uintptr_t address)
{
    long word = ptrace(PTRACE_PEEKTEXT, child, (void *)address, NULL);
    return decode_is_system_call((uint64_t)word);
}

/* Lets function(argument) run in a child. 0 with the counts; -EIO where the machine cannot step;
 * -ENOENT when it never came by `first`. */
static inline int step(void (*function)(void *argument), void *argument, uintptr_t first,
                       uintptr_t last, struct steps *steps)
{
    int status;
    bool inside = false, passed = false;
    *steps = (struct steps){0};
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        function(argument);
        _exit(0);
    }
    waitpid(child, &status, 0);
    while (WIFSTOPPED(status) && !passed) {
        uintptr_t address = step_address(child);
        if (address == first)
            inside = true;
        if (inside && address == last)
            passed = true;
        if (inside && !passed) {
            steps->instructions++;
            steps->system_calls += step_is_system_call(child, address);
        }
        if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0)
            break;
        waitpid(child, &status, 0);
    }
    if (WIFSTOPPED(status)) {
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    return passed ? 0 : inside ? -EIO : -ENOENT;
}

static __attribute__((noinline, unused)) void step_nothing(void *argument)
{
    __asm__ volatile("" : : "r"(argument) : "memory"); /* a body that stays where it is */
}

/* Some machines (RISC-V, some sandboxes) cannot. */
static inline bool step_possible(void)
{
    struct steps steps;
    uintptr_t first = (uintptr_t)step_nothing;
    return step(step_nothing, NULL, first, 0, &steps) == -EIO && steps.instructions > 1;
}
