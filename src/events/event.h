/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Event names: from the words a person writes ("instructions:u", "msr/tsc/",
 * "syscalls:sys_enter_getppid", "mem:0x1000/4:rw", "uprobe:/bin/true:main") to what
 * perf_event_open(2) takes, on the machine under test; and names of what counts by executing
 * ("step/instructions/"), where the program at hand can do that. Stands on the probe's side.
 *
 * The files of this folder:
 *   names.c       from a name to an event: modifiers, nearest names, lists, the order of the forms
 *   forms.c       names that need no description of the machine: generic, raw, PAPI, breakpoints …
 *   pmu.c         where all of them look, files below a root and tracefs; PMUs as sysfs describes
 *                 them
 *   tracepoint.c  tracepoints, as tracefs lists them
 *   uprobe.c      user probes, and where in an ELF file a symbol lies
 *   pfm.c         libpfm4's names, in the probe alone
 *   class.c       what an event claims to count
 *   reason.c      why an event could not be opened, from what the machine shows of itself
 *   form.h        what these files share */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "base/failure.h"

enum event_kind {
    EVENT_HARDWARE,
    EVENT_CACHE,
    EVENT_SOFTWARE,
    EVENT_PMU,
    EVENT_RAW,
    EVENT_TRACEPOINT,
    EVENT_BREAKPOINT,
    EVENT_UPROBE,
    EVENT_PFM,
    EVENT_PAPI,
    EVENT_SOURCE,
};

/* "hardware", "cache", "software", "pmu", "raw", "tracepoint", "breakpoint", "uprobe", "pfm",
 * "papi", "source" */
const char *event_kind_name(enum event_kind kind);

/* attr.type of an event that perf_event_open cannot have: no PMU has this number, so that an
 * attempt is refused and event_open_reason says who can count it. */
#define EVENT_TYPE_NONE UINT32_MAX

struct event_resolver;

/* Something that counts by executing the code, and is no counter of the operating system. Its
 * events are written NAME/CLASS/. */
struct event_source {
    const char *name;           /* NULL ends a table */
    const char *const *classes; /* ends with NULL; one that ends in "-raw" is no class of events */
    int error;                  /* positive errno: cannot count here, for this reason; 0: can */
    const char *reason;
};

/* Where names are looked up. A zeroed view with root = "" is this machine; tests give a recorded
 * tree. tracefs is a directory descriptor (-1: not reachable, then tracefs_error says why).
 * resolver: further tables of names (libpfm4), or NULL; sources: what the program can run to count,
 * or NULL; all but the first three are set after event_view_open. */
struct event_view {
    const char *root; /* "" or the folder that holds sys/ and proc/ */
    int tracefs;
    int tracefs_error; /* positive errno */
    const struct event_resolver *resolver;
    const struct event_source *sources;
    bool has_target; /* events may be named after the target of a specimen: mem:target:x */
    /* What whoever knows the hypervisor better says of it: its name, what it offers its guests (a
     * sentence), and the settings that change that, a line each. NULL: what files tell. */
    const char *hypervisor, *vpmu, *vpmu_fix;
};

/* Opens the machine's own view: finds tracefs where it is mounted, and where it is not but may be,
 * reads it through a detached mount that nobody else sees. */
void event_view_open(struct event_view *view, const char *root);
void event_view_close(struct event_view *view);

/* One event, resolved. Zero it before use; event_release frees what it holds. */
struct event {
    char *name; /* as written, whitespace trimmed */
    enum event_kind kind;
    struct perf_event_attr attr; /* complete but for read_format, disabled and (uprobes) config1 */
    char *target;                /* uprobe: the file, which config1 must point at when opening */
    const struct event_source *source; /* of the view; attr then is an event that counts nothing */
    const char *counts;                /* which of its classes */
    bool own; /* watches the target of a specimen: whoever opens it fills in the place */
};

/* Resolves name. On failure: -EINVAL malformed, -ENOENT no such event (the text names the nearest
 * ones), -EACCES the description cannot be read (the text says how to change that), -ENOMEM. */
