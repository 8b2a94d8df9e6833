/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks for the controller: the driver reads clocks itself, while no visits run. */
#pragma once

#include "probe/clocks/clock.h"
#include "wire/frame.h"

/* Clocks that were looked at stay open for the next look; each is there once. */
struct looks {
    struct clock_reader **readers;
    size_t count;
};

/* Answers `look`: the readings of these clocks (names with commas), or why one cannot be had. names
 * may be NULL. */
int looks_answer(struct looks *looks, struct wire_writer *writer, const char *names);
void looks_free(struct looks *looks);
