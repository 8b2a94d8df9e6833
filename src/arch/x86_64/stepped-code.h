/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who steps through whole programs must know of x86-64, and of the 32-bit programs that run on
 * it (decode.h has what windows need). */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>

#include "decode.h"
#include "stepped-kind.h"

#define STEPPED_SELECTOR_NARROW 0x23u               /* code segment of 32-bit programs */
#define STEPPED_VSYSCALL        0xffffffffff600000u /* executed by the operating system */
#define STEPPED_TRAP_FLAG       0x100u
#define STEPPED_EXTRA_STOP      false /* after a system call there is no second stop */

/* Where a stopped task stands. */
static inline int stepped_address(pid_t task, uint64_t *address)
{
    errno = 0;
    *address =
        (uint64_t)ptrace(PTRACE_PEEKUSER, task, (void *)offsetof(struct user, regs.rip), NULL);
    return -errno;
}

/* Its registers, in the 64-bit form whatever the program is. -ENOTSUP: none that is known here. */
static inline int stepped_registers(pid_t task, decode_registers *registers)
{
    return ptrace(PTRACE_GETREGS, task, NULL, registers) < 0 ? -errno : 0;
}

static inline bool stepped_is_narrow(const decode_registers *registers)
{
    return registers->cs == STEPPED_SELECTOR_NARROW;
}

static inline uint64_t stepped_stack(const decode_registers *registers)
{
    return registers->rsp;
}

/* An address that the operating system acts for: it returns to where the stack says, and the
 * program's next instruction is the one there. */
static inline bool stepped_is_emulated(uint64_t address)
{
    return (address & ~(uint64_t)0xfff) == STEPPED_VSYSCALL;
}

static inline enum stepped_stop stepped_stop(const siginfo_t *information)
{
    switch (information->si_code) {
    case TRAP_TRACE:
    case TRAP_HWBKPT:
        return STOP_EXECUTED;
    case TRAP_BRKPT:
        return STOP_RETURNED;
    case STOP_CODE_ENTERED:
        return STOP_ENTERED;
    case SI_KERNEL:
        return STOP_TRAPPED;
    default:
        return STOP_SENT;
    }
}

/* --- system calls --- */

/* code: of the instruction. before: the task stands on it; else it is inside or behind the call. */
static inline void stepped_call(const decode_registers *registers, const uint8_t *code, bool before,
                                struct stepped_call *call)
{
    call->narrow = stepped_is_narrow(registers) || code[0] == 0xcd;
    uint64_t number = before ? registers->rax : registers->orig_rax;
    const uint64_t wide[6] = {registers->rdi, registers->rsi, registers->rdx,
                              registers->r10, registers->r8,  registers->r9};
    const uint64_t narrow[6] = {registers->rbx, registers->rcx, registers->rdx,
                                registers->rsi, registers->rdi, registers->rbp};
    call->number = call->narrow ? (int64_t)(int32_t)number : (int64_t)(number & ~0x40000000ul);
    for (unsigned index = 0; index < 6; index++)
        call->arguments[index] = call->narrow ? narrow[index] & 0xffffffffu : wide[index];
}

/* Behind the call. */
static inline int64_t stepped_result(const decode_registers *registers)
{
    return stepped_is_narrow(registers) ? (int64_t)(int32_t)registers->rax
                                        : (int64_t)registers->rax;
}

/* --- instructions: bytes that are not there are zero --- */

struct stepped_prefixes {
    unsigned count;
    bool repeats;
    bool operand, address, widened; /* 0x66, 0x67, REX.W */
};

static inline struct stepped_prefixes stepped_prefixes(const uint8_t *code, bool narrow)
{
    struct stepped_prefixes found = {0};
    while (found.count < DECODE_LONGEST - 1 && code[found.count] &&
           strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", code[found.count])) {
        uint8_t prefix = code[found.count++];
        found.repeats |= prefix == 0xf2 || prefix == 0xf3;
        found.operand |= prefix == 0x66;
        found.address |= prefix == 0x67;
    }
    if (!narrow && (code[found.count] & 0xf0) == 0x40)
        found.widened = code[found.count++] & 8;
    return found;
}

