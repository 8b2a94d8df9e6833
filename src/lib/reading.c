/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * From the frame of a region to numbers. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"

static uint64_t moved(const struct assay_frame *frame, size_t word)
{
    return frame->ended[word] - frame->begun[word];
}

/* What the system calls delivered, if they did. */
static void take_report(const struct assay_calipers *calipers, const struct assay_frame *frame,
                        struct region_reading *reading)
{
    const int64_t size = (int64_t)calipers->here.size;
    if (frame->got[0] != size || frame->got[1] != size) {
        reading->lost = true;
        return;
    }
    if (calipers->path == ASSAY_PATH_READ) {
        reading->enabled_ns = moved(frame, 1);
        reading->running_ns = moved(frame, 2);
        reading->length_ns = (double)reading->enabled_ns;
    }
    if (calipers->companion_words[0])
        reading->faults = moved(frame, calipers->companion_words[0]);
    if (calipers->companion_words[1])
        reading->switches = moved(frame, calipers->companion_words[1]);
}

static void notice(const struct assay_calipers *calipers, struct region_reading *reading)
{
    if (reading->faults)
        reading->noticed |= ASSAY_SAW_FAULTS;
    if (reading->switches)
        reading->noticed |= ASSAY_SAW_SWITCHES;
    if (reading->running_ns < reading->enabled_ns)
        reading->noticed |= ASSAY_SAW_MULTIPLEXING;
    if (calipers->timer_ns > 0 && reading->length_ns >= calipers->timer_ns)
        reading->noticed |= ASSAY_SAW_INTERRUPTS;
}

void reading_of(const struct assay_calipers *calipers, const struct assay_frame *frame,
                struct region_reading *reading)
{
    *reading = (struct region_reading){0};
    if (!frame || calipers->forked) {
        reading->noticed = ASSAY_NOT_MEASURED;
        return;
    }
    reading->counted = !(frame->noticed & ASSAY_NOT_MEASURED);
    reading->children = frame->children;
    reading->named = frame->named;
    reading->noticed = (unsigned)frame->noticed;
    reading->met = frame->noticed & NOTICED_MET;
    reading->ticks = frame->ticks[1] - frame->ticks[0];
    reading->measuring = frame->measuring;
    for (size_t i = 0; i < calipers->count; i++) {
        const struct caliper *event = &calipers->events[i];
        if (event->kind == CALIPER_TICKS)
            reading->raw[i] = reading->ticks;
        else if (event->kind == CALIPER_COUNTER && calipers->path == ASSAY_PATH_USER &&
                 event->word != WORD_TRAP)
            reading->raw[i] = calipers_user_count(calipers, frame, event->word);
        else if (event->kind == CALIPER_COUNTER)
            reading->raw[i] = moved(frame, event->word);
    }
    if (calipers->path == ASSAY_PATH_USER && reading->noticed & ASSAY_SAW_MULTIPLEXING) {
        reading->enabled_ns = frame->enabled_ns;
        reading->running_ns = frame->running_ns;
    }
    reading->length_ns = (double)reading->ticks * calipers->tick_ns;
    if (calipers->here.ways & ASSAY_WAY_READ)
        take_report(calipers, frame, reading);
    notice(calipers, reading);
}

/* Of the region that ended last: all of it, although a handler may come whose regions take the same
 * frame. Then there is a result again, and it is the handler's. */
static void reading_of_last(struct assay_calipers *calipers, struct region_reading *reading)
{
    struct assay_frame *frame = NULL;
    do {
        frame = calipers->result;
        calipers->result = NULL;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        reading_of(calipers, frame, reading);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
    } while (calipers->result);
    calipers->result = frame;
}

void counts_of(struct assay_calipers *calipers, struct assay_count *counts)
{
    struct region_reading reading;
    reading_of_last(calipers, &reading);
    for (size_t i = 0; i < calipers->count; i++)
        correct_count(calipers, i, &reading, &counts[i]);
}

void time_of(struct assay_calipers *calipers, struct assay_duration *time)
{
    struct region_reading reading;
    reading_of_last(calipers, &reading);
    correct_time(calipers, &reading, time);
}
