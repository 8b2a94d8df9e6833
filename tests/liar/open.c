/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The liar opens the event for the task that asked, and puts the descriptor where the filter looks
 * for it. An emulated event is a descriptor of nothing. */
#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target.h"

/* One call, as it was made. */
struct request {
    pid_t task, process;
    struct perf_event_attr attr;
    int32_t pid, cpu, group;
    unsigned long flags;
    char target[4096]; /* of a probe: the file or symbol that the attribute points to */
};

/* The type that the operating system has given a PMU of this name; -1: none. */
static long type_of(const char *pmu)
{
    char path[128];
    long type = -1;
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
    FILE *file = fopen(path, "re");
    if (!file)
        return -1;
    if (fscanf(file, "%ld", &type) != 1)
        type = -1;
    fclose(file);
    return type;
}

/* Probes are named by a string in the process. */
static int fetch_target(struct request *request)
{
    struct perf_event_attr *attr = &request->attr;
    if (attr->type < PERF_TYPE_MAX || !attr->config1 ||
        ((long)attr->type != type_of("uprobe") && (long)attr->type != type_of("kprobe")))
        return 0;
    char name[sizeof(request->target) - 32];
    int result = target_read_string(request->task, attr->config1, name, sizeof(name));
    if (result < 0)
        return result;
    /* Its own files by that name are others than the liar's. */
    static const char own[] = "/proc/self/";
    if (strncmp(name, own, sizeof(own) - 1) == 0)
        snprintf(request->target, sizeof(request->target), "/proc/%d/%s", (int)request->process,
                 name + sizeof(own) - 1);
    else
        strcpy(request->target, name);
    attr->config1 = (uint64_t)(uintptr_t)request->target;
    return 0;
}

static int fetch(const struct seccomp_notif *asked, struct request *request)
{
    uint32_t size = 0;
    const __u64 *arguments = asked->data.args;
    request->task = (pid_t)asked->pid;
    request->process = target_process(request->task);
    request->pid = (int32_t)arguments[1];
    request->cpu = (int32_t)arguments[2];
    request->group = (int32_t)arguments[3];
    request->flags = arguments[4];
    int result = target_read(request->task, arguments[0] + offsetof(struct perf_event_attr, size),
                             &size, sizeof(size));
    if (result < 0)
        return result;
    if (!size)
        size = PERF_ATTR_SIZE_VER0;
    if (size < PERF_ATTR_SIZE_VER0 || size > sizeof(request->attr))
        return -E2BIG;
    result = target_read(request->task, arguments[0], &request->attr, size);
    return result < 0 ? result : fetch_target(request);
}

/* Of the calling task alone, on any CPU: all that a lie can be planted in. */
static bool is_of_own_task(const struct request *request)
{
    return (request->pid == 0 || request->pid == request->task) && request->cpu < 0 &&
           !(request->flags & PERF_FLAG_PID_CGROUP);
}

static int64_t give_descriptor(const struct liar *liar, const struct seccomp_notif *asked,
                               const struct request *request, struct event *event, int descriptor)
{
    struct seccomp_notif_addfd addition = {
        .id = asked->id,
        .flags = SECCOMP_ADDFD_FLAG_SETFD,
        .srcfd = (uint32_t)descriptor,
        .newfd = (uint32_t)event->descriptor,
        .newfd_flags = request->flags & PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0,
    };
    int given = ioctl(liar->listener, SECCOMP_IOCTL_NOTIF_ADDFD, &addition);
    int error = errno;
    close(descriptor);
    if (given < 0)
        return -error;
    event->used = true;
    return event->descriptor;
}

static bool is_lied_about(const struct liar *liar, const struct perf_event_attr *attr)
{
    if (attr->type == PERF_TYPE_HARDWARE && liar->lied_about_configs &&
        !(liar->lied_about_configs >> attr->config & 1u))
        return false;
    unsigned bit = attr->type < PERF_TYPE_MAX ? 1u << attr->type : LIED_ABOUT_OTHERS;
    return liar->lies.count && liar->lied_about & bit;
}

static struct event *enter(struct liar *liar, const struct request *request, bool emulated)
{
    struct event *event = events_new(&liar->events, request->process, emulated);
    if (!event)
        return NULL;
    event->task = request->task;
    event->attr = request->attr;
    event->enabled = !request->attr.disabled;
    event->is_lied_about = is_lied_about(liar, &request->attr);
    return event;
}

