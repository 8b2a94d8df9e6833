/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Who touches a word, seen by a tracer without debug registers: every instruction of the code is
 * executed twice from the same registers, with two different values in the word. What overwrites
 * them has written, what ends with different registers has read. Independent of perf, whose
 * breakpoints (like those of ptrace) are the debug registers of the CPU. For code that does nothing
 * a second time would change: no system calls, no updates of other memory. */
#pragma once

#include <string.h>

#include "unit/step.h"

struct watch {
    uintptr_t word;          /* of eight bytes */
    uintptr_t begin, end;    /* the code that is watched */
    uint64_t writes, either; /* instructions that wrote it; that wrote or read it */
};

/* All registers that user code has: general and floating-point ones, as ptrace gives them. */
struct watched_registers {
    char general[512], vectors[16384];
    size_t general_size, vectors_size;
};

#if defined(__x86_64__)
#define WATCH_VECTORS NT_X86_XSTATE /* FPREGSET lacks the upper halves */
#else
#define WATCH_VECTORS NT_PRFPREG
#endif

static inline bool watch_get(pid_t child, struct watched_registers *registers)
{
    memset(registers, 0, sizeof(*registers));
    struct iovec general = {registers->general, sizeof(registers->general)};
    struct iovec vectors = {registers->vectors, sizeof(registers->vectors)};
    bool got = ptrace(PTRACE_GETREGSET, child, (void *)NT_PRSTATUS, &general) == 0 &&
               ptrace(PTRACE_GETREGSET, child, (void *)WATCH_VECTORS, &vectors) == 0;
    registers->general_size = general.iov_len;
    registers->vectors_size = vectors.iov_len;
    return got;
}

static inline bool watch_set(pid_t child, struct watched_registers *registers)
{
    struct iovec general = {registers->general, registers->general_size};
    struct iovec vectors = {registers->vectors, registers->vectors_size};
    return ptrace(PTRACE_SETREGSET, child, (void *)NT_PRSTATUS, &general) == 0 &&
           ptrace(PTRACE_SETREGSET, child, (void *)WATCH_VECTORS, &vectors) == 0;
}

/* Executes the instruction that the child stands at, with `value` in the word; *left: what is there
 * then. */
static inline bool watch_step(pid_t child, const struct watch *watch, uint64_t value,
                              uint64_t *left, struct watched_registers *after)
{
    int status;
    if (ptrace(PTRACE_POKEDATA, child, (void *)watch->word, (void *)value) < 0 ||
        ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0 || waitpid(child, &status, 0) < 0 ||
        !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
        return false;
    errno = 0;
    *left = (uint64_t)ptrace(PTRACE_PEEKDATA, child, (void *)watch->word, NULL);
    return errno == 0 && watch_get(child, after);
}

/* One instruction of the code. False: it could not be watched. */
static inline bool watch_one(pid_t child, struct watch *watch)
{
    static const uint64_t values[2] = {0x5bd1e995a0761d65u, 0xe7037ed1c2b2ae3du};
    static struct watched_registers before, after[2];
    uint64_t left[2];
    if (!watch_get(child, &before) || !watch_step(child, watch, values[0], &left[0], &after[0]) ||
        !watch_set(child, &before) || !watch_step(child, watch, values[1], &left[1], &after[1]))
        return false;
    bool wrote = left[0] != values[0] || left[1] != values[1];
    bool read =
        memcmp(&after[0], &after[1], sizeof(after[0])) != 0 || (wrote && left[0] != left[1]);
    watch->writes += wrote;
    watch->either += wrote || read;
    return true;
}

/* Follows a child that stands at its first stop to its end, and watches the code on the way. */
static inline bool watch_child(pid_t child, struct watch *watch)
{
    int status;
    if (waitpid(child, &status, 0) < 0)
        return false;
    ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)PTRACE_O_EXITKILL);
    while (WIFSTOPPED(status)) {
        uintptr_t at = step_address(child);
        if (at >= watch->begin && at < watch->end) {
            if (!watch_one(child, watch))
                return false;
        } else if (ptrace(PTRACE_SINGLESTEP, child, NULL, NULL) < 0 ||
                   waitpid(child, &status, 0) < 0) {
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