/* Bytes of the part that names a register or a place in memory. */
static inline unsigned stepped_operand(const uint8_t *code, bool short_addresses)
{
    unsigned mode = code[0] >> 6, base = code[0] & 7;
    if (mode == 3)
        return 1;
    if (short_addresses)
        return 1 + (mode == 0 ? (base == 6 ? 2 : 0) : mode);
    unsigned index = base == 4;
    bool none = mode == 0 && (index ? (code[1] & 7) == 5 : base == 5);
    return 1 + index + (none ? 4 : mode == 0 ? 0 : mode == 1 ? 1 : 4);
}

static inline enum stepped_kind stepped_kind(const uint8_t *code, bool narrow)
{
    struct stepped_prefixes prefixes = stepped_prefixes(code, narrow);
    const uint8_t *at = code + prefixes.count;
    if (prefixes.repeats && ((at[0] >= 0x6c && at[0] <= 0x6f) || (at[0] >= 0xa4 && at[0] <= 0xa7) ||
                             (at[0] >= 0xaa && at[0] <= 0xaf)))
        return KIND_REPEATED;
    if ((at[0] == 0x8e && (at[1] & 0x38) == 0x10) || (narrow && at[0] == 0x17))
        return KIND_HOLDS;
    if ((at[0] == 0x0f && (at[1] == 0x05 || at[1] == 0x34)) || (at[0] == 0xcd && at[1] == 0x80))
        return KIND_CALL;
    if (at[0] == 0xcc || at[0] == 0xf1 || at[0] == 0xcd || at[0] == 0xce)
        return KIND_TRAPS;
    unsigned field = (at[1] >> 3) & 7;
    if (at[0] == 0xca || at[0] == 0xcb || at[0] == 0xcf ||
        (at[0] == 0xff && (field == 3 || field == 5)) ||
        (narrow && (at[0] == 0x9a || at[0] == 0xea)))
        return KIND_FAR;
    return at[0] == 0x9c ? KIND_FLAGS : KIND_PLAIN;
}

/* Bytes of one that holds its trap back. */
static inline unsigned stepped_held_length(const uint8_t *code, bool narrow)
{
    struct stepped_prefixes prefixes = stepped_prefixes(code, narrow);
    if (code[prefixes.count] == 0x17)
        return prefixes.count + 1;
    return prefixes.count + 1 +
           stepped_operand(code + prefixes.count + 1, narrow && prefixes.address);
}

/* Bytes of an instruction behind which another than the next may follow; 0: it is none of these,
 * and so its length is the way to the next. */
static inline unsigned stepped_transfer(const uint8_t *code, bool narrow)
{
    static const struct {
        uint8_t first, last, bytes, shortened; /* shortened: by 16-bit operands */
    } near[] = {{0x70, 0x7f, 2, 2}, {0xe0, 0xe3, 2, 2}, {0xeb, 0xeb, 2, 2}, {0xe8, 0xe9, 5, 3},
                {0xc3, 0xc3, 1, 1}, {0xcb, 0xcc, 1, 1}, {0xce, 0xcf, 1, 1}, {0xf1, 0xf1, 1, 1},
                {0xc2, 0xc2, 3, 3}, {0xca, 0xca, 3, 3}, {0xcd, 0xcd, 2, 2}};
    struct stepped_prefixes prefixes = stepped_prefixes(code, narrow);
    const uint8_t *at = code + prefixes.count;
    bool is_short = prefixes.operand && narrow;
    for (unsigned index = 0; index < sizeof(near) / sizeof(*near); index++)
        if (at[0] >= near[index].first && at[0] <= near[index].last)
            return prefixes.count + (is_short ? near[index].shortened : near[index].bytes);
    if (narrow && (at[0] == 0x9a || at[0] == 0xea))
        return prefixes.count + (is_short ? 5 : 7);
    if (at[0] == 0xff && ((at[1] >> 3) & 7) >= 2 && ((at[1] >> 3) & 7) <= 5)
        return prefixes.count + 1 + stepped_operand(at + 1, narrow && prefixes.address);
    if (at[0] == 0x0f && at[1] >= 0x80 && at[1] <= 0x8f)
        return prefixes.count + (is_short ? 4 : 6);
    if (at[0] == 0x0f && (at[1] == 0x05 || at[1] == 0x07 || at[1] == 0x34 || at[1] == 0x35))
        return prefixes.count + 2;
    return at[0] == 0xc7 && at[1] == 0xf8 ? prefixes.count + 6 : 0;
}
