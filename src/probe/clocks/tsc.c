/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time stamp counter of x86-64: who says how fast it runs, and the clocks that read it by three
 * sequences of instructions. */
#include <cpuid.h>
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "base/cleanup.h"
#include "probe/clocks/clock.h"
#include "ticks.h"
#include "window.h"

/* ----------------------------------------------------------------------------------------------
 * Claims about the rate of the time stamp counter, best first: what the operating system itself
 * converts with, what the CPU says of its crystal, what a hypervisor says, what the CPU is sold
 * as. */

#define LEAF_CRYSTAL         0x15u
#define LEAF_NOMINAL         0x16u
#define LEAF_HYPERVISOR      0x40000000u
#define LEAF_HYPERVISOR_RATE 0x40000010u
#define LEAF_EXTENDED        0x80000000u
#define LEAF_FEATURES        0x80000001u
#define HAS_RDTSCP           (1u << 27) /* of edx of that */
#define HYPERVISOR_PRESENT   (1u << 31) /* of ecx of leaf 1 */
#define ARCH_GET_CPUID_MODE  0x1011     /* of arch_prctl(2): 0 where cpuid faults */

/* Of any event's page: the multiplication that makes ns of ticks. Absent where the operating system
 * does not take its own time from the counter as the CPU has it. */
static uint64_t page_rate(void)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_SW_DUMMY,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    long opened = assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (opened < 0)
        return 0;
    AUTO_CLOSE int descriptor = (int)opened;
    size_t length = (size_t)sysconf(_SC_PAGESIZE);
    struct perf_event_mmap_page *page = mmap(NULL, length, PROT_READ, MAP_SHARED, descriptor, 0);
    if (page == MAP_FAILED)
        return 0;
    uint64_t hz = 0;
    if (page->cap_user_time && page->time_mult && page->time_shift < 64)
        hz = (uint64_t)((long double)((unsigned __int128)1000000000u << page->time_shift) /
                            (long double)page->time_mult +
                        0.5L);
    munmap(page, length);
    return hz;
}

struct leaf {
    uint32_t eax, ebx, ecx, edx;
};

static struct leaf ask_cpu(uint32_t number)
{
    struct leaf leaf;
    __cpuid_count(number, 0, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
    return leaf;
}

static bool cpu_answers(void)
{
    return assay_syscall2(SYS_arch_prctl, ARCH_GET_CPUID_MODE, 0) != 0;
}

static uint64_t crystal_rate(void)
{
    if (ask_cpu(0).eax < LEAF_CRYSTAL)
        return 0;
    struct leaf leaf = ask_cpu(LEAF_CRYSTAL);
    return leaf.eax ? (uint64_t)leaf.ecx * leaf.ebx / leaf.eax : 0;
}

static uint64_t hypervisor_rate(void)
{
    if (!(ask_cpu(1).ecx & HYPERVISOR_PRESENT))
        return 0;
    uint32_t highest = ask_cpu(LEAF_HYPERVISOR).eax;
    /* Hypervisors have this range for themselves; anything beyond it is no number of a leaf. */
    if (highest < LEAF_HYPERVISOR_RATE || highest > LEAF_HYPERVISOR + 0xffffu)
        return 0;
    return (uint64_t)ask_cpu(LEAF_HYPERVISOR_RATE).eax * 1000u; /* kHz */
}

static uint64_t nominal_rate(void)
{
    if (ask_cpu(0).eax < LEAF_NOMINAL)
        return 0;
    return (uint64_t)(ask_cpu(LEAF_NOMINAL).eax & 0xffffu) * 1000000u; /* MHz */
}

static const struct {
    uint64_t (*rate)(void);
    const char *who;
    int asks_cpu;
} claims[] = {
    {page_rate, "the operating system's conversion of the TSC (perf_event)", 0},
    {crystal_rate, "the CPU (CPUID 15h)", 1},
    {hypervisor_rate, "the hypervisor (CPUID 40000010h)", 1},
    {nominal_rate, "the CPU's nominal frequency (CPUID 16h, whole MHz)", 1},
};

/* Ticks a second, and who says so; 0 and "" where nobody does. */
static uint64_t tsc_rate(char *claim, size_t size)
{
    bool answers = cpu_answers();
    for (size_t index = 0; index < sizeof(claims) / sizeof(*claims); index++) {
        if (claims[index].asks_cpu && !answers)
            continue;
        uint64_t hz = claims[index].rate();
        if (hz) {
            snprintf(claim, size, "%s", claims[index].who);
            return hz;
        }
    }
    claim[0] = '\0';
    return 0;
}

/* --- The clocks --- */

static int open_tsc(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int result = clock_try(reader, reason, size);
    if (result == 0)
        reader->hz = tsc_rate(claim, CLOCK_CLAIM);
    return result;
}

/* The instruction is younger than the counter: what fails on a CPU without it is forbidden by
 * nobody.
 */
static int open_tscp(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int result = open_tsc(reader, claim, reason, size);
    if (result < 0 && cpu_answers() &&
        (ask_cpu(LEAF_EXTENDED).eax < LEAF_FEATURES || !(ask_cpu(LEAF_FEATURES).edx & HAS_RDTSCP)))
        return clock_says(reason, size, -ENODEV,
                          "this CPU has no instruction rdtscp (CPUID 80000001h): take tsc-fenced");
    return result;
}

CLOCK_OF_INSTRUCTION(tsc, "tsc", open_tsc, ticks_tsc(),
                     "rdtsc: may be read before what stands in front of it is done");
CLOCK_OF_INSTRUCTION(rdtscp, "rdtscp", open_tscp, ticks_tscp(),
                     "waits for what stands in front of it; what follows may begin before it");
CLOCK_OF_INSTRUCTION(tsc_fenced, "tsc-fenced", open_tsc, window_ticks(),
                     "rdtsc between two lfence: nothing moves across it");
