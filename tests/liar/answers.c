/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starting, stopping, reading and the operating system's account; opening is in open.c. While a
 * call is answered the task that made it stands still. */
#include "answers.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "open.h"
#include "target.h"

/* --- reading --- */

/* A read as words, at most. */
#define REPORT_WORDS (3 + 3 * GROUP_MOST)

/* Brings the true sums up to date and returns what is to be shown. Only while the event is enabled
 * there is anything to lie about: a span without such time is no run. */
static uint64_t show(struct liar *liar, struct event *event, const struct span *truth)
{
    struct span run = span_difference(truth, &event->seen);
    if (truth->count < event->seen.count) { /* it was reset */
        run = *truth;
        event->shown = event->shown_running = 0;
    }
    bool is_run = run.enabled || run.count;
    uint64_t running = run.running;
    event->shown += is_run && event->is_lied_about
                        ? lies_tell(&liar->lies, &event->memory, &run, &running)
                        : run.count;
    event->shown_running += running;
    event->seen = *truth;
    return event->shown;
}

/* Where things are in a report, as words. A single event's is its value, the times, then its id and
 * what it lost; a group's is the number of members, the times, and for each a value, id and lost.
 */
struct layout {
    bool grouped, has_enabled, has_running;
    size_t values; /* of the first value; the times begin at 1 in any case */
    size_t each;   /* words for every member */
    size_t words;
};

static struct layout layout_of(uint64_t format, size_t members)
{
    struct layout layout = {
        .grouped = format & PERF_FORMAT_GROUP,
        .has_enabled = format & PERF_FORMAT_TOTAL_TIME_ENABLED,
        .has_running = format & PERF_FORMAT_TOTAL_TIME_RUNNING,
        .each = 1,
    };
    if (format & PERF_FORMAT_ID)
        layout.each++;
    if (format & PERF_FORMAT_LOST)
        layout.each++;
    size_t times = (size_t)layout.has_enabled + layout.has_running;
    layout.values = layout.grouped ? 1 + times : 0;
    layout.words = layout.grouped ? 1 + times + members * layout.each : times + layout.each;
    return layout;
}

static void put_times(const struct layout *layout, const struct event *event, uint64_t *report)
{
    size_t at = 1;
    if (layout->has_enabled)
        report[at++] = event->seen.enabled;
    if (layout->has_running)
        report[at] = event->shown_running;
}

/* An emulated event's id is its descriptor; nothing is ever lost. */
static void write_report(struct liar *liar, const struct layout *layout,
                         struct event *const *members, size_t count, uint64_t *report)
{
    bool has_id = members[0]->attr.read_format & PERF_FORMAT_ID;
    if (layout->grouped)
        report[0] = count;
    for (size_t i = 0; i < count; i++) {
        struct span truth = event_truth(members[i], &liar->stepping);
        uint64_t *value = &report[layout->values + i * layout->each];
        *value = show(liar, members[i], &truth);
        size_t id = layout->grouped ? 1 : 1 + (size_t)layout->has_enabled + layout->has_running;
        if (has_id)
            value[id] = (uint64_t)members[i]->descriptor;
    }
    put_times(layout, members[0], report);
}

/* Replaces the counts and the running time in what the operating system reported. */
static void falsify(struct liar *liar, const struct layout *layout, struct event *const *members,
                    size_t count, uint64_t *report)
{
    struct target_account account = {0};
    target_account(members[0]->task, &account);
    struct span times = {.faults = account.minor_faults + account.major_faults};
    if (layout->has_enabled)
        times.enabled = report[1];
    if (layout->has_running)
        times.running = report[layout->has_enabled ? 2 : 1];
    for (size_t i = 0; i < count; i++) {
        uint64_t *value = &report[layout->values + i * layout->each];
        struct span truth = times;
        truth.count = *value;
        *value = show(liar, members[i], &truth);
    }
    put_times(layout, members[0], report);
}

static int64_t deliver(const struct seccomp_notif *asked, const uint64_t *report, size_t bytes)
{
    int result = target_write((pid_t)asked->pid, asked->data.args[1], report, bytes);
    return result < 0 ? result : (int64_t)bytes;
}

static size_t members_of(struct liar *liar, struct event *event, struct event **members)
{
    if (event->attr.read_format & PERF_FORMAT_GROUP)
        return events_group(&liar->events, event, members, GROUP_MOST);
    members[0] = event;
    return 1;
}

static int64_t read_emulated(struct liar *liar, const struct seccomp_notif *asked,
                             struct event *event)
{
    uint64_t report[REPORT_WORDS] = {0};
    struct event *members[GROUP_MOST];
    size_t count = members_of(liar, event, members);
    struct layout layout = layout_of(event->attr.read_format, count);
    if (asked->data.args[2] < layout.words * sizeof(uint64_t))
        return -ENOSPC;
    write_report(liar, &layout, members, count, report);
    return deliver(asked, report, layout.words * sizeof(uint64_t));
}

