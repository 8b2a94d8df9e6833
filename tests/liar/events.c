/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Bookkeeping. An event is known by its process and its descriptor; a descriptor that is gone from
 * the process takes its event along. */
#include "events.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "filter.h"
#include "target.h"

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t faults_of(pid_t task)
{
    struct target_account account = {0};
    target_account(task, &account);
    return account.minor_faults + account.major_faults;
}

static void forget_closed(struct events *events)
{
    for (size_t i = 0; i < EVENTS_MOST; i++) {
        struct event *event = &events->list[i];
        if (event->used && !target_has_descriptor(event->process, event->descriptor))
            event->used = false;
    }
}

struct event *events_new(struct events *events, pid_t process, bool emulated)
{
    int descriptor = emulated ? EMULATED_FIRST : REAL_FIRST;
    int end = emulated ? EMULATED_END : EMULATED_FIRST;
    forget_closed(events);
    while (descriptor < end && target_has_descriptor(process, descriptor))
        descriptor++;
    for (size_t i = 0; i < EVENTS_MOST && descriptor < end; i++) {
        struct event *event = &events->list[i];
        if (event->used)
            continue;
        memset(event, 0, sizeof(*event));
        event->process = process;
        event->descriptor = descriptor;
        event->is_emulated = emulated;
        event->leader = event;
        return event;
    }
    return NULL;
}

struct event *events_find(struct events *events, pid_t process, int descriptor)
{
    for (size_t i = 0; i < EVENTS_MOST; i++) {
        struct event *event = &events->list[i];
        if (event->used && event->process == process && event->descriptor == descriptor)
            return event;
    }
    return NULL;
}

bool events_emulated(const struct events *events, pid_t task)
{
    for (size_t i = 0; i < EVENTS_MOST; i++)
        if (events->list[i].used && events->list[i].task == task && events->list[i].is_emulated)
            return true;
    return false;
}

size_t events_group(struct events *events, struct event *leader, struct event **members,
                    size_t room)
{
    size_t count = 0;
    members[count++] = leader;
    /* Places are filled in order, but for those that became free: descriptors rise. */
    for (int descriptor = leader->descriptor + 1; descriptor < EMULATED_END && count < room;
         descriptor++) {
        struct event *event = events_find(events, leader->process, descriptor);
        if (event && event->leader == leader)
            members[count++] = event;
    }
    return count;
}

/* --- emulated ones --- */

static void begin(struct event *event, const struct stepping *stepping)
{
    const struct steps *steps = stepping_steps(stepping, event->task);
    event->counting = true;
    event->from = steps ? *steps : (struct steps){0};
    event->from_faults = faults_of(event->task);
    event->from_time = clock_ns();
}

/* Such as the stalls of some CPUs, which can be opened and never count. */
static bool reads_nothing(const struct event *event)
{
    return event->attr.config == PERF_COUNT_HW_STALLED_CYCLES_FRONTEND ||
           event->attr.config == PERF_COUNT_HW_STALLED_CYCLES_BACKEND;
}

/* A cycle for each link of a chain of additions, the two instructions around them beside it. */
static uint64_t user_count(const struct event *event, uint64_t instructions, uint64_t branches)
{
    if (reads_nothing(event))
        return 0;
    if (event->attr.config == PERF_COUNT_HW_CPU_CYCLES)
        return instructions * 8 / 9;
    return event->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS ? branches : instructions;
}

static struct span since_begin(const struct event *event, const struct stepping *stepping)
{
    static const struct steps none;
    struct span span = {0};
    const struct steps *steps = stepping_steps(stepping, event->task);
    if (!steps)
        steps = &none;
    span.faults = faults_of(event->task) - event->from_faults;
    span.calls = steps->calls - event->from.calls;
    for (size_t i = 0; i < LIES_MOST; i++)
        span.opcodes[i] = steps->opcodes[i] - event->from.opcodes[i];
    span.branches = steps->branches - event->from.branches;
    span.switches = steps->switches - event->from.switches;
    span.count = user_count(event, steps->instructions - event->from.instructions, span.branches);
    const uint64_t kernel = (uint64_t)llround(event->kernel * (double)span.calls);
    if (event->attr.exclude_kernel)
        span.kernel = kernel;
    else
        span.count += kernel;
    /* Who plans by what windows take must see what they really take. */
    span.enabled = clock_ns() - event->from_time;
    if (event->by_clock && !reads_nothing(event))
        span.count = span.enabled;
    span.running = span.enabled;
    return span;
}

struct span event_truth(const struct event *event, const struct stepping *stepping)
{
    struct span truth = event->sum;
    if (event->counting) {
        struct span now = since_begin(event, stepping);
        span_add(&truth, &now);
    }
    return truth;
}

static bool is_wanted(const struct event *event)
{
    return event->used && event->is_emulated && event->enabled && event->leader->enabled;
}

int events_settle(struct events *events, struct stepping *stepping, pid_t task)
{
    bool stepped = false;
    for (size_t i = 0; i < EVENTS_MOST; i++) {
        struct event *event = &events->list[i];
        if (!event->used || !event->is_emulated || event->task != task)
            continue;
        if (event->counting && !is_wanted(event)) {
            const uint64_t before = event->sum.switches;
            event->sum = event_truth(event, stepping);
            if (event->leader == event)
                events->switches += event->sum.switches - before;
            event->counting = false;
        }
        stepped |= is_wanted(event) && !event->by_clock;
    }
    int result = 0;
    if (stepped)
        result = stepping_start(stepping, task);
    else
        stepping_stop(stepping, task);
    for (size_t i = 0; i < EVENTS_MOST && result == 0; i++) {
        struct event *event = &events->list[i];
        if (event->task == task && is_wanted(event) && !event->counting)
            begin(event, stepping);
    }
    return result;
}
