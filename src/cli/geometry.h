/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the latest run of `assay caches` on a machine measured, as parameters of specimens whose
 * work depends on caches. What nobody measured the probe takes from the machine's claims. */
#pragma once

#include "engine/command.h"
#include "engine/session.h"

#define GEOMETRY_KEYS 8

struct geometry {
    uint64_t values[GEOMETRY_KEYS]; /* in the order of the table in geometry.c; 0: not known */
};

/* Judges the machine's latest store of that command. Where there is none, or none that can be used
 * (said unless --quiet), nothing is known. */
void geometry_load(const struct catalogue *catalogue, const struct common_options *common,
                   struct geometry *geometry);

/* The specimen's name with every parameter that it takes, that was measured, and that the name does
 * not give itself; the caller frees it. NULL: out of memory. */
char *geometry_complete_name(const struct geometry *geometry, const struct catalogue *catalogue,
                             const char *name);
