/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The bare system call on AArch64: one instruction in the caller's own code, no call through libc
 * and no errno. Returns what the operating system returns: -4095 … -1 is a negative errno. */
#pragma once

#include <sys/syscall.h>

#define ASSAY_SYSCALL_INLINE 1 /* 0 where the call goes through libc */

/* Of SVE's registers only the part that all of AArch64 has survives a system call. */
#if defined(__ARM_FEATURE_SVE)
#define ASSAY_SYSCALL_CLOBBERS                                                                     \
    "memory", "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12",     \
        "z13", "z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25", \
        "z26", "z27", "z28", "z29", "z30", "z31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",  \
        "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define ASSAY_SYSCALL_CLOBBERS "memory"
#endif

#define ASSAY_SYSCALL_INSTRUCTION "svc 0"
#define ASSAY_SYSCALL_NUMBER      "x8"
#define ASSAY_SYSCALL_FIRST       "x0"
#define ASSAY_SYSCALL_SECOND      "x1"
#define ASSAY_SYSCALL_THIRD       "x2"
#define ASSAY_SYSCALL_FOURTH      "x3"
#define ASSAY_SYSCALL_FIFTH       "x4"
#define ASSAY_SYSCALL_SIXTH       "x5"

#include "syscall-registers.h"
