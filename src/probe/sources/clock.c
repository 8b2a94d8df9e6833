/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source clock: the CPU's counter of time, read in user code. The path of the same name counts. */
#include "probe/sources/source.h"

static const char *const classes[] = {"ticks", NULL};

const struct source source_clock = {
    .name = "clock",
    .summary = "the CPU's counter of time at both ends of the window, in ticks",
    .classes = classes,
    .runs = 100,
};
