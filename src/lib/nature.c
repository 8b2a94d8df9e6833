/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What disturbs a count, from what is counted. */
#define ASSAY_NO_INLINE
#include <time.h>

#include "lib/calipers.h"
#include "lib/set.h"

static bool is_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static bool is_busy(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_HARDWARE && !attr->exclude_user &&
           (attr->config == PERF_COUNT_HW_INSTRUCTIONS || attr->config == PERF_COUNT_HW_CPU_CYCLES);
}

static bool is_hardware(const struct event *event)
{
    return event->kind == EVENT_HARDWARE || event->kind == EVENT_CACHE ||
           event->kind == EVENT_RAW || event->kind == EVENT_PMU || event->kind == EVENT_PFM;
}

/* Names that cannot be looked up without the operating system's files of tracing are of events that
 * the operating system counts. */
static void find(struct caliper *caliper)
{
    struct event_view view = {.root = "", .tracefs = -1};
    struct failure failure = {0};
    struct event event = {0};
    if (caliper->kind == CALIPER_TICKS) {
        caliper->nature = NATURE_CLOCK;
        return;
    }
    if (caliper->kind != CALIPER_COUNTER || caliper->word == WORD_TRAP ||
        event_resolve(&view, caliper->name, &event, &failure) < 0)
        return;
    if (is_clock(&event.attr))
        caliper->nature = NATURE_CLOCK;
    else if (is_hardware(&event))
        caliper->nature = NATURE_HARDWARE;
    caliper->sees_kernel = !event.attr.exclude_kernel;
    caliper->busy = is_busy(&event.attr);
    event_release(&event);
}

/* The coarse clock moves with the timer's interrupt, so its step is how often that comes. */
void natures_find(struct assay_calipers *calipers)
{
    struct timespec step;
    for (size_t i = 0; i < calipers->count; i++)
        find(&calipers->events[i]);
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &step) == 0)
        calipers->timer_ns = (double)step.tv_sec * 1e9 + (double)step.tv_nsec;
}
