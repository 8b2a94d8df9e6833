/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What an event claims to count, in words that are the same on every ISA. A specimen's truth is
 * stated per class, so this table decides which truth an event is held against: an event that is
 * not certainly of a class has none. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <linux/hw_breakpoint.h>

#include "events/form.h"

static const char *const hardware[] = {
    [PERF_COUNT_HW_CPU_CYCLES] = "cycles",
    [PERF_COUNT_HW_INSTRUCTIONS] = "instructions",
    [PERF_COUNT_HW_CACHE_REFERENCES] = "cache-references",
    [PERF_COUNT_HW_CACHE_MISSES] = "cache-misses",
    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "branches",
    [PERF_COUNT_HW_BRANCH_MISSES] = "branch-misses",
    [PERF_COUNT_HW_BUS_CYCLES] = "bus-cycles",
    [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "frontend-stalls",
    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "backend-stalls",
    [PERF_COUNT_HW_REF_CPU_CYCLES] = "ref-cycles",
};

static const char *const software[] = {
    [PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
    [PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
    [PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
    [PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
    [PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
    [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
    [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
    [PERF_COUNT_SW_ALIGNMENT_FAULTS] = "alignment-faults",
    [PERF_COUNT_SW_EMULATION_FAULTS] = "emulation-faults",
};

/* [cache][operation][result] */
static const char *const cache[][3][2] = {
    [PERF_COUNT_HW_CACHE_L1D] = {{"l1d-loads", "l1d-load-misses"},
                                 {"l1d-stores", "l1d-store-misses"},
                                 {"l1d-prefetches", "l1d-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_L1I] = {{"l1i-loads", "l1i-load-misses"},
                                 {NULL, NULL},
                                 {"l1i-prefetches", "l1i-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_LL] = {{"llc-loads", "llc-load-misses"},
                                {"llc-stores", "llc-store-misses"},
                                {"llc-prefetches", "llc-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_DTLB] = {{"dtlb-loads", "dtlb-load-misses"},
                                  {"dtlb-stores", "dtlb-store-misses"},
                                  {"dtlb-prefetches", "dtlb-prefetch-misses"}},
    [PERF_COUNT_HW_CACHE_ITLB] = {{"itlb-loads", "itlb-load-misses"}, {NULL, NULL}, {NULL, NULL}},
    [PERF_COUNT_HW_CACHE_BPU] = {{"branches", "branch-misses"}, {NULL, NULL}, {NULL, NULL}},
    [PERF_COUNT_HW_CACHE_NODE] = {{"node-loads", "node-load-misses"},
                                  {"node-stores", "node-store-misses"},
                                  {"node-prefetches", "node-prefetch-misses"}},
};

struct named_class {
    const char *name, *class;
};

/* A system call's own tracepoint counts calls of it: NAME-calls. */
static const struct named_class tracepoints[] = {
    {"raw_syscalls:sys_enter", "syscalls"},
    {"syscalls:sys_enter_getppid", "getppid-calls"},
    {"syscalls:sys_enter_getpid", "getpid-calls"},
    {"syscalls:sys_enter_sched_yield", "sched_yield-calls"},
    {"syscalls:sys_enter_ioctl", "ioctl-calls"},
    {"syscalls:sys_enter_prctl", "prctl-calls"},
    {"syscalls:sys_enter_read", "read-calls"},
    {"syscalls:sys_enter_write", "write-calls"},
    {"syscalls:sys_enter_mmap", "mmap-calls"},
    {"syscalls:sys_enter_munmap", "munmap-calls"},
    {"exceptions:page_fault_user", "page-faults"},
};

/* The PMUs' own aliases in sysfs (x86 first, then Arm's architectural names). */
static const struct named_class aliases[] = {
    {"instructions", "instructions"},
    {"cpu-cycles", "cycles"},
    {"ref-cycles", "ref-cycles"},
    {"bus-cycles", "bus-cycles"},
    {"branch-instructions", "branches"},
    {"branch-misses", "branch-misses"},
    {"cache-references", "cache-references"},
    {"cache-misses", "cache-misses"},
    {"stalled-cycles-frontend", "frontend-stalls"},
    {"stalled-cycles-backend", "backend-stalls"},
    {"tsc", "ticks"},
    {"inst_retired", "instructions"},
    {"cpu_cycles", "cycles"},
    {"br_retired", "branches"},
    {"br_mis_pred_retired", "branch-misses"},
    {"ld_retired", "loads"},
    {"st_retired", "stores"},
    {"l1d_cache", "l1d-accesses"},
    {"l1d_cache_refill", "l1d-misses"},
    {"l1i_cache_refill", "l1i-load-misses"},
    {"l1d_tlb_refill", "dtlb-misses"},
    {"l1i_tlb_refill", "itlb-load-misses"},
    {"l2d_cache", "l2-accesses"},
    {"l2d_cache_refill", "l2-misses"},
    {"bus_cycles", "bus-cycles"},
    {"stall_frontend", "frontend-stalls"},
    {"stall_backend", "backend-stalls"},
};

/* libpfm4's names, without the PMU in front and without modes behind. */
static const struct named_class pfm_names[] = {
    {"RETIRED_INSTRUCTIONS", "instructions"},
    {"INST_RETIRED", "instructions"},
    {"INST_RETIRED:ANY_P", "instructions"},
    {"INST_RETIRED:ANY", "instructions"},
    {"INSTRUCTION_RETIRED", "instructions"},
    {"INSTRUCTIONS_RETIRED", "instructions"},
    {"CYCLES_NOT_IN_HALT", "cycles"},
    {"UNHALTED_CORE_CYCLES", "cycles"},
    {"CPU_CLK_UNHALTED:THREAD_P", "cycles"},
    {"CPU_CYCLES", "cycles"},
    {"UNHALTED_REFERENCE_CYCLES", "ref-cycles"},
    {"RETIRED_BRANCH_INSTRUCTIONS", "branches"},
    {"BR_INST_RETIRED:ALL_BRANCHES", "branches"},
    {"BRANCH_INSTRUCTIONS_RETIRED", "branches"},
    {"RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED", "branch-misses"},
    {"BR_MISP_RETIRED:ALL_BRANCHES", "branch-misses"},
    {"MISPREDICTED_BRANCH_RETIRED", "branch-misses"},
    {"RETIRED_CONDITIONAL_BRANCH_INSTRUCTIONS", "cond-branches"},
    {"BR_INST_RETIRED:CONDITIONAL", "cond-branches"},
    {"BR_INST_RETIRED:COND", "cond-branches"},
    {"MEM_INST_RETIRED:ALL_LOADS", "loads"},
    {"MEM_INST_RETIRED:ALL_STORES", "stores"},
};

#define FIND(table, name, length)                                                                  \
    find_class(table, sizeof(table) / sizeof((table)[0]), name, length)

static const char *find_class(const struct named_class *table, size_t count, const char *name,
                              size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(table[i].name) == length && strncasecmp(table[i].name, name, length) == 0)
            return table[i].class;
    }
    return NULL;
}

static const char *cache_class(uint64_t config)
{
    uint64_t level = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16 & 0xff;
    if (level >= sizeof(cache) / sizeof(cache[0]) || operation > 2 || result > 1)
        return NULL;
    return cache[level][operation][result];
}

/* The types whose configs mean the same everywhere. On hybrid CPUs the upper half of config says
 * which cores, not what is counted. */
static const char *generic_class(const struct perf_event_attr *attr)
{
    uint64_t config = attr->config & 0xffffffffu;
    switch (attr->type) {
    case PERF_TYPE_HARDWARE:
        return config < sizeof(hardware) / sizeof(hardware[0]) ? hardware[config] : NULL;
    case PERF_TYPE_SOFTWARE:
        return config < sizeof(software) / sizeof(software[0]) ? software[config] : NULL;
    case PERF_TYPE_HW_CACHE:
        return cache_class(config);
    default:
        return NULL;
    }
}

static const char *tracepoint_class(const char *name)
{
    size_t length = strcspn(name, ":");
    if (name[length])
        length += 1 + strcspn(name + length + 1, ":");
    return FIND(tracepoints, name, length);
}

/* pmu/alias/modes, or a core PMU's alias written bare. Further terms change the meaning. */
static const char *alias_class(const char *name)
{
    const char *slash = strchr(name, '/');
    const char *alias = slash ? slash + 1 : name;
    size_t length = strcspn(alias, slash ? "/" : ":");
    const char *class = FIND(aliases, alias, length);
    bool is_clock = class && strcmp(class, "ticks") == 0;
    return is_clock && strncmp(name, "msr/", 4) != 0 ? NULL : class;
}

/* PMU::EVENT:UMASK:modes; modes are the single letters at the end. */
static const char *pfm_class(const char *name)
{
    const char *event = strstr(name, "::");
    event = event ? event + 2 : name;
    size_t length = strlen(event);
    while (length > 2 && event[length - 2] == ':' && strchr("ukh", event[length - 1]))
        length -= 2;
    return FIND(pfm_names, event, length);
}

static const char *breakpoint_class(uint32_t type)
{
    switch (type) {
    case HW_BREAKPOINT_X:
        return "breakpoint-exec";
    case HW_BREAKPOINT_W:
        return "breakpoint-write";
    case HW_BREAKPOINT_R:
        return "breakpoint-read";
    default:
        return "breakpoint-access";
    }
}

const char *event_class(const struct event *event)
{
    const char *class = generic_class(&event->attr);
    if (class)
        return class;
    switch (event->kind) {
    case EVENT_TRACEPOINT:
        return tracepoint_class(event->name);
    case EVENT_BREAKPOINT:
        return breakpoint_class(event->attr.bp_type);
    case EVENT_UPROBE:
        return event->name[1] == 'r' ? "uprobe-returns" : "uprobe-hits";
    case EVENT_PMU:
        return alias_class(event->name);
    case EVENT_PFM:
        return pfm_class(event->name);
    default:
        return NULL;
    }
}
