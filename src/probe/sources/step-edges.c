/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tells the edges of a window from the calls that can be one. */
#include "probe/sources/step-edges.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* Which calls begin a count and which end one. */
static const struct edge_call {
    long number;
    bool on_descriptor; /* the first argument is one, and the request the second; else the
                           request is the first and all counters of the task are meant */
    uint64_t request;   /* 0: none is looked at */
    bool opens, closes;
} edge_calls[] = {
    {SYS_read, true, 0, true, true},
    {SYS_ioctl, true, PERF_EVENT_IOC_ENABLE, true, false},
    {SYS_ioctl, true, PERF_EVENT_IOC_RESET, true, false},
    {SYS_ioctl, true, PERF_EVENT_IOC_DISABLE, false, true},
    {SYS_prctl, false, PR_TASK_PERF_EVENTS_ENABLE, true, false},
    {SYS_prctl, false, PR_TASK_PERF_EVENTS_DISABLE, false, true},
};

static const struct edge_call *find_call(const struct edges *edges,
                                         const struct system_call *called)
{
    for (size_t index = 0; index < sizeof(edge_calls) / sizeof(*edge_calls); index++) {
        const struct edge_call *call = &edge_calls[index];
        uint64_t request = called->arguments[call->on_descriptor ? 1 : 0];
        if (call->number != called->number || (call->request && call->request != request))
            continue;
        if (!call->on_descriptor || edges->own(edges->context, (int)called->arguments[0]))
            return call;
    }
    return NULL;
}

/* Counter 0 is read first: the further reads of the same opening are those of other counters. */
static bool note_opening(struct edges *edges, bool by_read, const struct steps *executed)
{
    if (by_read && edges->opened_by_read)
        return false;
    edges->opened = true;
    edges->opened_by_read = by_read;
    edges->opening = *executed;
    return true;
}

static bool note_closing(struct edges *edges, const struct steps *executed)
{
    edges->closed = true;
    edges->closing = *executed;
    return true;
}

bool edges_note(struct edges *edges, enum stepped stepped, const struct system_call *called,
                const struct steps *executed)
{
    if (stepped == STEPPED_PLAIN || edges->place == EDGES_INSIDE || edges->closed)
        return false;
    const struct edge_call *call = stepped == STEPPED_CALL ? find_call(edges, called) : NULL;
    bool read = stepped == STEPPED_COUNTER_READ;
    if (edges->place == EDGES_BEFORE)
        return (read || (call && call->opens)) && note_opening(edges, read, executed);
    return (read || (call && call->closes)) && note_closing(edges, executed);
}

struct steps edges_between(const struct edges *edges)
{
    return (struct steps){
        .steps = edges->closing.steps - edges->opening.steps,
        .instructions = edges->closing.instructions - edges->opening.instructions,
        .system_calls = edges->closing.system_calls - edges->opening.system_calls,
    };
}
