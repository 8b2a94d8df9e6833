/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Ticks in calipers: whether they can be read, and what tells how long a region took. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <string.h>

#include "lib/calipers.h"
#include "lib/clock.h"
#include "lib/in-place.h"
#include "lib/ticks.h"

#define NO_INSTRUCTION "user code has no counter of time on this ISA that is known here"

/* A count of ticks is one wherever they can be read; time needs a counter that is dependable. */
static bool ticks_tell_time(void)
{
    struct clock_signs signs;
    char reason[256];
    clock_signs_of("", &signs);
    return clock_choice(&signs, reason, sizeof(reason)) == 0;
}

static void open_time(struct assay_calipers *calipers, bool readable)
{
    struct caliper *time = &calipers->time;
    time->kind = CALIPER_ABSENT;
    time->nature = NATURE_CLOCK;
    if (calipers->flags & ASSAY_NO_TIME || calipers->path == ASSAY_PATH_TRAP)
        return;
    if (readable && ticks_tell_time()) {
        time->kind = CALIPER_TICKS;
        calipers->here.ways |= ASSAY_WAY_TICKS;
    } else if (calipers->path == ASSAY_PATH_READ) { /* the system call tells it */
        time->kind = CALIPER_CALL;
        time->step = 1;
    }
}

void calipers_ticks_open(struct assay_calipers *calipers)
{
    bool forbidden = ticks_forbidden(), readable = IN_PLACE_TICKS && !forbidden;
    for (size_t i = 0; i < calipers->count; i++) {
        struct caliper *event = &calipers->events[i];
        if (event->error || strcmp(event->name, TICKS_EVENT) != 0)
            continue;
        event->kind = readable ? CALIPER_TICKS : CALIPER_ABSENT;
        event->error = readable ? 0 : EOPNOTSUPP;
        event->reason = readable ? NULL : strdup(forbidden ? TICKS_FORBIDDEN : NO_INSTRUCTION);
        if (readable)
            calipers->here.ways |= ASSAY_WAY_TICKS;
    }
    open_time(calipers, readable);
}