static int64_t read_real(struct liar *liar, const struct seccomp_notif *asked, struct event *event)
{
    uint64_t report[REPORT_WORDS] = {0};
    struct event *members[GROUP_MOST];
    size_t count = members_of(liar, event, members), lied = 0;
    for (size_t i = 0; i < count; i++)
        lied += members[i]->is_lied_about;
    if (!lied)
        return ANSWER_GO_ON;
    int descriptor = target_take_descriptor(event->process, event->descriptor);
    if (descriptor < 0)
        return descriptor;
    ssize_t got = read(descriptor, report, sizeof(report));
    int error = errno;
    close(descriptor);
    if (got <= 0)
        return got < 0 ? -error : 0;
    if (asked->data.args[2] < (uint64_t)got)
        return -ENOSPC;
    struct layout layout = layout_of(event->attr.read_format, count);
    if ((size_t)got == layout.words * sizeof(uint64_t))
        falsify(liar, &layout, members, count, report);
    return deliver(asked, report, (size_t)got);
}

static int64_t answer_read(struct liar *liar, const struct seccomp_notif *asked)
{
    struct event *event =
        events_find(&liar->events, target_process((pid_t)asked->pid), (int)asked->data.args[0]);
    if (!event)
        return ANSWER_GO_ON;
    return event->is_emulated ? read_emulated(liar, asked, event) : read_real(liar, asked, event);
}

/* --- starting and stopping --- */

static void reset(const struct liar *liar, struct event *event)
{
    struct span truth = event_truth(event, &liar->stepping);
    /* as the operating system does it: times go on */
    event->sum.count -= truth.count;
    event->seen.count = 0;
    event->shown = 0;
}

static int64_t control(struct liar *liar, struct event *event, uint64_t request)
{
    switch (request) {
    case PERF_EVENT_IOC_ENABLE:
    case PERF_EVENT_IOC_DISABLE:
        event->enabled = request == PERF_EVENT_IOC_ENABLE;
        return 0;
    case PERF_EVENT_IOC_RESET:
        reset(liar, event);
        return 0;
    default:
        return -ENOTTY;
    }
}

static int64_t answer_ioctl(struct liar *liar, const struct seccomp_notif *asked)
{
    struct event *members[GROUP_MOST];
    struct event *event =
        events_find(&liar->events, target_process((pid_t)asked->pid), (int)asked->data.args[0]);
    if (!event)
        return ANSWER_GO_ON;
    size_t count = 1;
    members[0] = event;
    if (asked->data.args[2] & PERF_IOC_FLAG_GROUP)
        count = events_group(&liar->events, event->leader, members, GROUP_MOST);
    int64_t result = 0;
    for (size_t i = 0; i < count && result == 0; i++)
        result = control(liar, members[i], (uint32_t)asked->data.args[1]);
    return result < 0 ? result : events_settle(&liar->events, &liar->stepping, event->task);
}

/* The operating system switches what a task has opened itself; what the liar opened for it, the
 * liar must switch. */
static int64_t answer_prctl(struct liar *liar, const struct seccomp_notif *asked)
{
    bool enable = (int)asked->data.args[0] == PR_TASK_PERF_EVENTS_ENABLE;
    for (size_t i = 0; i < EVENTS_MOST; i++) {
        struct event *event = &liar->events.list[i];
        if (!event->used || event->task != (pid_t)asked->pid)
            continue;
        event->enabled = enable;
        if (event->is_emulated)
            continue;
        int descriptor = target_take_descriptor(event->process, event->descriptor);
        if (descriptor < 0)
            continue; /* closed meanwhile */
        ioctl(descriptor, enable ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
        close(descriptor);
    }
    return events_settle(&liar->events, &liar->stepping, (pid_t)asked->pid);
}

/* Only emulated ones ask: nobody must be stepped for an event that is gone. */
static int64_t answer_close(struct liar *liar, const struct seccomp_notif *asked)
{
    struct event *event =
        events_find(&liar->events, target_process((pid_t)asked->pid), (int)asked->data.args[0]);
    if (event) {
        event->used = false;
        events_settle(&liar->events, &liar->stepping, event->task);
    }
    return ANSWER_GO_ON;
}

/* Who is stepped is switched at every step. It would see that in its account, so it is told of its
 * faults, and of the switches that its own calls make. */
static int64_t answer_getrusage(const struct liar *liar, const struct seccomp_notif *asked)
{
    struct target_account account;
    pid_t task = (pid_t)asked->pid;
    if (!events_emulated(&liar->events, task) || target_account(task, &account) < 0)
        return ANSWER_GO_ON;
    struct rusage usage = {.ru_minflt = (long)account.minor_faults,
                           .ru_nvcsw = (long)liar->events.switches,
                           .ru_majflt = (long)account.major_faults};
    return target_write(task, asked->data.args[1], &usage, sizeof(usage));
}

void answer(struct liar *liar, const struct seccomp_notif *asked,
            struct seccomp_notif_resp *response)
{
    int64_t result = ANSWER_GO_ON;
    switch (asked->data.nr) {
    case SYS_perf_event_open:
        result = answer_open(liar, asked);
        break;
    case SYS_read:
        result = answer_read(liar, asked);
        break;
    case SYS_ioctl:
        result = answer_ioctl(liar, asked);
        break;
    case SYS_close:
        result = answer_close(liar, asked);
        break;
    case SYS_prctl:
        result = answer_prctl(liar, asked);
        break;
    case SYS_getrusage:
        result = answer_getrusage(liar, asked);
        break;
    default:
        break;
    }
    *response = (struct seccomp_notif_resp){.id = asked->id};
    if (result == ANSWER_GO_ON)
        response->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    else if (result < 0)
        response->error = (int32_t)result;
    else
        response->val = result;
}
