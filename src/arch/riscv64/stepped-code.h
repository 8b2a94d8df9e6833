/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What who traces whole programs must know of RISC-V. The operating system cannot single-step here,
 * so this serves the tracing of system calls. */
#pragma once

#include <signal.h>

#include "decode.h"
#include "stepped-kind.h"
#include "stepped-regset.h"

#define STEPPED_TRAP_FLAG  0u
#define STEPPED_EXTRA_STOP false

static inline enum stepped_stop stepped_stop(const siginfo_t *information)
{
    return information->si_code == TRAP_TRACE          ? STOP_EXECUTED
           : information->si_code == STOP_CODE_ENTERED ? STOP_ENTERED
           : information->si_code == TRAP_BRKPT        ? STOP_TRAPPED
                                                       : STOP_SENT;
}

/* --- system calls --- */

static inline void stepped_call(const decode_registers *registers, const uint8_t *code, bool before,
                                struct stepped_call *call)
{
    (void)code, (void)before;
    const uint64_t arguments[6] = {registers->a0, registers->a1, registers->a2,
                                   registers->a3, registers->a4, registers->a5};
    call->narrow = false;
    call->number = (int64_t)registers->a7;
    memcpy(call->arguments, arguments, sizeof(arguments));
}

static inline int64_t stepped_result(const decode_registers *registers)
{
    return (int64_t)registers->a0;
}

/* --- instructions --- */

static inline enum stepped_kind stepped_kind(const uint8_t *code, bool narrow)
{
    (void)narrow;
    return decode_is_system_call_at(code) ? KIND_CALL : KIND_PLAIN;
}

static inline unsigned stepped_transfer(const uint8_t *code, bool narrow)
{
    (void)narrow;
    return (code[0] & 3) == 3 ? 4 : 2;
}

static inline unsigned stepped_held_length(const uint8_t *code, bool narrow)
{
    return stepped_transfer(code, narrow);
}
