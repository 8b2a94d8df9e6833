/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The system call read in the caller's own code. Not part of the interface, may change between
 * versions. */
#ifndef ASSAY_SYSTEM_CALL_H
#define ASSAY_SYSTEM_CALL_H

#include "interface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a system call leaves undefined beside its result: where the compiler may use them, the
 * vector registers, except for the part of SVE's that all of AArch64 has. */
#if defined(__riscv_vector)
#define ASSAY_READ_CLOBBERS                                                                        \
    "memory", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",     \
        "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", \
        "v26", "v27", "v28", "v29", "v30", "v31"
#elif defined(__ARM_FEATURE_SVE)
#define ASSAY_READ_CLOBBERS                                                                        \
    "memory", "z0", "z1", "z2", "z3", "z4", "z5", "z6", "z7", "z8", "z9", "z10", "z11", "z12",     \
        "z13", "z14", "z15", "z16", "z17", "z18", "z19", "z20", "z21", "z22", "z23", "z24", "z25", \
        "z26", "z27", "z28", "z29", "z30", "z31", "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7",  \
        "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define ASSAY_READ_CLOBBERS "memory"
#endif

ASSAY_INLINE long assay_read_in_place(int descriptor, void *into, unsigned long size)
{
#if defined(__x86_64__)
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(0L), "D"((long)descriptor), "S"(into), "d"(size)
                     : "rcx", "r11", ASSAY_READ_CLOBBERS);
    return result;
#elif defined(__aarch64__)
    register long number __asm__("x8") = 63;
    register long first __asm__("x0") = descriptor;
    register void *second __asm__("x1") = into;
    register unsigned long third __asm__("x2") = size;
    __asm__ volatile("svc 0"
                     : "+r"(first)
                     : "r"(number), "r"(second), "r"(third)
                     : ASSAY_READ_CLOBBERS);
    return first;
#else
    register long number __asm__("a7") = 63;
    register long first __asm__("a0") = descriptor;
    register void *second __asm__("a1") = into;
    register unsigned long third __asm__("a2") = size;
    __asm__ volatile("ecall"
                     : "+r"(first)
                     : "r"(number), "r"(second), "r"(third)
                     : ASSAY_READ_CLOBBERS);
    return first;
#endif
}

#ifdef __cplusplus
}
#endif
#endif
