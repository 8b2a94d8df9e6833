/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The bare system call on RISC-V (64 bit): one instruction in the caller's own code, no call
 * through libc and no errno. Returns what the operating system returns: -4095 … -1 is a negative
 * errno. */
#pragma once

#include <sys/syscall.h>

#define ASSAY_SYSCALL_INLINE 1 /* 0 where the call goes through libc */

/* Vector registers do not survive a system call. */
#if defined(__riscv_vector)
#define ASSAY_SYSCALL_CLOBBERS                                                                     \
    "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",     \
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", \
        "v26", "v27", "v28", "v29", "v30", "v31"
#else
#define ASSAY_SYSCALL_CLOBBERS "memory"
#endif

#define ASSAY_SYSCALL_INSTRUCTION "ecall"
#define ASSAY_SYSCALL_NUMBER      "a7"
#define ASSAY_SYSCALL_FIRST       "a0"
#define ASSAY_SYSCALL_SECOND      "a1"
#define ASSAY_SYSCALL_THIRD       "a2"
#define ASSAY_SYSCALL_FOURTH      "a3"
#define ASSAY_SYSCALL_FIFTH       "a4"
#define ASSAY_SYSCALL_SIXTH       "a5"

#include "syscall-registers.h"
