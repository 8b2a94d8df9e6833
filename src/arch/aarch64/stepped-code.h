/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who steps through whole programs must know of AArch64 (decode.h has what windows need). */
#pragma once

#include <signal.h>

#include "decode.h"
#include "stepped-kind.h"
#include "stepped-regset.h"

#define STEPPED_TRAP_FLAG  0u
#define STEPPED_EXTRA_STOP true /* a system call stops when it returns, and once more behind it */

/* The operating system tells the return from a call as a signal from nobody. */
static inline enum stepped_stop stepped_stop(const siginfo_t *information)
{
    switch (information->si_code) {
    case TRAP_TRACE:
        return STOP_EXECUTED;
    case SI_USER:
        return information->si_pid == 0 ? STOP_RETURNED : STOP_SENT;
    case STOP_CODE_ENTERED:
        return STOP_ENTERED;
    case TRAP_BRKPT:
        return STOP_TRAPPED;
    default:
        return STOP_SENT;
    }
}

/* --- system calls --- */

/* Registers hold the number and the arguments; the first argument's becomes that of the result. */
static inline void stepped_call(const decode_registers *registers, const uint8_t *code, bool before,
                                struct stepped_call *call)
{
    (void)code, (void)before;
    call->narrow = false;
    call->number = (int64_t)registers->regs[8];
    for (unsigned index = 0; index < 6; index++)
        call->arguments[index] = registers->regs[index];
}

static inline int64_t stepped_result(const decode_registers *registers)
{
    return (int64_t)registers->regs[0];
}

/* --- instructions --- */

static inline enum stepped_kind stepped_kind(const uint8_t *code, bool narrow)
{
    (void)narrow;
    uint32_t word;
    memcpy(&word, code, sizeof(word));
    if ((word & 0xffe0001f) == 0xd4000001) /* svc, whatever its number */
        return KIND_CALL;
    if ((word & 0xffe0001f) == 0xd4200000) /* brk */
        return KIND_TRAPS;
    return decode_is_exclusive(word, true) ? KIND_EXCLUSIVE : KIND_PLAIN;
}

static inline unsigned stepped_held_length(const uint8_t *code, bool narrow)
{
    (void)code, (void)narrow;
    return 4;
}

static inline unsigned stepped_transfer(const uint8_t *code, bool narrow)
{
    (void)code, (void)narrow;
    return 4;
}
