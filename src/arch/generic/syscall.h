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

static inline long assay_syscall0(long number)
{
    long result = syscall(number);
    return result == -1 ? -(long)errno : result;
}

static inline long assay_syscall1(long number, long first)
{
    long result = syscall(number, first);
    return result == -1 ? -(long)errno : result;
}

static inline long assay_syscall2(long number, long first, long second)
{
    long result = syscall(number, first, second);
    return result == -1 ? -(long)errno : result;
}

static inline long assay_syscall3(long number, long first, long second, long third)
{
    long result = syscall(number, first, second, third);
    return result == -1 ? -(long)errno : result;
}

static inline long assay_syscall4(long number, long first, long second, long third, long fourth)
{
    long result = syscall(number, first, second, third, fourth);
    return result == -1 ? -(long)errno : result;
}

static inline long assay_syscall5(long number, long first, long second, long third, long fourth,
                                  long fifth)
{
    long result = syscall(number, first, second, third, fourth, fifth);
    return result == -1 ? -(long)errno : result;
}

static inline long assay_syscall6(long number, long first, long second, long third, long fourth,
                                  long fifth, long sixth)
{
    long result = syscall(number, first, second, third, fourth, fifth, sixth);
    return result == -1 ? -(long)errno : result;
}
