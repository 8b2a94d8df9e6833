/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * System calls where no ISA folder knows the instruction: through libc's syscall(2), with the
 * result turned back into a negative errno so that callers see one convention everywhere. */
#pragma once

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASSAY_SYSCALL_INLINE 0 /* 0 where the call goes through libc */

/* libc takes six arguments from their registers, however many there are. */
static inline long assay_syscall6(long number, long first, long second, long third, long fourth,
                                  long fifth, long sixth)
{
    long result = syscall(number, first, second, third, fourth, fifth, sixth);
    return result == -1 ? -(long)errno : result;
}

#define assay_syscall0(number)      assay_syscall6(number, 0, 0, 0, 0, 0, 0)
#define assay_syscall1(number, ...) assay_syscall6(number, __VA_ARGS__, 0, 0, 0, 0, 0)
#define assay_syscall2(number, ...) assay_syscall6(number, __VA_ARGS__, 0, 0, 0, 0)
#define assay_syscall3(number, ...) assay_syscall6(number, __VA_ARGS__, 0, 0, 0)
#define assay_syscall4(number, ...) assay_syscall6(number, __VA_ARGS__, 0, 0)
#define assay_syscall5(number, ...) assay_syscall6(number, __VA_ARGS__, 0)
