/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operating system's own account of a run: taken before and after, outside of what is measured,
 * by inline system calls. */
#pragma once

#include <sys/resource.h>

#include "syscall.h"
#include "wire/cell.h"

static inline void account_take(struct rusage *usage)
{
    assay_syscall2(SYS_getrusage, RUSAGE_THREAD, (long)usage);
}

static inline void account_write(struct account *account, const struct rusage *before,
                                 const struct rusage *after)
{
    account->minor_faults = (uint64_t)(after->ru_minflt - before->ru_minflt);
    account->major_faults = (uint64_t)(after->ru_majflt - before->ru_majflt);
    account->voluntary = (uint64_t)(after->ru_nvcsw - before->ru_nvcsw);
    account->involuntary = (uint64_t)(after->ru_nivcsw - before->ru_nivcsw);
}
