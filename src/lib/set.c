/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Sets: names to events, events to counters, and a reason for each that the machine refuses; then
 * reading them, switching them on and off, and what they say about their members. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "events/form.h"
#include "lib/calipers.h"
#include "syscall.h"

/* --- Single counters --- */

struct counter_options {
    pid_t pid; /* 0: the calling thread */
    int cpu;   /* -1: wherever that thread runs */
    int group; /* descriptor of the group's leader, -1: none */
    uint64_t read_format;
    bool disabled;
    bool inherit;
    bool pinned; /* in addition to the event's own :D */
};

/* A descriptor (closed on exec) or negative errno. */
static int counter_open(const struct event *event, const struct counter_options *options)
{
    struct perf_event_attr attr = event->attr;
    if (event->target)
        attr.uprobe_path = (uint64_t)(uintptr_t)event->target;
    attr.read_format = options->read_format;
    attr.disabled = options->disabled;
    attr.inherit = options->inherit;
    attr.pinned |= options->pinned;
    long descriptor;
    do {
        descriptor = assay_syscall5(SYS_perf_event_open, (long)(uintptr_t)&attr, options->pid,
                                    options->cpu, options->group, PERF_FLAG_FD_CLOEXEC);
    } while (descriptor == -EINTR);
    return (int)descriptor;
}

