/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The virtual counter of AArch64, read with and without an order. */
#include "probe/clocks/clock.h"
#include "ticks.h"
#include "window.h"

static int open_cntvct(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int result = clock_try(reader, reason, size);
    if (result < 0)
        return result;
    reader->hz = ticks_frequency(); /* where the counter can be read, so can this */
    return clock_says(claim, CLOCK_CLAIM, 0, "%s", reader->hz ? "the firmware (CNTFRQ_EL0)" : "");
}

CLOCK_READ_AND_FILL(cntvct, ticks_cntvct())
CLOCK_READ_AND_FILL(cntvct_fenced, window_ticks())

const struct clock clock_cntvct = {
    .name = "cntvct",
    .kind = CLOCK_WALL,
    .way = "instruction",
    .note = "may be read before what stands in front of it is done",
    .hardware = TICKS_HARDWARE,
    .open = open_cntvct,
    .read = cntvct_read,
    .fill = cntvct_fill,
};

const struct clock clock_cntvct_fenced = {
    .name = "cntvct-fenced",
    .kind = CLOCK_WALL,
    .way = "instruction",
    .note = "between two isb: nothing moves across it",
    .hardware = TICKS_HARDWARE,
    .open = open_cntvct,
    .read = cntvct_fenced_read,
    .fill = cntvct_fenced_fill,
};
