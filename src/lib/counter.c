/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Opens single counters. */
#include "lib/counter.h"

#include <errno.h>
#include <unistd.h>

#include "syscall.h"

int counter_open(const struct event *event, const struct counter_options *options)
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
