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

CLOCK_OF_INSTRUCTION(cntvct, "cntvct", open_cntvct, ticks_cntvct(),
                     "may be read before what stands in front of it is done");
CLOCK_OF_INSTRUCTION(cntvct_fenced, "cntvct-fenced", open_cntvct, window_ticks(),
                     "between two isb: nothing moves across it");
