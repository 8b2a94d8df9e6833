/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The instruction that trapped on RISC-V (64 bit), from a signal handler's third argument. */
#pragma once

#include <stdint.h>
#include <ucontext.h>

static inline const void *trap_place(const void *context)
{
    return (const void *)(uintptr_t)((const ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];
}
