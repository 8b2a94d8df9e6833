/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The flag that makes an x86 trap after every instruction. A program may set it for itself. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "decode.h"
#include "user-counter.h"

#define TRAP_FLAG 1

/* The trap that popf switches on comes after the instruction behind it: that is the nop, so that
 * the first trap shows where the code of interest begins. The code must have no red zone. */
#define TRAP_FLAG_SET                                                                              \
    "pushfq\n"                                                                                     \
    "\torq $0x100, (%%rsp)\n"                                                                      \
    "\tpopfq\n"                                                                                    \
    "\tnop"

/* All three still trap, the last because the flag was set when it began. */
#define TRAP_FLAG_CLEAR                                                                            \
    "pushfq\n"                                                                                     \
    "\tandq $~0x100, (%%rsp)\n"                                                                    \
    "\tpopfq"

/* Around both in code with a red zone, which they would write into. */
#define TRAP_FLAG_BELOW "leaq -128(%%rsp), %%rsp\n\t"
#define TRAP_FLAG_ABOVE "\n\tleaq 128(%%rsp), %%rsp"

/* Traps of the two texts themselves: nop, pushfq, andq, popfq. */
#define TRAP_FLAG_OWN 4

/* Bytes of the int3 or int1 at code, 0: it is neither. Of the page of the old vsyscalls, which may
 * not be read, nothing is known. */
static inline size_t trap_flag_breakpoint(const unsigned char *code)
{
    bool repeats;
    if ((intptr_t)code <= 0)
        return 0;
    size_t prefixes = decode_prefixes(code, DECODE_LONGEST, &repeats);
    return code[prefixes] == 0xcc || code[prefixes] == 0xf1 ? prefixes + 1 : 0;
}

/* Did the flag make a trap with this si_code, after the instruction that begun points at (NULL: not
 * known)? set: the code goes on with the flag, as all does but behind a popf. Some hypervisors now
 * and then lose the bit in DR6 that says so. The operating system then takes the trap for that of
 * int1, which is the only other one without a reason. */
static inline bool trap_flag_made(int code, const unsigned char *begun, bool set)
{
    return code == TRAP_TRACE ||
           (code == TRAP_BRKPT && (begun || set) && !trap_flag_breakpoint(begun));
}

/* May the CPU have executed the instruction at begun and stand on it again? A jump to itself may
 * be, a system call that is made again, and a repetition where rcx counted: what else did not move
 * on was not executed. */
static inline bool trap_flag_may_stay(const unsigned char *begun, bool counted)
{
    bool repeats;
    int32_t distance = 0;
    if ((intptr_t)begun <= 0)
        return true;
    int prefixes = (int)decode_prefixes(begun, DECODE_LONGEST, &repeats);
    const unsigned char *at = begun + prefixes;
    if ((at[0] & 0xfc) == 0xe0 && at[0] != 0xe3) /* loop */
        return counted;
    if (at[0] == 0xeb || at[0] == 0xe3 || (at[0] & 0xf0) == 0x70)
        return (signed char)at[1] == -(prefixes + 2);
    if (at[0] == 0xe9 || (at[0] == 0x0f && (at[1] & 0xf0) == 0x80)) {
        int bytes = prefixes + (at[0] == 0xe9 ? 5 : 6);
        memcpy(&distance, begun + bytes - 4, sizeof(distance));
        return distance == -bytes;
    }
    if (at[0] == 0x0f)
        return at[1] == 0x05 || at[1] == 0x34;
    if (decode_is_repeated(begun, DECODE_LONGEST))
        return counted;
    return at[0] && strchr("\xc2\xc3\xca\xcb\xcd\xcf\xe8\xff", at[0]); /* ret, int, iret, call */
}

/* Is it a system call, or was it on the page of the old vsyscalls? */
static inline bool trap_flag_calls(const unsigned char *begun)
{
    return (intptr_t)begun < 0 || decode_is_system_call_at(begun) ||
           (begun[0] == 0xcd && begun[1] == 0x80);
}

/* Traps in a row that showed an instruction which had not been executed: with so many, the flag is
 * given up. */
#define TRAP_STUCK_MOST 100u

/* How many instructions ended with a trap, the CPU having been about to begin `begun` (NULL: not
 * known) and being about to go on at `next`:
 *  - none, while a repeated string instruction repeats itself: it traps after every repetition;
 *  - two behind one that holds its trap back, and where the trap of a system call was lost;
 *  - one else. Of the page of the old vsyscalls, where the operating system acts in the place of
 *    code and which may not be read, it is the instruction behind the call of it. */
static inline unsigned trap_flag_stands_for(const unsigned char *begun, const unsigned char *next)
{
    if (!begun || (intptr_t)begun < 0)
        return 1;
    if (begun == next && decode_is_repeated(begun, DECODE_LONGEST))
        return 0;
    if (decode_holds_trap(begun, DECODE_LONGEST))
        return 2;
    bool behind = next == begun + DECODE_SYSTEM_CALL_BYTES; /* int $0x80 is as long */
    return trap_flag_calls(begun) && !behind ? 2 : 1;
}

/* What the handler of a trap sees and changes of the code it interrupted, on x86-64; and the flag
 * of the code that asks. */

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
