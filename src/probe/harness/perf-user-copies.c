/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies of perf pages, and the exchange of both. */
#include "probe/harness/perf-user-copies.h"

#include <errno.h>
#include <stdio.h>

#include "lib/user-read.h"

void user_copies_event(struct job_event *event)
{
    if (!event->counts[0]) /* no source's: the one that was asked for */
        return;
    event->attr = (struct perf_event_attr){.size = sizeof(event->attr),
                                           .type = PERF_TYPE_HARDWARE,
                                           .config = PERF_COUNT_HW_INSTRUCTIONS,
                                           .exclude_kernel = 1,
                                           .exclude_hv = 1};
    snprintf(event->name, sizeof(event->name), "instructions:u");
}

int user_copies_take(struct instrument *instrument, uint32_t index)
{
    const volatile struct perf_event_mmap_page *page = instrument->window.pages[index];
    struct perf_event_mmap_page *copy = &instrument->copies[index];
    do {
        *copy = *page;
        user_read_barrier();
    } while (copy->lock != page->lock);
    if (copy->index)
        return 0;
    return job_fail(instrument->job, -EBUSY,
                    "%s got no counter, so that there is none to read: others hold them. Step with "
                    "fewer counters, or separate ones",
                    instrument->job->events[index].name);
}

void user_copies_show(struct instrument *instrument)
{
    for (uint32_t index = 0; index < instrument->window.count; index++) {
        instrument->mapped[index] = instrument->window.pages[index];
        instrument->window.pages[index] = &instrument->copies[index];
    }
}

void user_copies_hide(struct instrument *instrument)
{
    for (uint32_t index = 0; index < CELL_MAX_COUNTERS; index++)
        if (instrument->mapped[index]) {
            instrument->window.pages[index] = instrument->mapped[index];
            instrument->mapped[index] = NULL;
        }
}
