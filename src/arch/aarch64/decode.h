/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who steps through code on AArch64 must know: where ptrace shows the program counter, and
 * how a system call is encoded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>

#include "exclusive.h"

typedef struct user_regs_struct decode_registers; /* as PTRACE_GETREGSET fills NT_PRSTATUS */

static inline uintptr_t decode_program_counter(const decode_registers *registers)
{
    return registers->pc;
}

static inline void decode_set_program_counter(decode_registers *registers, uintptr_t address)
{
    registers->pc = address;
}

/* At the entry to a system call: which. */
static inline long decode_system_call_number(const decode_registers *registers)
{
    return (long)registers->regs[8];
}

/* Standing on the system-call instruction: which call it will be, and its first two arguments. */
static inline long decode_called_number(const decode_registers *registers)
{
    return (long)registers->regs[8];
}

static inline uint64_t decode_called_argument(const decode_registers *registers, unsigned index)
{
    return index ? registers->regs[1] : registers->regs[0];
}

/* word: what stands at the program counter, as PTRACE_PEEKTEXT gives it. */
static inline bool decode_is_system_call(uint64_t word)
{
    return (word & 0xffffffff) == 0xd4000001; /* svc 0 */
}

#define DECODE_LONGEST           4u /* bytes of an instruction */
#define DECODE_SYSTEM_CALL_BYTES 4
/* A stepped system call stops twice at the same place: when it returns, and as the step it is. */
#define DECODE_SYSTEM_CALL_STOPS 2

static inline bool decode_is_system_call_at(const unsigned char *code)
{
    uint32_t word;
    memcpy(&word, code, sizeof(word));
    return decode_is_system_call(word);
}

/* No instruction repeats itself, and none holds back its trap. */
static inline bool decode_is_repeated(const unsigned char *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

static inline bool decode_holds_trap(const unsigned char *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* brk 0; the program counter stays on it. */
#define DECODE_BREAKPOINT_MASK    0xffffffffu
#define DECODE_BREAKPOINT         0xd4200000u
#define DECODE_BREAKPOINT_ADVANCE 0u

#define DECODE_EXCLUSIVES 1

/* What little must be known of AArch64 code to read a trace of its execution. */

/* b.cond, cbz, cbnz, tbz, tbnz */
static inline bool traced_conditional(const uint8_t *code, size_t length)
{
    uint32_t word = 0;
    if (length < sizeof(word))
        return false;
    memcpy(&word, code, sizeof(word));
    return (word & 0xff000000u) == 0x54000000u || (word & 0x7c000000u) == 0x34000000u;
}

/* Pairs and exclusives are counted otherwise by tools than by CPUs: always look. */
static inline bool traced_plain(const uint8_t *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* Might it hold an instruction that flushes caches (dc civac and the like are all `sys`)? */
static inline bool traced_flushes(const uint8_t *code, size_t length)
{
    uint32_t word;
    for (size_t at = 0; at + sizeof(word) <= length; at += sizeof(word)) {
        memcpy(&word, code + at, sizeof(word));
        if ((word & 0xfff80000u) == 0xd5080000u)
            return true;
    }
    return false;
}
