/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * May this process read the CPU's counter of time? Linux lets processes forbid it (PR_SET_TSC) to
 * themselves and to all that they start: then the instruction raises SIGSEGV, and so do clocks of
 * the vDSO, which use it. Asked by an inline system call, because harnesses measure prctl. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>

#include <linux/prctl.h>

#include "syscall.h"

static inline bool ticks_forbidden(void)
{
    int mode = PR_TSC_ENABLE;
    return assay_syscall5(SYS_prctl, PR_GET_TSC, (long)(uintptr_t)&mode, 0, 0, 0) == 0 &&
           mode == PR_TSC_SIGSEGV;
}

/* Follows a subject: "user code cannot …: " or the name of a path. */
#define TICKS_FORBIDDEN                                                                            \
    "reading the CPU's counter of time is forbidden here (prctl PR_SET_TSC, by whoever started "   \
    "this)"
