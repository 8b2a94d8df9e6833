/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Paths whose windows cannot be stepped, as the build says: ODD_ENDLESS executes a million
 * instructions between its opening call and its slot, ODD_UNOPENED makes no opening call. */
#include "syscall.h"

#include "probe/harness/path.h"

#define PATH_LOCALS(w)                                                                             \
    const int descriptor = (w)->descriptors[0];                                                    \
    uint64_t *const before = (w)->before, *const after = (w)->after;                               \
    (void)before

#define CALL_READ(buffer)                                                                          \
    assay_syscall3(SYS_read, descriptor, (long)(buffer), READING_SEPARATE * sizeof(uint64_t))

#if defined(ODD_ENDLESS)
#define PATH      endless
#define PATH_NAME "endless"
#define PATH_READ_FIRST_group                                                                      \
    do {                                                                                           \
        (void)CALL_READ(before);                                                                   \
        for (int turn = 0; turn < 500000; turn++)                                                  \
            __asm__ volatile("" : : : "memory");                                                   \
    } while (0)
#elif defined(ODD_UNOPENED)
#define PATH                  unopened
#define PATH_NAME             "unopened"
#define PATH_READ_FIRST_group (void)0
#endif
#define PATH_READ_LAST_group status = CALL_READ(after)

#define PATH_NOTE       ""
#define PATH_SOURCES    "step"
#define PATH_OPERATIONS perf_operations
#define PATH_ONLY_RR
#include "probe/harness/window-template.h"
