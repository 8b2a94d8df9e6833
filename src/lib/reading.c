/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From the frame of a region to numbers. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"

#include <errno.h>

#include "lib/set.h"

void reading_of(const struct assay_calipers *calipers, const struct assay_frame *frame,
                struct region_reading *reading)
{
    *reading = (struct region_reading){0};
    if (!frame || calipers->forked) {
        reading->noticed = ASSAY_NOT_MEASURED;
        return;
    }
    reading->counted = true;
    reading->children = frame->children;
    reading->named = frame->named;
    reading->noticed = (unsigned)frame->noticed;
    reading->ticks = frame->ticks[1] - frame->ticks[0];
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        if (event->kind == CALIPER_TICKS)
            reading->raw[i] = reading->ticks;
        else if (event->kind == CALIPER_COUNTER)
            reading->raw[i] = frame->ended[event->word] - frame->begun[event->word];
    }
    if (calipers->path == ASSAY_PATH_READ) {
        reading->enabled_ns = frame->ended[1] - frame->begun[1];
        reading->running_ns = frame->ended[2] - frame->begun[2];
    }
}

int assay_counts(struct assay_count *counts)
{
    const struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    struct region_reading reading;
    reading_of(calipers, calipers->result, &reading);
    for (size_t i = 0; i < calipers->count; i++)
        correct_count(calipers, i, &reading, &counts[i]);
    return 0;
}

int assay_time(struct assay_time *time)
{
    const struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    struct region_reading reading;
    reading_of(calipers, calipers->result, &reading);
    correct_time(calipers, &reading, time);
    return 0;
}