int counter_try_open(const struct event *event)
{
    int descriptor =
        counter_open(event, &(struct counter_options){.cpu = -1, .group = -1, .disabled = true});
    if (descriptor < 0)
        return descriptor;
    close(descriptor);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * What a count is worth, from the time its counter was enabled and the time it really ran. */

__extension__ typedef unsigned __int128 wide;

enum assay_state counter_state(const struct counter_report *report)
{
    if (report->running_ns >= report->enabled_ns)
        return ASSAY_COUNTED;
    return report->running_ns ? ASSAY_MULTIPLEXED : ASSAY_UNSCHEDULED;
}

double counter_scale(const struct counter_report *report)
{
    if (report->running_ns >= report->enabled_ns)
        return (double)report->count;
    if (!report->running_ns)
        return 0;
    wide product = (wide)report->count * report->enabled_ns;
    wide whole = product / report->running_ns;
    uint64_t rest = (uint64_t)(product % report->running_ns);
    return (double)whole + (double)rest / (double)report->running_ns;
}

const char *assay_state_name(enum assay_state state)
{
    static const char *const names[] = {
        [ASSAY_COUNTED] = "counted",
        [ASSAY_MULTIPLEXED] = "multiplexed",
        [ASSAY_UNSCHEDULED] = "unscheduled",
        [ASSAY_UNSUPPORTED] = "unsupported",
    };
    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

/* ----------------------------------------------------------------------------------------------
 * Reading a set: one system call for a group, one per counter otherwise, and little else, because
 * what the library adds to the call is error in the caller's measurement. Where it can, assay.h
 * makes the call in the caller's own code and leaves only the arithmetic to this file. */

static __attribute__((noinline, cold)) int read_failed(const struct assay_set *set, size_t i,
                                                       long got)
{
    int error = got < 0 ? (int)got : -EIO;
    return set_fail(error, "cannot read %s: %s", set->members[i].event.name, strerror(-error));
}

static inline void deliver(const struct counter_report *start, uint64_t count, uint64_t enabled,
                           uint64_t running, struct assay_value *value)
{
    struct counter_report now = {count - start->count, enabled - start->enabled_ns,
                                 running - start->running_ns};
    value->count = now.count;
    value->enabled_ns = now.enabled_ns;
    value->running_ns = now.running_ns;
    if (__builtin_expect(now.running_ns == now.enabled_ns, 1)) {
        value->state = ASSAY_COUNTED;
        value->scaled = (double)now.count;
    } else {
        value->state = counter_state(&now);
        value->scaled = counter_scale(&now);
    }
}

static void deliver_nothing(struct assay_value *value, enum assay_state state)
{
    *value = (struct assay_value){.state = state};
}

static void take_single(const struct assay_set *set, size_t i, const uint64_t *report,
                        struct assay_value *value)
{
    deliver(&set->start[i], report[SINGLE_COUNT], report[SINGLE_ENABLED], report[SINGLE_RUNNING],
            value);
}

static void take_group(const struct assay_set *set, struct assay_value *values)
{
    const uint64_t *report = set->reader.report, *count = report + GROUP_COUNTS;
    for (size_t i = 0; i < set->count; i++) {
        if (set->descriptors[i] >= 0)
            deliver(&set->start[i], *count++, report[GROUP_ENABLED], report[GROUP_RUNNING],
                    &values[i]);
        else
            deliver_nothing(&values[i], ASSAY_UNSUPPORTED);
    }
}

int assay_set_take(struct assay_set *set, long got, struct assay_value *values)
{
    if (__builtin_expect(got != (long)set->reader.size, 0)) {
        if (got)
            return read_failed(set, 0, got);
        /* A pinned event that lost its counter reports nothing any more: end of file. */
        for (size_t i = 0; i < set->count; i++)
            deliver_nothing(&values[i],
                            set->descriptors[i] < 0 ? ASSAY_UNSUPPORTED : ASSAY_UNSCHEDULED);
    } else if (set->grouped) {
        take_group(set, values);
    } else {
        take_single(set, 0, set->reader.report, values);
    }
    return 0;
}

static int read_separate(const struct assay_set *set, struct assay_value *values)
{
    for (size_t i = 0; i < set->count; i++) {
        if (set->descriptors[i] < 0) {
            deliver_nothing(&values[i], ASSAY_UNSUPPORTED);
            continue;
        }
        uint64_t report[SINGLE_WORDS] = {0};
        long got =
            assay_syscall3(SYS_read, set->descriptors[i], (long)(uintptr_t)report, sizeof(report));
        if (got == sizeof(report))
            take_single(set, i, report, &values[i]);
        else if (got == 0)
            deliver_nothing(&values[i], ASSAY_UNSCHEDULED);
        else
            return read_failed(set, i, got);
    }
    return 0;
}

int assay_set_read(struct assay_set *set, struct assay_value *values)
{
    if (set->reader.descriptor < 0)
        return read_separate(set, values);
    long got = assay_syscall3(SYS_read, set->reader.descriptor, (long)(uintptr_t)set->reader.report,
                              (long)set->reader.size);
    return assay_set_take(set, got, values);
}

/* The operating system's own reset leaves the times and the counts of ended children alone; what
 * was reported until now is remembered and subtracted instead, which covers all three. */
int assay_set_reset(struct assay_set *set)
{
    struct assay_value values[ASSAY_MAX_COUNTERS] = {0};
    int error = assay_set_read(set, values);
    for (size_t i = 0; i < set->count && !error; i++) {
        set->start[i].count += values[i].count;
        set->start[i].enabled_ns += values[i].enabled_ns;
        set->start[i].running_ns += values[i].running_ns;
    }
    return error;
}

/* ----------------------------------------------------------------------------------------------
 * Opening and closing sets: names to events, events to counters, and a reason for each that the
 * machine refuses. */

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

/* Tracefs is only touched for names that may be tracepoints. */
static void open_view(struct event_view *view, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (event_form_tracepoint.fits(NULL, names[i])) {
            event_view_open(view, "");
            return;
        }
    }
    *view = (struct event_view){.root = "", .tracefs = -1};
}

/* Opens member i, as the leader when there is none yet. */
static void open_member(struct assay_set *set, const struct event_view *view, size_t i,
                        unsigned flags)
{
    bool joins = set->grouped && set->leader >= 0;
    struct counter_options options = {
        .cpu = -1,
        .group = joins ? set->leader : -1,
        .read_format = TIMES | (set->grouped ? PERF_FORMAT_GROUP : 0),
        .disabled = !joins,
        .inherit = flags & ASSAY_INHERIT,
        .pinned = flags & ASSAY_PINNED && !joins,
    };
    struct set_member *member = &set->members[i];
    int descriptor = counter_open(&member->event, &options);
    if (descriptor < 0) {
        const char *leader = NULL;
        for (size_t k = 0; joins && k < i && !leader; k++)
            leader = set->descriptors[k] >= 0 ? set->members[k].event.name : NULL;
        char reason[1024];
        member->error = -descriptor;
        if (leader && counter_try_open(&member->event) == 0)
            snprintf(reason, sizeof(reason),
                     "it can be counted alone, but not in one group with %s: there are not enough "
                     "counters, they belong to different PMUs, or only a group's first event may "
                     "be pinned or exclusive. Open the events separately (ASSAY_SEPARATE)",
                     leader);
        else
            event_open_reason(view, &member->event, -descriptor, reason, sizeof(reason));
        member->reason = strdup(reason);
        return;
    }
    set->descriptors[i] = descriptor;
    set->open++;
    if (set->leader < 0)
        set->leader = descriptor;
}

static int resolve_members(struct assay_set *set, const struct event_view *view,
                           const char *const *names, set_prepare *prepare)
{
    for (size_t i = 0; i < set->count; i++) {
        struct set_member *member = &set->members[i];
        int error = event_resolve(view, names[i], &member->event, set_failure());
        if (error == -EACCES) { /* the name may be right: the machine refuses to say */
            member->error = EACCES;
            member->reason = strdup(set_failure()->text);
            member->event.name = strdup(names[i]);
            continue;
        }
        if (!error && prepare)
            error = prepare(&member->event, set_failure());
        if (error < 0)
            return error;
    }
    return 0;
}

int set_open(struct assay_set **result, const char *const *events, size_t count, unsigned flags,
             set_prepare *prepare)
{
    const unsigned known = ASSAY_SEPARATE | ASSAY_PINNED | ASSAY_INHERIT;
    if (!result)
        return set_fail(-EINVAL, "assay_set_open needs a place for the set");
    *result = NULL;
    if (!events || !count || count > ASSAY_MAX_COUNTERS)
        return set_fail(-EINVAL, "a set holds 1 to %d events, not %zu", ASSAY_MAX_COUNTERS,
                        events ? count : 0);
    if (flags & ~known)
        return set_fail(-EINVAL, "unknown flags 0x%x", flags & ~known);
    for (size_t i = 0; i < count; i++) {
        if (!events[i])
            return set_fail(-EINVAL, "event %zu is NULL", i);
    }
    struct assay_set *set = calloc(1, sizeof(*set));
    if (!set)
        return set_fail(-ENOMEM, "out of memory");
    set->count = count;
    set->leader = -1;
    /* One event alone needs no group, and is read faster without. */
    set->grouped = count > 1 && !(flags & (ASSAY_SEPARATE | ASSAY_INHERIT));
    for (size_t i = 0; i < ASSAY_MAX_COUNTERS; i++)
        set->descriptors[i] = -1;
    struct event_view view;
    open_view(&view, events, count);
    int error = resolve_members(set, &view, events, prepare);
    for (size_t i = 0; i < count && !error; i++)
        if (!set->members[i].error)
            open_member(set, &view, i, flags);
    event_view_close(&view);
    if (error) {
        assay_set_close(set);
        return error;
    }
    /* Once all members are open: says how one system call reads them, if one can. */
    bool one_call = set->open && (set->grouped || set->count == 1);
    size_t words = set->grouped ? GROUP_COUNTS + set->open : SINGLE_WORDS;
    set->reader.descriptor = one_call ? set->leader : -1;
    set->reader.size = (unsigned)(words * sizeof(uint64_t));
    *result = set;
    return 0;
}

int assay_set_open(struct assay_set **result, const char *const *events, size_t count,
                   unsigned flags)
{
    return set_open(result, events, count, flags, NULL);
}

/* Siblings before their leader, so that the group never breaks up into events of their own. */
void assay_set_close(struct assay_set *set)
{
    if (!set)
        return;
    for (size_t i = set->count; i-- > 0;) {
        if (set->descriptors[i] >= 0)
            close(set->descriptors[i]);
        event_release(&set->members[i].event);
        free(set->members[i].reason);
    }
    free(set);
}

/* --- Switching a set on and off, and what it says about its members --- */

/* One request to the leader of a group, which its siblings follow, or to every counter. */
static int request(const struct assay_set *set, unsigned long what, const char *verb)
{
    int error = 0;
    for (size_t i = 0; i < set->count && !error; i++) {
        if (set->descriptors[i] < 0 || (set->grouped && set->descriptors[i] != set->leader))
            continue;
        error = (int)assay_syscall3(SYS_ioctl, set->descriptors[i], (long)what, 0);
        if (error < 0)
            return set_fail(error, "cannot %s %s: %s", verb, set->members[i].event.name,
                            strerror(-error));
    }
    return 0;
}

int assay_set_enable(struct assay_set *set)
{
    return request(set, PERF_EVENT_IOC_ENABLE, "enable");
}

int assay_set_disable(struct assay_set *set)
{
    return request(set, PERF_EVENT_IOC_DISABLE, "disable");
}

size_t assay_set_size(const struct assay_set *set)
{
    return set->count;
}

const char *assay_set_event(const struct assay_set *set, size_t index)
{
    return index < set->count ? set->members[index].event.name : NULL;
}

int assay_set_error(const struct assay_set *set, size_t index)
{
    return index < set->count ? set->members[index].error : EINVAL;
}

const char *assay_set_reason(const struct assay_set *set, size_t index)
{
    if (index >= set->count)
        return "there is no such event in the set";
    const struct set_member *member = &set->members[index];
    return member->reason ? member->reason : member->error ? strerror(member->error) : "";
}
