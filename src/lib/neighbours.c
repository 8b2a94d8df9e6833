/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Ticks that measuring adds change within microseconds, with what the other thread of a core does
 * and with what the host of a virtual machine does. So whoever asks for the ticks of a region first
 * measures a few regions with nothing inside but two readings of the counter: they are its
 * neighbours in time, and made by the caller's own code as the region was. Only beside ways that
 * cost no system call. */
#define ASSAY_NO_INLINE
#include <errno.h>

#include "lib/calipers.h"
#include "lib/set.h"

#define EACH_TIME 8

static bool wants_neighbours(const struct assay_calipers *calipers)
{
    bool ticks = false;
    for (size_t i = 0; i < calipers->count; i++)
        ticks |= calipers->events[i].kind == CALIPER_TICKS;
    return ticks && calipers->calibrated && calipers->result && !calipers->forked &&
           calipers->here.depth == 0 && !(calipers->here.ways & (ASSAY_WAY_READ | ASSAY_WAY_TRAP));
}

int assay_counts_start(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (calipers && calipers->kept_from) { /* a handler asks, and interrupted who does already */
        calipers->asked_within++;
        return 0;
    }
    if (!calipers || !wants_neighbours(calipers))
        return 0;
    calipers->kept = *calipers->result; /* they will use its frame */
    calipers->kept_from = calipers->result;
    size_t missing = TICK_NULLS - calipers->tick_nulls.count;
    return missing > EACH_TIME ? (int)missing : EACH_TIME;
}

void assay_counts_take(uint64_t from, uint64_t to)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || !calipers->kept_from || !calipers->result || calipers->asked_within)
        return;
    const struct assay_frame *frame = calipers->result;
    const uint64_t readings[4] = {frame->ticks[0], from, to, frame->ticks[1]};
    if (frame->children || frame->named || frame->noticed) /* a handler came */
        return;
    for (int i = 1; i < 4; i++) {
        if (readings[i] < readings[i - 1]) /* it was that of a handler */
            return;
    }
    tick_nulls_add(&calipers->tick_nulls, readings);
}

static void use_bar(struct caliper *caliper, const struct tick_bar *bar)
{
    struct null_figures *alone = &caliper->null[ASSAY_NULL_ALONE];
    alone->middle = bar->middle;
    alone->low = bar->low;
    alone->high = bar->high;
}

static void use_neighbours(struct assay_calipers *calipers)
{
    struct tick_bar bar;
    *calipers->kept_from = calipers->kept;
    calipers->result = calipers->kept_from;
    calipers->kept_from = NULL;
    if (!tick_bar_of(&calipers->tick_nulls, &bar))
        return;
    for (size_t i = 0; i < calipers->count; i++) {
        if (calipers->events[i].kind == CALIPER_TICKS)
            use_bar(&calipers->events[i], &bar);
    }
    if (calipers->time.kind == CALIPER_TICKS) /* by ticks: there is no way of system calls */
        use_bar(&calipers->time, &bar);
}

int assay_counts_finish(struct assay_count *counts)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    if (calipers->asked_within)
        calipers->asked_within--;
    else if (calipers->kept_from)
        use_neighbours(calipers);
    counts_of(calipers, counts);
    return 0;
}
