/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a job's events to sets of PAPI's. PAPI takes names, not attributes: what perf calls generic
 * it finds in libpfm's table `perf`, raw codes in `perf_raw`; what has no name there cannot be
 * counted through PAPI. Its default domain leaves the operating system out, so the domain is always
 * set. */
#include "probe/harness/papi-set.h"

#include <errno.h>
#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/vfs.h>

#include <linux/magic.h>

#include "events/event.h"
#include "lib/ticks.h"

/* ----------------------------------------------------------------------------------------------
 * PAPI (by way of libpfm) finds tracepoints only in a mounted debugfs, which many machines do not
 * have. This process then mounts one that nobody else sees: in a mount namespace of its own, which
 * ends with it. */

static const char debugfs[] = "/sys/kernel/debug";

static bool mounted(void)
{
    struct statfs facts;
    return statfs(debugfs, &facts) == 0 && facts.f_type == DEBUGFS_MAGIC;
}

static bool asks_for_tracepoint(const struct job_event *events, uint32_t count)
{
    for (uint32_t index = 0; index < count; index++)
        if (events[index].attr.type == PERF_TYPE_TRACEPOINT)
            return true;
    return false;
}

/* Where a tracepoint is among the events, lets PAPI find it; call before the library starts. Does
 * what it may: without the right to mount, PAPI itself will say that it does not know the event. */
static void papi_show_tracepoints(const struct job_event *events, uint32_t count)
{
    if (!asks_for_tracepoint(events, count) || mounted() || unshare(CLONE_NEWNS) < 0)
        return;
    /* Private first: a mount must not travel to the namespace we came from. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0)
        (void)mount("debugfs", debugfs, "debugfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

/* --- Translates events into PAPI's words, and puts them together --- */

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
    case PERF_TYPE_HW_CACHE: {
        const char *cache = TABLE(cache_names, attr->config & 0xff);
        const char *operation = TABLE(cache_operations, attr->config >> 8 & 0xff);
        const char *result = TABLE(cache_results, attr->config >> 16 & 0xff);
        if (!cache || !operation || !result)
            return -ENOTSUP;
        snprintf(name, size, "perf::PERF_COUNT_HW_CACHE_%s:%s:%s", cache, operation, result);
        return 0;
    }
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

/* One way of many to write the same mode: both halves in either order, said with or without a
 * value, and before or behind them what is the default anyway. -E2BIG: there are not so many. */
static int spell_mode(const struct perf_event_attr *attr, uint32_t spelling, char *text,
                      size_t size)
{
    static const char *const user[] = {":u=1", ":u"}, *const system[] = {":k=1", ":k"};
    static const struct {
        const char *before, *behind;
    } defaults[] = {{"", ""},
                    {"", ":pinned=0"},
                    {"", ":excl=0"},
                    {":pinned=0", ""},
                    {":excl=0", ""},
                    {":pinned=0", ":excl=0"},
                    {":excl=0", ":pinned=0"},
                    {"", ":pinned=0:excl=0"},
                    {"", ":excl=0:pinned=0"}};
    const uint32_t users = attr->exclude_user ? 1 : 2, systems = attr->exclude_kernel ? 1 : 2;
    const char *first = attr->exclude_user ? ":u=0" : user[spelling % users];
    spelling /= users;
    const char *second = attr->exclude_kernel ? ":k=0" : system[spelling % systems];
    spelling /= systems;
    bool swapped = spelling % 2;
    spelling /= 2;
    if (spelling >= sizeof(defaults) / sizeof(*defaults))
        return -E2BIG;
    snprintf(text, size, "%s%s%s%s", defaults[spelling].before, swapped ? second : first,
             swapped ? first : second, defaults[spelling].behind);
    return 0;
}

int papi_copy_name(struct job *job, const struct job_event *event, uint32_t copy, char *name,
                   size_t size)
{
    char mode[48] = "";
    if (event->counts[0] || translate(event, name, size) < 0)
        return job_fail(job, -ENOTSUP, "PAPI has no name for %s: count it through a perf path",
                        event->name);
    if (event->attr.type == EVENT_TYPE_NONE
            ? copy > 0
            : spell_mode(&event->attr, copy, mode, sizeof(mode)) < 0)
        return job_fail(job, -E2BIG,
                        "PAPI takes every name once, and there are %u for %s: count with fewer",
                        copy, event->name);
    size_t length = strlen(name);
    snprintf(name + length, size - length, "%s", mode);
    return 0;
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

int papi_high_usable(char *reason, size_t size)
{
    if (!ticks_forbidden())
        return papi_usable(reason, size);
    snprintf(reason, size, "regions of PAPI take the time as well, and " TICKS_FORBIDDEN);
    return -EPERM;
}

static int domain_of(const struct perf_event_attr *attr)
{
    return attr->exclude_kernel ? PAPI_DOM_USER
           : attr->exclude_user ? PAPI_DOM_KERNEL
                                : PAPI_DOM_ALL;
}

static int common_domain(struct job *job, int *domain)
{
    int common = 0;
    for (uint32_t index = 0; index < job->counters; index++) {
        int own = domain_of(&job->events[index].attr);
        if (common && own != common)
            return job_fail(job, -ENOTSUP,
                            "PAPI counts all events of a set in one mode, and %s differs from %s",
                            job->events[index].name, job->events[0].name);
        common = own;
    }
    *domain = common;
    return 0;
}

/* `event` is what the user wrote, `name` what PAPI is asked for. */
static int add_named(struct job *job, int event_set, const struct job_event *event,
                     const char *name)
{
    int code = PAPI_NATIVE_MASK;
    int status = PAPI_event_name_to_code(name, &code);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI does not know %s, its name for %s: %s%s",
                        name, event->name, PAPI_strerror(status),
                        event->attr.type == PERF_TYPE_TRACEPOINT
                            ? ". It looks tracepoints up in debugfs: be root, or mount it readably"
                            : "");
    status = PAPI_add_event(event_set, code);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI cannot add %s: %s", name,
                        PAPI_strerror(status));
    return 0;
}

