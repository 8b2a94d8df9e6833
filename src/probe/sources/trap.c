/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source trap: the CPU's trap flag, set inside the process. The path of the same name counts. */
#include "probe/sources/source.h"

static const char *const classes[] = {"instructions", "instructions-raw", NULL};

const struct source source_trap = {
    .name = "trap",
    .summary = "the CPU traps after every instruction of the window, inside the process",
    .classes = classes,
    .runs = 10,
};
