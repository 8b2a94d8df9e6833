/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who steps through code on RISC-V (64 bit) must know: where ptrace shows the program counter,
 * and how a system call is encoded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/user.h>

typedef struct user_regs_struct decode_registers; /* as PTRACE_GETREGSET fills NT_PRSTATUS */

static inline uintptr_t decode_program_counter(const decode_registers *registers)
{
    return registers->pc;
}

/* At the entry to a system call: which. */
static inline long decode_system_call_number(const decode_registers *registers)
{
    return (long)registers->a7;
}

/* word: what stands at the program counter, as PTRACE_PEEKTEXT gives it. */
static inline bool decode_is_system_call(uint64_t word)
{
    return (word & 0xffffffff) == 0x00000073; /* ecall */
}
