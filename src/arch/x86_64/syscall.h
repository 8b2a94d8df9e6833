/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The bare system call on x86-64: one instruction in the caller's own code, no call through libc
 * and no errno. Returns what the operating system returns: -4095 … -1 is a negative errno. */
#pragma once

#include <sys/syscall.h>

#define ASSAY_SYSCALL_INLINE 1 /* 0 where the call goes through libc */

/* The instruction overwrites rcx (return address) and r11 (flags). */
#define ASSAY_SYSCALL_CLOBBERS "rcx", "r11", "memory"

/* With these operands beside the number. */
#define ASSAY_SYSCALL_WITH(...)                                                                    \
    long result;                                                                                   \
    __asm__ volatile("syscall"                                                                     \
                     : "=a"(result)                                                                \
                     : "a"(number), ##__VA_ARGS__                                                  \
                     : ASSAY_SYSCALL_CLOBBERS);                                                    \
    return result

static inline __attribute__((always_inline)) long assay_syscall0(long number)
{
    ASSAY_SYSCALL_WITH();
}

static inline __attribute__((always_inline)) long assay_syscall1(long number, long first)
{
    ASSAY_SYSCALL_WITH("D"(first));
}

static inline __attribute__((always_inline)) long assay_syscall2(long number, long first,
                                                                 long second)
{
    ASSAY_SYSCALL_WITH("D"(first), "S"(second));
}

static inline __attribute__((always_inline)) long assay_syscall3(long number, long first,
                                                                 long second, long third)
{
    ASSAY_SYSCALL_WITH("D"(first), "S"(second), "d"(third));
}

static inline __attribute__((always_inline)) long
assay_syscall4(long number, long first, long second, long third, long fourth)
{
    register long r10 __asm__("r10") = fourth;
    ASSAY_SYSCALL_WITH("D"(first), "S"(second), "d"(third), "r"(r10));
}

static inline __attribute__((always_inline)) long
assay_syscall5(long number, long first, long second, long third, long fourth, long fifth)
{
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    ASSAY_SYSCALL_WITH("D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8));
}

static inline __attribute__((always_inline)) long assay_syscall6(long number, long first,
                                                                 long second, long third,
                                                                 long fourth, long fifth,
                                                                 long sixth)
{
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    register long r9 __asm__("r9") = sixth;
    ASSAY_SYSCALL_WITH("D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9));
}
