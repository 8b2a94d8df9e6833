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

static inline __attribute__((always_inline)) long assay_syscall0(long number)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8) : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}

static inline __attribute__((always_inline)) long assay_syscall1(long number, long first)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8) : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}

static inline __attribute__((always_inline)) long assay_syscall2(long number, long first,
                                                                 long second)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}

static inline __attribute__((always_inline)) long assay_syscall3(long number, long first,
                                                                 long second, long third)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}

static inline __attribute__((always_inline)) long
assay_syscall4(long number, long first, long second, long third, long fourth)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
                     : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}

static inline __attribute__((always_inline)) long
assay_syscall5(long number, long first, long second, long third, long fourth, long fifth)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    register long x4 __asm__("x4") = fifth;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
                     : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}

static inline __attribute__((always_inline)) long assay_syscall6(long number, long first,
                                                                 long second, long third,
                                                                 long fourth, long fifth,
                                                                 long sixth)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = first;
    register long x1 __asm__("x1") = second;
    register long x2 __asm__("x2") = third;
    register long x3 __asm__("x3") = fourth;
    register long x4 __asm__("x4") = fifth;
    register long x5 __asm__("x5") = sixth;
    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : ASSAY_SYSCALL_CLOBBERS);
    return x0;
}
