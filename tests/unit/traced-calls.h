/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Counts system calls from outside: a child runs code between two getpid calls, and its tracer sees
 * every entry. Stands after cmocka.h. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include "specimens/specimen.h"
#include "step.h"
#include "syscall.h"

struct traced_calls {
    uint64_t wanted, others; /* entries into one system call, and into any other */
    uint64_t moves;          /* returns from the wanted one on another CPU than the one before */
};

/* Two getpid calls bracket the code. */
struct traced_code {
    void (*code)(struct specimen_state *state);
    struct specimen_state *state;
};

static inline void traced_bracket(const struct traced_code *traced)
{
    assay_syscall0(SYS_getpid);
    traced->code(traced->state);
    assay_syscall0(SYS_getpid);
}

static inline long traced_call(pid_t child)
{
    decode_registers registers = {0};
    struct iovec io = {&registers, sizeof(registers)};
    ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &io);
    return decode_system_call_number(&registers);
}

/* The CPU a task was last on, as /proc says. */
static inline int traced_cpu(pid_t child)
{
    char path[64], text[1024] = "";
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
    FILE *file = fopen(path, "r");
    if (!file)
        return -1;
    size_t got = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[got] = '\0';
    char *at = strrchr(text, ')'); /* the name may hold anything; field 39 is the CPU */
    for (int field = 2; at && field < 39; field++)
        at = strchr(at + 1, ' ');
    return at ? atoi(at) : -1;
}

static inline void traced_count(const struct traced_code *traced, long number,
                                struct traced_calls *calls)
{
    unsigned brackets = 0;
    bool entering = true;
    long call = -1;
    int status, cpu = -1;
    *calls = (struct traced_calls){0};
    pid_t child = fork();
    if (child == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        traced_bracket(traced);
        _exit(0);
    }
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
    while (WIFSTOPPED(status)) {
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            if (entering)
                call = traced_call(child);
            if (entering && call == SYS_getpid)
                brackets++;
            else if (entering && brackets == 1)
                *(call == number ? &calls->wanted : &calls->others) += 1;
            if (!entering && brackets == 1) {
                int now = traced_cpu(child);
                calls->moves += call == number && now != cpu;
                cpu = now;
            }
            entering = !entering;
        }
        if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) < 0)
            break;
        waitpid(child, &status, 0);
    }
    assert_int_equal(brackets, 2);
}
