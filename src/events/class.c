/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What an event claims to count, in words that are the same on every ISA (docs/classes.md). A
 * specimen's truth is stated per class, so these tables decide which truth an event is held
 * against: an event that is not certainly of a class has none. */
#include <string.h>
#include <strings.h>

#include <linux/hw_breakpoint.h>

#include "events/class-table.h"
#include "events/form.h"

/* A system call's own tracepoint counts calls of it: NAME-calls. */
static const struct class_row tracepoint_rows[] = {
    {"raw_syscalls:sys_enter", "syscalls"},
    {"syscalls:sys_enter_getppid", "getppid-calls"},
    {"syscalls:sys_enter_getpid", "getpid-calls"},
    {"syscalls:sys_enter_getuid", "getuid-calls"},
    {"syscalls:sys_enter_sched_yield", "sched_yield-calls"},
    {"syscalls:sys_enter_sched_setaffinity", "sched_setaffinity-calls"},
    {"syscalls:sys_enter_ioctl", "ioctl-calls"},
    {"syscalls:sys_enter_prctl", "prctl-calls"},
    {"syscalls:sys_enter_read", "read-calls"},
    {"syscalls:sys_enter_write", "write-calls"},
    {"syscalls:sys_enter_mmap", "mmap-calls"},
    {"syscalls:sys_enter_munmap", "munmap-calls"},
    {"exceptions:page_fault_user", "page-faults"},
};

CLASS_TABLE(class_table_tracepoint, "tracepoints", tracepoint_rows);

/* Aliases of x86 PMUs in sysfs; Arm's are in class-arm.c, and RISC-V's driver publishes none.
 * mem-loads and mem-stores have no class: they are made for sampling, with a threshold of latency
 * on most CPUs. */
static const struct class_row alias_rows[] = {
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
};
CLASS_TABLE(class_table_alias, "sysfs", alias_rows);

const char *class_table_find(const struct class_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->count; i++) {
        const char *known = table->rows[i].name;
        if (strlen(known) == length && strncasecmp(known, name, length) == 0)
            return table->rows[i].class;
    }
    return NULL;
}

static const char *tracepoint_class(const char *name)
{
    size_t length = strcspn(name, ":");
    if (name[length])
        length += 1 + strcspn(name + length + 1, ":");
    return class_table_find(&class_table_tracepoint, name, length);
}

/* pmu/alias/modes, or a core PMU's alias written bare. Further terms change the meaning. */
static const char *alias_class(const char *name)
{
    const char *slash = strchr(name, '/');
    const char *alias = slash ? slash + 1 : name;
    size_t length = strcspn(alias, slash ? "/" : ":");
    const char *class = class_table_find(&class_table_alias, alias, length);
    if (!class)
        class = class_table_find(&class_table_arm, alias, length);
    bool is_clock = class && strcmp(class, "ticks") == 0;
    return is_clock && strncmp(name, "msr/", 4) != 0 ? NULL : class;
}

static const char *papi_class(const char *name)
{
    return class_table_find(&class_table_papi, name, strcspn(name, ":"));
}

/* PMU::EVENT:UMASK:modes; modes are the single letters at the end. */
static const char *pfm_class(const char *name)
{
    static const struct class_table *const tables[] = {&class_table_intel, &class_table_amd,
                                                       &class_table_arm};
    const char *event = strstr(name, "::");
    event = event ? event + 2 : name;
    size_t length = strlen(event);
    while (length > 2 && event[length - 2] == ':' && strchr("ukh", event[length - 1]))
        length -= 2;
    const char *class = NULL;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && !class; i++)
        class = class_table_find(tables[i], event, length);
    return class;
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

/* What a source counts beside its classes has "-raw" behind it, and no truth. */
static const char *source_class(const char *counts)
{
    size_t length = strlen(counts);
    bool raw = length > 4 && strcmp(counts + length - 4, "-raw") == 0;
    return raw ? NULL : counts;
}

const char *event_class(const struct event *event)
{
    if (event->kind == EVENT_SOURCE)
        return source_class(event->counts);
    const char *class = class_of_generic(&event->attr);
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
    case EVENT_PAPI:
        return papi_class(event->name);
    default:
        return NULL;
    }
}
