/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who steps through code on RISC-V (64 bit) must know: where ptrace shows the program counter,
 * and how a system call is encoded. */
#pragma once

#include <asm/ptrace.h> /* libc's <sys/user.h> is empty here */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
    return (long)registers->a7;
}

/* Standing on the system-call instruction: which call it will be, and its first two arguments. */
static inline long decode_called_number(const decode_registers *registers)
{
    return (long)registers->a7;
}

static inline uint64_t decode_called_argument(const decode_registers *registers, unsigned index)
{
    return index ? registers->a1 : registers->a0;
}

/* word: what stands at the program counter, as PTRACE_PEEKTEXT gives it. */
static inline bool decode_is_system_call(uint64_t word)
{
    return (word & 0xffffffff) == 0x00000073; /* ecall */
}

#define DECODE_LONGEST           4u /* bytes of an instruction */
#define DECODE_SYSTEM_CALL_BYTES 4
#define DECODE_SYSTEM_CALL_STOPS 1

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

/* ebreak; the program counter stays on it. */
#define DECODE_BREAKPOINT_MASK    0xffffffffu
#define DECODE_BREAKPOINT         0x00100073u
#define DECODE_BREAKPOINT_ADVANCE 0u

#define DECODE_EXCLUSIVES 0 /* nothing can be stepped here anyway */

/* What little must be known of RISC-V code to read a trace of its execution. */

/* beq … bgeu, c.beqz, c.bnez */
static inline bool traced_conditional(const uint8_t *code, size_t length)
{
    if (length < 2)
        return false;
    if ((code[0] & 3) != 3)
        return (code[0] & 3) == 1 && code[1] >> 5 >= 6;
    return (code[0] & 0x7f) == 0x63;
}

static inline bool traced_plain(const uint8_t *code, size_t length)
{
    (void)code, (void)length;
    return false;
}

/* Might it hold an instruction that flushes caches (cbo.flush and the like)? */
static inline bool traced_flushes(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at + 4 <= length; at += 2)
        if ((code[at] & 0x7f) == 0x0f && (code[at + 1] & 0x70) == 0x20)
            return true;
    return false;
}
