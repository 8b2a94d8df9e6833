/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Translates events into PAPI's words. PAPI takes names, not attributes: what perf calls generic it
 * finds in libpfm's table `perf`, raw codes in `perf_raw`; what has no name there cannot be counted
 * through PAPI. Its default domain leaves the operating system out, so the domain is always set. */
#include "probe/harness/papi-set.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "events/event.h"
#include "probe/harness/papi-tracepoints.h"

static const char *const hardware_names[] = {
    [PERF_COUNT_HW_CPU_CYCLES] = "PERF_COUNT_HW_CPU_CYCLES",
    [PERF_COUNT_HW_INSTRUCTIONS] = "PERF_COUNT_HW_INSTRUCTIONS",
    [PERF_COUNT_HW_CACHE_REFERENCES] = "PERF_COUNT_HW_CACHE_REFERENCES",
    [PERF_COUNT_HW_CACHE_MISSES] = "PERF_COUNT_HW_CACHE_MISSES",
    [PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = "PERF_COUNT_HW_BRANCH_INSTRUCTIONS",
    [PERF_COUNT_HW_BRANCH_MISSES] = "PERF_COUNT_HW_BRANCH_MISSES",
    [PERF_COUNT_HW_BUS_CYCLES] = "PERF_COUNT_HW_BUS_CYCLES",
    [PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = "PERF_COUNT_HW_STALLED_CYCLES_FRONTEND",
    [PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = "PERF_COUNT_HW_STALLED_CYCLES_BACKEND",
    [PERF_COUNT_HW_REF_CPU_CYCLES] = "PERF_COUNT_HW_REF_CPU_CYCLES",
};

static const char *const software_names[] = {
    [PERF_COUNT_SW_CPU_CLOCK] = "PERF_COUNT_SW_CPU_CLOCK",
    [PERF_COUNT_SW_TASK_CLOCK] = "PERF_COUNT_SW_TASK_CLOCK",
    [PERF_COUNT_SW_PAGE_FAULTS] = "PERF_COUNT_SW_PAGE_FAULTS",
    [PERF_COUNT_SW_CONTEXT_SWITCHES] = "PERF_COUNT_SW_CONTEXT_SWITCHES",
    [PERF_COUNT_SW_CPU_MIGRATIONS] = "PERF_COUNT_SW_CPU_MIGRATIONS",
    [PERF_COUNT_SW_PAGE_FAULTS_MIN] = "PERF_COUNT_SW_PAGE_FAULTS_MIN",
    [PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "PERF_COUNT_SW_PAGE_FAULTS_MAJ",
};

static const char *const cache_names[] = {
    [PERF_COUNT_HW_CACHE_L1D] = "L1D",   [PERF_COUNT_HW_CACHE_L1I] = "L1I",
    [PERF_COUNT_HW_CACHE_LL] = "LL",     [PERF_COUNT_HW_CACHE_DTLB] = "DTLB",
    [PERF_COUNT_HW_CACHE_ITLB] = "ITLB", [PERF_COUNT_HW_CACHE_BPU] = "BPU",
    [PERF_COUNT_HW_CACHE_NODE] = "NODE",
};
static const char *const cache_operations[] = {"READ", "WRITE", "PREFETCH"};
static const char *const cache_results[] = {"ACCESS", "MISS"};

#define TABLE(table, index) ((index) < sizeof(table) / sizeof(*(table)) ? (table)[index] : NULL)

static int cache_name(uint64_t config, char *name, size_t size)
{
    const char *cache = TABLE(cache_names, config & 0xff);
    const char *operation = TABLE(cache_operations, config >> 8 & 0xff);
    const char *result = TABLE(cache_results, config >> 16 & 0xff);
    if (!cache || !operation || !result)
        return -ENOTSUP;
    snprintf(name, size, "perf::PERF_COUNT_HW_CACHE_%s:%s:%s", cache, operation, result);
    return 0;
}

static int table_name(const char *entry, char *name, size_t size)
{
    if (!entry)
        return -ENOTSUP;
    snprintf(name, size, "perf::%s", entry);
    return 0;
}

/* The name as the user wrote it, without assay's mode at its end: the domain carries the mode. */
static void plain_name(const char *prefix, const char *written, char *name, size_t size)
{
    static const char *const modes[] = {":uk", ":ku", ":u", ":k"};
    size_t length = strlen(written);
    for (size_t index = 0; index < sizeof(modes) / sizeof(*modes); index++) {
        size_t suffix = strlen(modes[index]);
        if (length > suffix && strcmp(written + length - suffix, modes[index]) == 0) {
            length -= suffix;
            break;
        }
    }
    snprintf(name, size, "%s%.*s", prefix, (int)length, written);
}

/* For who steps through PAPI's code it does not matter what is counted, but PAPI must have a name
 * for it, and takes each once: software events, which open on every machine, and then the same
 * with their mode written out. */
static int stand_in_name(uint32_t index, char *name, size_t size)
{
    static const unsigned order[] = {
        PERF_COUNT_SW_PAGE_FAULTS,     PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
        PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ,  PERF_COUNT_SW_TASK_CLOCK,
        PERF_COUNT_SW_CPU_CLOCK,
    };
    static const char *const modes[] = {"", ":u"};
    const uint32_t count = sizeof(order) / sizeof(*order);
    if (index >= count * (sizeof(modes) / sizeof(*modes)))
        return -E2BIG;
    snprintf(name, size, "perf::%s%s", software_names[order[index % count]], modes[index / count]);
    return 0;
}

static int translate(const struct job_event *event, char *name, size_t size)
{
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == EVENT_TYPE_NONE) { /* a preset: PAPI's own name, and modes after a colon */
        snprintf(name, size, "%.*s", (int)strcspn(event->name, ":"), event->name);
        return 0;
    }
    if (strstr(event->name, "::")) {
        plain_name("", event->name, name, size);
        return 0;
    }
    switch (attr->type) {
    case PERF_TYPE_HARDWARE:
        return table_name(TABLE(hardware_names, attr->config), name, size);
    case PERF_TYPE_SOFTWARE:
        return table_name(TABLE(software_names, attr->config), name, size);
    case PERF_TYPE_HW_CACHE:
        return cache_name(attr->config, name, size);
    case PERF_TYPE_RAW:
        snprintf(name, size, "perf_raw::r%llx", (unsigned long long)attr->config);
        return 0;
    case PERF_TYPE_TRACEPOINT:
        plain_name("perf::", event->name, name, size);
        return 0;
    default:
        return -ENOTSUP;
    }
}

int papi_native_name(struct job *job, uint32_t index, char *name, size_t size)
{
    const struct job_event *event = &job->events[index];
    if (event->counts[0]) /* of a source: what is opened below it is nobody's event */
        return stand_in_name(index, name, size) == 0
                   ? 0
                   : job_fail(job, -E2BIG,
                              "PAPI takes every event once, and there are %u that open on every "
                              "machine: count with fewer",
                              index);
    if (translate(event, name, size) == 0)
        return 0;
    return job_fail(job, -ENOTSUP, "PAPI has no name for %s: count it through a perf path",
                    job->events[index].name);
}

int papi_errno(int status)
{
    static const struct {
        int status, error;
    } errors[] = {
        {PAPI_ENOEVNT, ENOENT},        {PAPI_EPERM, EPERM},       {PAPI_ENOSUPP, ENOTSUP},
        {PAPI_ECNFLCT, EBUSY},         {PAPI_ECOUNT, ENOSPC},     {PAPI_ENOMEM, ENOMEM},
        {PAPI_EINVAL, EINVAL},         {PAPI_EINVAL_DOM, EINVAL}, {PAPI_ENOCMP, ENOTSUP},
        {PAPI_ECMP_DISABLED, ENOTSUP},
    };
    for (size_t index = 0; index < sizeof(errors) / sizeof(*errors); index++)
        if (errors[index].status == status)
            return -errors[index].error;
    return -EIO;
}

int papi_usable(char *reason, size_t size)
{
    int version = PAPI_library_init(PAPI_VER_CURRENT);
    if (version != PAPI_VER_CURRENT) {
        snprintf(reason, size, "PAPI does not start here: %s",
                 version > 0 ? "another version of the library is installed than was built with"
                             : PAPI_strerror(version));
        return version > 0 ? -ELIBBAD : papi_errno(version);
    }
    const PAPI_component_info_t *component = PAPI_get_component_info(0);
    if (!component || strcmp(component->name, "perf_event") != 0) {
        snprintf(reason, size, "this PAPI was built without its perf_event component");
        return -ENOTSUP;
    }
    /* Without a hardware PMU the component works, with a reason why it is not complete. */
    if (component->disabled != PAPI_OK && component->disabled != PAPI_EDELAY_INIT &&
        component->num_native_events == 0) {
        snprintf(reason, size, "PAPI's perf_event component is disabled: %s",
                 component->disabled_reason);
        return -ENOTSUP;
    }
    return 0;
}

static int common_domain(struct job *job, int *domain)
{
    int common = 0;
    for (uint32_t index = 0; index < job->counters; index++) {
        const struct perf_event_attr *attr = &job->events[index].attr;
        int own = attr->exclude_kernel ? PAPI_DOM_USER
                  : attr->exclude_user ? PAPI_DOM_KERNEL
                                       : PAPI_DOM_ALL;
        if (common && own != common)
            return job_fail(job, -ENOTSUP,
                            "PAPI counts all events of a set in one mode, and %s differs from %s",
                            job->events[index].name, job->events[0].name);
        common = own;
    }
    *domain = common;
    return 0;
}

static int add_event(struct job *job, int event_set, uint32_t index)
{
    char name[JOB_NAME + 16];
    int code = PAPI_NATIVE_MASK;
    int result = papi_native_name(job, index, name, sizeof(name));
    if (result < 0)
        return result;
    int status = PAPI_event_name_to_code(name, &code);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI does not know %s, its name for %s: %s%s",
                        name, job->events[index].name, PAPI_strerror(status),
                        job->events[index].attr.type == PERF_TYPE_TRACEPOINT
                            ? ". It looks tracepoints up in debugfs: be root, or mount it readably"
                            : "");
    status = PAPI_add_event(event_set, code);
    if (status != PAPI_OK) {
        if (job->events[index].attr.type != EVENT_TYPE_NONE) /* a preset only PAPI can explain */
            job->failed_event = (int32_t)index;
        return job_fail(job, papi_errno(status), "PAPI cannot add %s: %s", name,
                        PAPI_strerror(status));
    }
    return 0;
}

int papi_build_set(struct job *job, int *event_set)
{
    int domain = 0;
    *event_set = PAPI_NULL;
    papi_show_tracepoints(job);
    int result = papi_usable(job->reason, sizeof(job->reason));
    if (result < 0)
        return job->error = -result, result;
    result = common_domain(job, &domain);
    if (result < 0)
        return result;
    /* The default domain of sets to come, here and in the high-level interface: an empty set cannot
     * be given one of its own where the component counts as disabled for want of a PMU. */
    int status = PAPI_set_domain(domain);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI refuses this mode: %s",
                        PAPI_strerror(status));
    status = PAPI_create_eventset(event_set);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI cannot create an event set: %s",
                        PAPI_strerror(status));
    for (uint32_t index = 0; index < job->counters && result == 0; index++)
        result = add_event(job, *event_set, index);
    if (result < 0)
        papi_destroy_set(event_set);
    return result;
}

void papi_destroy_set(int *event_set)
{
    if (*event_set == PAPI_NULL)
        return;
    PAPI_cleanup_eventset(*event_set);
    PAPI_destroy_eventset(event_set);
    *event_set = PAPI_NULL;
}
