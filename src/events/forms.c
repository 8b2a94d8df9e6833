/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * perf's generic names: hardware, cache and software events that every machine calls the same,
 * whether or not it has them. On hybrid CPUs a bare generic name counts on the first core type
 * only, as the operating system decides; cpu_atom/instructions/ names the other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "events/form.h"

/* The first name of a (type, config) is the canonical one, which lists show. */
static const struct {
    const char *name;
    uint32_t type;
    uint64_t config;
} simple[] = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
    {"branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
    {"bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
    {"stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
    {"stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
    {"ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
    {"major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
    {"context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
    {"cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
    {"alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
    {"emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
    {"dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY},
    {"bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT},
    {"cgroup-switches", PERF_TYPE_SOFTWARE, 11 /* PERF_COUNT_SW_CGROUP_SWITCHES, since 5.13 */},
};
#define SIMPLE_COUNT (sizeof(simple) / sizeof(simple[0]))

/* A cache event is "CACHE-OP" for accesses or "CACHE-OP-misses"; config is cache, operation and
 * result, a byte each. Which operations make sense depends on the cache. */
enum { CAN_LOAD = 1, CAN_STORE = 2, CAN_PREFETCH = 4, CAN_ALL = 7 };
static const struct {
    const char *name;
    uint64_t cache;
    unsigned operations;
} caches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D, CAN_ALL},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I, CAN_LOAD | CAN_PREFETCH},
    {"LLC", PERF_COUNT_HW_CACHE_LL, CAN_ALL},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB, CAN_ALL},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB, CAN_LOAD},
    {"branch", PERF_COUNT_HW_CACHE_BPU, CAN_LOAD},
    {"node", PERF_COUNT_HW_CACHE_NODE, CAN_ALL},
};
static const struct {
    const char *name;
    uint64_t operation, result;
    unsigned needs;
} accesses[] = {
    {"loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS, CAN_LOAD},
    {"load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS, CAN_LOAD},
    {"stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS, CAN_STORE},
    {"store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS, CAN_STORE},
    {"prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS,
     CAN_PREFETCH},
    {"prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS,
     CAN_PREFETCH},
};
#define CACHE_COUNT  (sizeof(caches) / sizeof(caches[0]))
#define ACCESS_COUNT (sizeof(accesses) / sizeof(accesses[0]))

static bool equals(const char *name, size_t length, const char *entry)
{
    return strlen(entry) == length && strncasecmp(name, entry, length) == 0;
}

static bool cache_find(const char *name, size_t length, struct generic_event *found)
{
    for (size_t c = 0; c < CACHE_COUNT; c++) {
        size_t prefix = strlen(caches[c].name);
        if (length <= prefix + 1 || strncasecmp(name, caches[c].name, prefix) != 0 ||
            name[prefix] != '-')
            continue;
        for (size_t a = 0; a < ACCESS_COUNT; a++) {
            if (!(caches[c].operations & accesses[a].needs) ||
                !equals(name + prefix + 1, length - prefix - 1, accesses[a].name))
                continue;
            found->type = PERF_TYPE_HW_CACHE;
            found->config = caches[c].cache | accesses[a].operation << 8 | accesses[a].result << 16;
            return true;
        }
    }
    return false;
}

bool generic_find(const char *name, size_t length, struct generic_event *found)
{
    for (size_t i = 0; i < SIMPLE_COUNT; i++) {
        if (equals(name, length, simple[i].name)) {
            *found = (struct generic_event){simple[i].type, simple[i].config};
            return true;
        }
    }
    return cache_find(name, length, found);
}

static enum event_kind kind_of(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE   ? EVENT_HARDWARE
           : type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE
                                        : EVENT_CACHE;
}

static bool is_canonical(size_t index)
{
    return index == 0 || simple[index].type != simple[index - 1].type ||
           simple[index].config != simple[index - 1].config;
}

int generic_each(event_each *each, void *context)
{
    int stop = 0;
    for (size_t i = 0; i < SIMPLE_COUNT && !stop; i++) {
        if (is_canonical(i))
            stop = each(context, simple[i].name, kind_of(simple[i].type));
    }
    for (size_t c = 0; c < CACHE_COUNT && !stop; c++) {
        for (size_t a = 0; a < ACCESS_COUNT && !stop; a++) {
            if (!(caches[c].operations & accesses[a].needs))
                continue;
            char name[64];
            snprintf(name, sizeof(name), "%s-%s", caches[c].name, accesses[a].name);
            stop = each(context, name, EVENT_CACHE);
        }
    }
    return stop;
}

static bool generic_fits(const struct event_view *view, const char *name)
{
    (void)view;
    struct generic_event found;
    return generic_find(name, strcspn(name, ":"), &found);
}

static int generic_resolve(const struct event_view *view, const char *name, struct event *event,
                           struct failure *failure)
{
    (void)view;
    struct generic_event found = {0};
    size_t length = strcspn(name, ":");
    if (!generic_find(name, length, &found))
        return -ENOENT;
    event->kind = kind_of(found.type);
    event->attr.type = found.type;
    event->attr.config = found.config;
    if (!name[length])
        return 0;
    return event_apply_modifiers(name + length + 1, name, &event->attr, failure);
}

const struct event_form event_form_generic = {generic_fits, generic_resolve};
