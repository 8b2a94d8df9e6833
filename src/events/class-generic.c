/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What perf's generic events claim to count: hardware, cache and software events, whose numbers
 * mean the same on every machine. */
#include "events/class-table.h"
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

static const char *cache_class(uint64_t config)
{
    uint64_t level = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16 & 0xff;
    if (level >= sizeof(cache) / sizeof(cache[0]) || operation > 2 || result > 1)
        return NULL;
    return cache[level][operation][result];
}

/* The types whose configs mean the same everywhere. On hybrid CPUs the upper half of config says
 * which cores, not what is counted. */
const char *class_of_generic(const struct perf_event_attr *attr)
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

static void offer(const char *class, void (*each)(void *context, const char *class), void *context)
{
    if (class)
        each(context, class);
}

void class_generic_each(void (*each)(void *context, const char *class), void *context)
{
    for (size_t i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++)
        offer(hardware[i], each, context);
    for (size_t i = 0; i < sizeof(software) / sizeof(software[0]); i++)
        offer(software[i], each, context);
    const char *const *first = &cache[0][0][0];
    for (size_t i = 0; i < sizeof(cache) / sizeof(*first); i++)
        offer(first[i], each, context);
}