/* --- real ones --- */

/* The leader's descriptor in the liar; -1: none, a negative errno below: not to be had. */
static int take_leader(struct liar *liar, const struct request *request, struct event **leader)
{
    if (request->group < 0)
        return -1;
    *leader = events_find(&liar->events, request->process, request->group);
    return target_take_descriptor(request->process, request->group);
}

static int64_t open_real(struct liar *liar, const struct seccomp_notif *asked,
                         struct request *request)
{
    struct event *leader = NULL;
    int group = take_leader(liar, request, &leader);
    if (group < -1)
        return group;
    if (leader && leader->is_emulated) {
        close(group);
        return -EINVAL; /* the machine's counters do not follow an emulated one */
    }
    unsigned long flags =
        (request->flags & ~(unsigned long)PERF_FLAG_FD_CLOEXEC) | PERF_FLAG_FD_CLOEXEC;
    long descriptor =
        syscall(SYS_perf_event_open, &request->attr, request->task, request->cpu, group, flags);
    int error = errno;
    if (group >= 0)
        close(group);
    if (descriptor < 0)
        return -error;
    struct event *event = enter(liar, request, false);
    if (!event) {
        close((int)descriptor);
        return -EMFILE;
    }
    event->leader = leader ? leader : event;
    return give_descriptor(liar, asked, request, event, (int)descriptor);
}

/* --- emulated ones --- */

static bool is_emulated(const struct liar *liar, const struct perf_event_attr *attr)
{
    return liar->emulate && attr->type == PERF_TYPE_HARDWARE;
}

/* What this PMU has, and how much of each the operating system executes where it executes one
 * instruction; none of user code alone where that is not known. No sampling, no pages. */
static const struct {
    uint64_t config;
    double kernel;
} emulated[] = {
    {PERF_COUNT_HW_INSTRUCTIONS, 1},
    {PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0.2},
    {PERF_COUNT_HW_CPU_CYCLES, 2},
    {PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0},
    {PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0},
};

static int refuse_emulated(const struct liar *liar, const struct perf_event_attr *attr,
                           double *kernel)
{
    for (size_t i = 0; i < sizeof(emulated) / sizeof(emulated[0]); i++)
        if (emulated[i].config == attr->config) {
            *kernel = emulated[i].kernel * liar->kernel;
            return (!attr->exclude_kernel && liar->kernel <= 0) || attr->exclude_user ||
                           attr->sample_period
                       ? -EOPNOTSUPP
                       : 0;
        }
    return -ENOENT;
}

/* Who asks for an event that counts at once wants to see whether it can be had, and is not worth
 * stepping; unless everybody is to be stepped. */
static bool is_only_tried(const struct liar *liar, const struct request *request,
                          const struct event *leader)
{
    return liar->step_in && ((!leader && !request->attr.disabled) ||
                             !target_is_called(request->process, liar->step_in));
}

static int64_t open_emulated(struct liar *liar, const struct seccomp_notif *asked,
                             const struct request *request)
{
    double kernel;
    int result = refuse_emulated(liar, &request->attr, &kernel);
    if (result < 0)
        return result;
    struct event *leader = NULL;
    if (request->group >= 0) {
        leader = events_find(&liar->events, request->process, request->group);
        if (!leader || !leader->is_emulated)
            return -EINVAL;
    }
    struct event *event = enter(liar, request, true);
    if (!event)
        return -EMFILE;
    event->leader = leader ? leader : event;
    event->kernel = kernel;
    event->by_clock = is_only_tried(liar, request, leader);
    int placeholder = eventfd(0, EFD_CLOEXEC);
    if (placeholder < 0)
        return -errno;
    int64_t given = give_descriptor(liar, asked, request, event, placeholder);
    if (given >= 0 && event->enabled)
        result = events_settle(&liar->events, &liar->stepping, event->task);
    return result < 0 ? result : given;
}

int64_t answer_open(struct liar *liar, const struct seccomp_notif *asked)
{
    struct request request = {0};
    int result = fetch(asked, &request);
    if (result < 0)
        return ANSWER_GO_ON; /* malformed: the operating system says how */
    if (!is_of_own_task(&request))
        return ANSWER_GO_ON;
    return is_emulated(liar, &request.attr) ? open_emulated(liar, asked, &request)
                                            : open_real(liar, asked, &request);
}
