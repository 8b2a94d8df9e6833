/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the windows of the perf-user paths have in common: reads by the mapped pages, without a
 * system call; start and stop by the bare system call, because nothing in user code can do that.
 * Every counter has a page of its own, in a group too. The paths differ in what their operations do
 * to the pages before the window: their windows are the same. */
#pragma once

#include "lib/user-read.h"
#include "syscall.h"

#define PATH_LOCALS(w)                                                                             \
    const int *const descriptors = (w)->descriptors;                                               \
    const int descriptor = (w)->descriptors[0];                                                    \
    const uint32_t count = (w)->count;                                                             \
    const volatile struct perf_event_mmap_page *const *const pages = (w)->pages;                   \
    uint64_t *const before = (w)->before;                                                          \
    uint64_t *const after = (w)->after;                                                            \
    (void)descriptors, (void)descriptor, (void)count, (void)pages, (void)before, (void)after

/* There is at least one. A counter that cannot be read leaves its word as it was, which shows after
 * the window. */
#define READ_PAGES(buffer)                                                                         \
    do {                                                                                           \
        uint32_t index = 0;                                                                        \
        do                                                                                         \
            (void)user_read_count(pages[index], (buffer) + index);                                 \
        while (++index < count);                                                                   \
    } while (0)

#define SWITCH(descriptor, request) assay_syscall3(SYS_ioctl, (descriptor), (long)(request), 0)
#define SWITCH_EACH(request)                                                                       \
    do {                                                                                           \
        uint32_t index = 0;                                                                        \
        do                                                                                         \
            status = SWITCH(descriptors[index], request);                                          \
        while (++index < count);                                                                   \
    } while (0)

#define PATH_SOURCES "perf_event,step"
#define PATH_HAS_SEPARATE
#define PATH_NO_AO               /* no read in it: that is perf-syscall's */
#define PATH_USER_READS          true
#define PATH_START_group         (void)SWITCH(descriptor, PERF_EVENT_IOC_ENABLE)
#define PATH_STOP_group          status = SWITCH(descriptor, PERF_EVENT_IOC_DISABLE)
#define PATH_START_separate      SWITCH_EACH(PERF_EVENT_IOC_ENABLE)
#define PATH_STOP_separate       SWITCH_EACH(PERF_EVENT_IOC_DISABLE)
#define PATH_READ_FIRST_group    READ_PAGES(before)
#define PATH_READ_LAST_group     READ_PAGES(after)
#define PATH_READ_FIRST_separate READ_PAGES(before)
#define PATH_READ_LAST_separate  READ_PAGES(after)
