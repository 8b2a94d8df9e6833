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

static inline __attribute__((always_inline)) long assay_syscall0(long number)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number) : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall1(long number, long first)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first) : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall2(long number, long first,
                                                                 long second)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall3(long number, long first,
                                                                 long second, long third)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long
assay_syscall4(long number, long first, long second, long third, long fourth)
{
    long result;
    register long r10 __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long
assay_syscall5(long number, long first, long second, long third, long fourth, long fifth)
{
    long result;
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}

static inline __attribute__((always_inline)) long assay_syscall6(long number, long first,
                                                                 long second, long third,
                                                                 long fourth, long fifth,
                                                                 long sixth)
{
    long result;
    register long r10 __asm__("r10") = fourth;
    register long r8 __asm__("r8") = fifth;
    register long r9 __asm__("r9") = sixth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10), "r"(r8), "r"(r9)
                     : ASSAY_SYSCALL_CLOBBERS);
    return result;
}
