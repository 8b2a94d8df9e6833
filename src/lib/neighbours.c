/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Ticks that measuring adds change within microseconds, with what the other thread of a core does
 * and with what the host of a virtual machine does. So whoever asks for the ticks or the time of a
 * region first measures a few windows with nothing inside but two readings of the counter: they are
 * its neighbours in time, and made by the caller's own code as the region was. A window is what of
 * a region's ends stands between its readings of ticks. Whatever else the path reads is outside of
 * it, so that one measure serves all paths, and none of it needs a system call. */
#define ASSAY_NO_INLINE
#include <errno.h>

#include "lib/calipers.h"
#include "lib/root.h"
#include "lib/set.h"

#define EACH_TIME   8
#define STANDARD_95 1.96
#define QUARTILES   1.349 /* standard deviations between those of a normal distribution */

static bool has_ticks(const struct assay_calipers *calipers, enum assay_purpose purpose)
{
    bool ticks = purpose != ASSAY_FOR_COUNTS && calipers->time.kind == CALIPER_TICKS;
    for (size_t i = 0; i < calipers->count && purpose != ASSAY_FOR_TIME; i++)
        ticks |= calipers->events[i].kind == CALIPER_TICKS;
    return ticks;
}

/* Windows have the frame of no region, which is the innermost only outside of all. */
int assay_neighbours_wanted(enum assay_purpose purpose)
{
    const struct assay_calipers *calipers = calipers_here();
    if (!calipers || calipers->forked || calipers->here.depth || !has_ticks(calipers, purpose) ||
        (purpose != ASSAY_FOR_CALIBRATION && !calipers->calibrated))
        return 0;
    size_t missing = TICK_NULLS - calipers->tick_nulls.count;
    return missing > EACH_TIME ? (int)missing : EACH_TIME;
}

void assay_neighbours_take(uint64_t from, uint64_t to)
{
    struct assay_calipers *calipers = calipers_here();
    if (!calipers || calipers->here.depth)
        return;
    const struct assay_frame *frame = calipers->here.frame;
    const uint64_t readings[4] = {frame->ticks[0], from, to, frame->ticks[1]};
    for (int i = 1; i < 4; i++) {
        if (readings[i] < readings[i - 1]) /* a handler came that measured its own */
            return;
    }
    tick_nulls_add(&calipers->tick_nulls, readings);
}

/* Many windows come to their mean, but for what the place of code and its warmth do to all. */
static void use_bar(struct caliper *caliper, const struct tick_bar *bar)
{
    struct null_figures *alone = &caliper->null[ASSAY_NULL_ALONE];
    alone->middle = alone->mean = bar->middle;
    alone->low = bar->low;
    alone->high = bar->high;
    alone->spread = bar->quartiles / QUARTILES;
    alone->error = STANDARD_95 * alone->spread / root_of(TICK_NULLS) + TICK_PLACE * bar->step;
    alone->odd = 1;
}

void neighbours_use(struct assay_calipers *calipers)
{
    struct tick_bar bar;
    if (!tick_bar_of(&calipers->tick_nulls, &bar))
        return;
    for (size_t i = 0; i < calipers->count; i++) {
        if (calipers->events[i].kind == CALIPER_TICKS)
            use_bar(&calipers->events[i], &bar);
    }
    if (calipers->time.kind == CALIPER_TICKS)
        use_bar(&calipers->time, &bar);
}

static struct assay_calipers *corrected_by_neighbours(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (calipers && calipers->calibrated)
        neighbours_use(calipers);
    return calipers;
}

int assay_counts_finish(struct assay_count *counts)
{
    struct assay_calipers *calipers = corrected_by_neighbours();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    counts_of(calipers, counts);
    return 0;
}

int assay_time_finish(struct assay_duration *time)
{
    struct assay_calipers *calipers = corrected_by_neighbours();
    if (!calipers)
        return set_fail(-ENODEV, "this thread has selected no calipers");
    time_of(calipers, time);
    return 0;
}
