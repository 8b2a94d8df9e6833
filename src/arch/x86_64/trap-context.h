/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What the handler of a trap sees and changes of the code it interrupted, on x86-64; and the flag
 * of the code that asks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "decode.h"
#include "trap-place.h"

#define TRAP_FLAG_BIT 0x100

/* A system call that the interrupted code is about to make. */
struct trap_call {
    long number;
    uint64_t arguments[4];
};

static inline bool trap_was_set(uint64_t flags)
{
    return flags & TRAP_FLAG_BIT;
}

static inline __attribute__((always_inline)) bool trap_is_set(void)
{
    uint64_t flags;
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n"
                     "\tpushfq\n"
                     "\tpopq %0\n"
                     "\tleaq 128(%%rsp), %%rsp"
                     : "=r"(flags)
                     :
                     : "memory");
    return trap_was_set(flags);
}

/* Does the code that was interrupted go on trapping? */
static inline bool trap_context_set(const void *context)
{
    return trap_was_set((uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_EFL]);
}

/* What repeated instructions count down. */
static inline uint64_t trap_context_left(const void *context)
{
    return (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RCX];
}

/* It goes on that many bytes further. */
static inline void trap_context_skip(void *context, size_t bytes)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += (greg_t)bytes;
}

/* What stands before the code to which a restartable sequence goes when a signal interrupts it. */
#define TRAP_ABORT_BYTES     4u
#define TRAP_ABORT_SIGNATURE 0x53053053u

/* The code that was interrupted goes on without trapping. */
static inline void trap_context_clear(void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG_BIT;
}

static inline bool trap_context_call(const void *context, struct trap_call *call)
{
    const unsigned char *next = trap_place(context);
    if ((intptr_t)next < 0 || !decode_is_system_call_at(next))
        return false;
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    *call = (struct trap_call){
        .number = (long)registers[REG_RAX],
        .arguments = {(uint64_t)registers[REG_RDI], (uint64_t)registers[REG_RSI],
                      (uint64_t)registers[REG_RDX], (uint64_t)registers[REG_R10]}};
    return true;
}

/* Behind a system call: it failed. */
static inline bool trap_context_failed(const void *context)
{
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] < 0;
}

/* As if the system call had been made, with this result. */
static inline void trap_context_answer(void *context, long result)
{
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    registers[REG_RIP] += DECODE_SYSTEM_CALL_BYTES;
    registers[REG_RAX] = result;
    registers[REG_RCX] = registers[REG_RIP];
    registers[REG_R11] = registers[REG_EFL];
}

/* The signals that will be blocked when the handler has returned: the operating system's set, which
 * is shorter than libc's. */
static inline uint64_t *trap_context_mask(void *context)
{
    return (uint64_t *)(void *)&((ucontext_t *)context)->uc_sigmask;
}
