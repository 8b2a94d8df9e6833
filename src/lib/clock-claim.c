/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What rate the CPU's counter of time is said to have. */
#define ASSAY_NO_INLINE
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "lib/clock-parts.h"
#include "syscall.h"

#if defined(__aarch64__)
/* The firmware wrote it down, and the operating system converts with it. */
double clock_claim(void)
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return (double)hz;
}
#else
/* On the page of any event: what the operating system itself makes nanoseconds with. */
double clock_claim(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    long descriptor = assay_syscall5(SYS_perf_event_open, (long)(uintptr_t)&attr, 0, -1, -1,
                                     PERF_FLAG_FD_CLOEXEC);
    if (descriptor < 0)
        return 0;
    size_t length = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_mmap_page *page =
        mmap(NULL, length, PROT_READ, MAP_SHARED, (int)descriptor, 0);
    double hz = 0;
    if (page != MAP_FAILED) {
        if (page->cap_user_time && page->time_mult && page->time_shift < 64)
            hz = 1e9 * (double)(UINT64_C(1) << page->time_shift) / (double)page->time_mult;
        munmap(page, length);
    }
    assay_syscall1(SYS_close, descriptor);
    return hz;
}
#endif
