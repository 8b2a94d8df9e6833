/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who steps through code on x86-64 must know: where ptrace shows the program counter, how a
 * system call and a breakpoint are encoded, and which instructions do not trap once each. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/user.h>

typedef struct user_regs_struct decode_registers; /* as PTRACE_GETREGSET fills NT_PRSTATUS */

static inline uintptr_t decode_program_counter(const decode_registers *registers)
{
    return registers->rip;
}

static inline void decode_set_program_counter(decode_registers *registers, uintptr_t address)
{
    registers->rip = address;
}

/* At the entry to a system call: which. */
static inline long decode_system_call_number(const decode_registers *registers)
{
    return (long)registers->orig_rax;
}

/* Standing on the system-call instruction: which call it will be, and its first two arguments. */
static inline long decode_called_number(const decode_registers *registers)
{
    return (long)registers->rax;
}

static inline uint64_t decode_called_argument(const decode_registers *registers, unsigned index)
{
    return index ? registers->rsi : registers->rdi;
}

/* word: what stands at the program counter, as PTRACE_PEEKTEXT gives it. */
static inline bool decode_is_system_call(uint64_t word)
{
    return (word & 0xffff) == 0x050f; /* syscall */
}

#define DECODE_LONGEST           15u /* bytes of an instruction */
#define DECODE_SYSTEM_CALL_BYTES 2
#define DECODE_SYSTEM_CALL_STOPS 1

static inline bool decode_is_system_call_at(const unsigned char *code)
{
    return code[0] == 0x0f && code[1] == 0x05;
}

/* int3: one byte, after which the program counter stands behind it. */
#define DECODE_BREAKPOINT_MASK    0xffu
#define DECODE_BREAKPOINT         0xccu
#define DECODE_BREAKPOINT_ADVANCE 1u

/* How many prefixes (of size, segment, lock and repetition, then REX) stand in front; never looks
 * beyond the instruction. repeats: one of them was rep, repe or repne. */
static inline size_t decode_prefixes(const unsigned char *code, size_t length, bool *repeats)
{
    size_t count = 0;
    *repeats = false;
    while (count + 1 < length && code[count] &&
           strchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", code[count]))
        *repeats |= (code[count++] & 0xfe) == 0xf2;
    if (count + 1 < length && (code[count] & 0xf0) == 0x40)
        count++;
    return count;
}

/* A string instruction that repeats: steppers see every repetition, the CPU's counters one
 * instruction. code holds at most length bytes. */
static inline bool decode_is_repeated(const unsigned char *code, size_t length)
{
    bool repeats;
    unsigned char operation = code[decode_prefixes(code, length, &repeats)];
    return repeats &&
           ((operation >= 0x6c && operation <= 0x6f) || (operation >= 0xa4 && operation <= 0xa7) ||
            (operation >= 0xaa && operation <= 0xaf));
}

/* mov to the stack segment: its trap is held back until the next instruction is over. */
static inline bool decode_holds_trap(const unsigned char *code, size_t length)
{
    bool repeats;
    size_t prefixes = decode_prefixes(code, length, &repeats);
    return prefixes + 1 < length && code[prefixes] == 0x8e && (code[prefixes + 1] & 0x38) == 0x10;
}

#define DECODE_EXCLUSIVES 0 /* no sequence breaks when it is stopped in between */

/* What little must be known of x86-64 code to read a trace of its execution, and to tell when
 * counts alone would mislead. Bytes in, answers out; nothing is decoded further. */

/* A conditional branch, jrcxz and loop included? */
static inline bool traced_conditional(const uint8_t *code, size_t length)
{
    bool repeat;
    size_t at = length ? decode_prefixes(code, length, &repeat) : 0;
    if (at == length)
        return false;
    if (code[at] == 0x0f)
        return at + 1 < length && code[at + 1] >= 0x80 && code[at + 1] <= 0x8f;
    return (code[at] >= 0x70 && code[at] <= 0x7f) || (code[at] >= 0xe0 && code[at] <= 0xe3);
}

/* Surely without instructions that repeat, lock, exchange or change the floating-point
 * environment? Looks at every byte as if an instruction began there, so a `false` may be wrong. */
static inline bool traced_plain(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at < length; at++) {
        uint8_t next = at + 1 < length ? code[at + 1] : 0;
        if (decode_is_repeated(code + at, length - at) || code[at] == 0xf0 || code[at] == 0x86 ||
            code[at] == 0x87 || code[at] == 0xd9 ||
            (code[at] == 0x0f &&
             ((next & 0xfe) == 0xb0 || (next & 0xfe) == 0xc0 || next == 0xc7 || next == 0xae)))
            return false;
    }
    return true;
}

/* Might it hold an instruction that flushes caches (clflush, clflushopt, clwb)? */
static inline bool traced_flushes(const uint8_t *code, size_t length)
{
    for (size_t at = 0; at + 2 < length; at++) {
        bool optimised = at && code[at - 1] == 0x66;
        unsigned operation = code[at + 2] >> 3 & 7;
        if (code[at] == 0x0f && code[at + 1] == 0xae && code[at + 2] < 0xc0 &&
            (operation == 7 || (operation == 6 && optimised)))
            return true;
    }
    return false;
}