int event_resolve(const struct event_view *view, const char *name, struct event *event,
                  struct failure *failure);
void event_release(struct event *event);

/* Why opening failed, in words a person understands, with what to do next. error is the positive
 * errno that perf_event_open gave. Reads paranoid level, hypervisor flags and so on below view. */
void event_open_reason(const struct event_view *view, const struct event *event, int error,
                       char *reason, size_t size);

/* Why perf_event_open itself is not allowed, whatever the event: a sentence's rest. filtered: a
 * seccomp filter decides over this process's system calls; contained: which came with a container.
 * Doctor says the same. */
static inline const char *event_forbidden_words(int error, bool filtered, bool contained)
{
    if (filtered && contained)
        return "the container's seccomp profile blocks it. Start the container with --cap-add "
               "PERFMON and a profile that allows perf_event_open (or --security-opt "
               "seccomp=unconfined)";
    if (filtered)
        return "a seccomp filter, which came with whatever started this process, blocks it. Run "
               "outside that sandbox, or let it allow perf_event_open (containers: --security-opt "
               "seccomp=unconfined; systemd: SystemCallFilter=perf_event_open)";
    if (error == ENOSYS)
        return "the operating system was built without CONFIG_PERF_EVENTS, or this is an emulation "
               "of one (gVisor, qemu-user, WSL 1). Run on a real Linux kernel";
    return "a security module (SELinux, AppArmor) or lockdown forbids it, as the kernel's log "
           "says, or it needs CAP_PERFMON";
}

/* One of the reasons: doctor says the same (src/machine/describe-system.c). */
#define FIRECRACKER_COUNTERS                                                                       \
    "Firecracker offers no counters, whatever is set; for hardware events take bare metal, or "    \
    "KVM "                                                                                         \
    "under QEMU with pmu=on"

/* What an event claims to count: "instructions", "cond-branches", "page-faults" … or NULL when no
 * class is known. Static string (a source's: its table's). Mode modifiers do not change the class.
 */
const char *event_class(const struct event *event);

/* Calls `each` for every event the machine describes whose name matches the shell glob. Tracepoints
 * are thousands: without a glob (NULL, "" or "*") only those come that have a class. Where tracefs
 * cannot be read these come too, and resolving them says why it cannot. Stops when `each` returns
 * non-zero and returns that. */
typedef int event_each(void *context, const char *name, enum event_kind kind);
int event_list(const struct event_view *view, const char *glob, event_each *each, void *context);

/* libpfm4 and the like plug in at event_view.resolver: tried when no built-in form fits and the
 * name contains "::" or matches nothing else. Same results as event_resolve; -ENOENT means "not
 * mine". */
struct event_resolver {
    const char *name; /* "libpfm4" */
    int (*resolve)(const char *name, struct event *event, struct failure *failure);
    int (*list)(const char *glob, event_each *each, void *context);
};

/* libpfm4's tables. Only in programs built with pfm_sources and pfm_dep (see meson.build): libassay
 * itself needs libc only. */
extern const struct event_resolver event_resolver_libpfm4;

/* ----------------------------------------------------------------------------------------------
 * The nearest names to one that does not exist. Offer candidates one by one; the best few stay. */

#define SUGGEST_COUNT 3
#define SUGGEST_NAME  128 /* longer candidates and longer wishes are not compared */

struct suggestions {
    const char *wanted; /* set this, zero the rest */
    size_t count;
    struct {
        char name[SUGGEST_NAME];
        size_t rank; /* 0: the very name */
    } best[SUGGEST_COUNT];
};

/* Edits (insert, delete, replace, swap neighbours) between two names, letter case ignored. */
size_t suggest_distance(const char *one, const char *other);

void suggest_consider(struct suggestions *suggestions, const char *candidate);

/* "; did you mean a, b or c?" or "" when nothing is near. */
void suggest_sentence(const struct suggestions *suggestions, char *sentence, size_t size);
