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

static inline __attribute__((always_inline)) long assay_syscall0(long number)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = 0;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}

static inline __attribute__((always_inline)) long assay_syscall1(long number, long first)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}

static inline __attribute__((always_inline)) long assay_syscall2(long number, long first,
                                                                 long second)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1) : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}

static inline __attribute__((always_inline)) long assay_syscall3(long number, long first,
                                                                 long second, long third)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}

static inline __attribute__((always_inline)) long
assay_syscall4(long number, long first, long second, long third, long fourth)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a3 __asm__("a3") = fourth;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a7), "r"(a1), "r"(a2), "r"(a3)
                     : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}

static inline __attribute__((always_inline)) long
assay_syscall5(long number, long first, long second, long third, long fourth, long fifth)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a3 __asm__("a3") = fourth;
    register long a4 __asm__("a4") = fifth;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4)
                     : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}

static inline __attribute__((always_inline)) long assay_syscall6(long number, long first,
                                                                 long second, long third,
                                                                 long fourth, long fifth,
                                                                 long sixth)
{
    register long a7 __asm__("a7") = number;
    register long a0 __asm__("a0") = first;
    register long a1 __asm__("a1") = second;
    register long a2 __asm__("a2") = third;
    register long a3 __asm__("a3") = fourth;
    register long a4 __asm__("a4") = fifth;
    register long a5 __asm__("a5") = sixth;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
                     : ASSAY_SYSCALL_CLOBBERS);
    return a0;
}
