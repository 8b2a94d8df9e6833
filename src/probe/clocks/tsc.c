/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The time stamp counter of x86-64, read by three sequences of instructions. */
#include "probe/clocks/clock.h"
#include "probe/clocks/tsc-rate.h"
#include "ticks.h"
#include "window.h"

static int open_tsc(struct clock_reader *reader, char *claim, char *reason, size_t size)
{
    int result = clock_try(reader, reason, size);
    if (result == 0)
        reader->hz = tsc_rate(claim, CLOCK_CLAIM);
    return result;
}

CLOCK_READ_AND_FILL(tsc, ticks_tsc())
CLOCK_READ_AND_FILL(rdtscp, ticks_tscp())
CLOCK_READ_AND_FILL(tsc_fenced, window_ticks())

const struct clock clock_tsc = {
    .name = "tsc",
    .kind = CLOCK_WALL,
    .way = "instruction",
    .note = "rdtsc: may be read before what stands in front of it is done",
    .hardware = TICKS_HARDWARE,
    .open = open_tsc,
    .read = tsc_read,
    .fill = tsc_fill,
};

const struct clock clock_rdtscp = {
    .name = "rdtscp",
    .kind = CLOCK_WALL,
    .way = "instruction",
    .note = "waits for what stands in front of it; what follows may begin before it",
    .hardware = TICKS_HARDWARE,
    .open = open_tsc,
    .read = rdtscp_read,
    .fill = rdtscp_fill,
};

const struct clock clock_tsc_fenced = {
    .name = "tsc-fenced",
    .kind = CLOCK_WALL,
    .way = "instruction",
    .note = "rdtsc between two lfence: nothing moves across it",
    .hardware = TICKS_HARDWARE,
    .open = open_tsc,
    .read = tsc_fenced_read,
    .fill = tsc_fenced_fill,
};
