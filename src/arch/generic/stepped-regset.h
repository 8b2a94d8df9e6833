/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A stopped task on ISAs whose registers come as one set, with pc and sp among them, and that have
 * neither programs of another width that could be followed nor code that the operating system acts
 * for. Included by the stepped-code.h of such an ISA. */
#pragma once

#include <elf.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "decode.h"

/* Its registers. -ENOTSUP: those of a 32-bit program. */
static inline int stepped_registers(pid_t task, decode_registers *registers)
{
    struct iovec io = {registers, sizeof(*registers)};
    if (ptrace(PTRACE_GETREGSET, task, (void *)NT_PRSTATUS, &io) < 0)
        return -errno;
    return io.iov_len == sizeof(*registers) ? 0 : -ENOTSUP;
}

/* Where a stopped task stands. */
static inline int stepped_address(pid_t task, uint64_t *address)
{
    decode_registers registers;
    int result = stepped_registers(task, &registers);
    *address = result < 0 ? 0 : registers.pc;
    return result;
}

static inline bool stepped_is_narrow(const decode_registers *registers)
{
    (void)registers;
    return false;
}

static inline uint64_t stepped_stack(const decode_registers *registers)
{
    return registers->sp;
}

static inline bool stepped_is_emulated(uint64_t address)
{
    (void)address;
    return false;
}