static int add_event(struct job *job, int event_set, uint32_t index)
{
    char name[PAPI_NAME];
    int result = papi_native_name(job, index, name, sizeof(name));
    if (result < 0)
        return result;
    result = add_named(job, event_set, &job->events[index], name);
    if (result < 0 && job->events[index].attr.type != EVENT_TYPE_NONE) /* a preset only PAPI can
                                                                          explain */
        job->failed_event = (int32_t)index;
    return result;
}

/* An empty set. The domain becomes the default of sets to come, here and in the high-level
 * interface: an empty set cannot be given one of its own where the component counts as disabled for
 * want of a PMU. */
static int create_set(struct job *job, int domain, int *event_set)
{
    int status = PAPI_set_domain(domain);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI refuses this mode: %s",
                        PAPI_strerror(status));
    status = PAPI_create_eventset(event_set);
    if (status != PAPI_OK)
        return job_fail(job, papi_errno(status), "PAPI cannot create an event set: %s",
                        PAPI_strerror(status));
    return 0;
}

static int start_library(struct job *job)
{
    int result = papi_usable(job->reason, sizeof(job->reason));
    if (result < 0)
        job->error = -result;
    return result;
}

int papi_build_set(struct job *job, int *event_set)
{
    int domain = 0;
    *event_set = PAPI_NULL;
    papi_show_tracepoints(job->events, job->counters);
    int result = start_library(job);
    if (result == 0)
        result = common_domain(job, &domain);
    if (result == 0)
        result = create_set(job, domain, event_set);
    for (uint32_t index = 0; index < job->counters && result == 0; index++)
        result = add_event(job, *event_set, index);
    if (result < 0)
        papi_destroy_set(event_set);
    return result;
}

int papi_build_copies(struct job *job, const struct job_event *event, uint32_t copies,
                      int *event_set)
{
    *event_set = PAPI_NULL;
    papi_show_tracepoints(event, 1);
    int result = start_library(job);
    if (result == 0)
        result = create_set(job, domain_of(&event->attr), event_set);
    for (uint32_t copy = 0; copy < copies && result == 0; copy++) {
        char name[PAPI_NAME];
        result = papi_copy_name(job, event, copy, name, sizeof(name));
        if (result == 0 && (result = add_named(job, *event_set, event, name)) < 0 &&
            event->attr.type != EVENT_TYPE_NONE)
            job->failed_event = JOB_COUNTED;
    }
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

/* --- The high-level interface --- */

int papi_regions_of(struct job *job, const char *names)
{
    if (setenv("PAPI_EVENTS", names, 1) < 0 || setenv("PAPI_OUTPUT_DIRECTORY", job->folder, 1) < 0)
        return job_fail(job, -ENOMEM, "out of memory");
    return 0;
}

void papi_reserve(size_t bytes)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    void *memory = malloc(bytes);
    __asm__ volatile("" : : "r"(memory) : "memory"); /* or the pair would be optimised away */
    free(memory);
}
