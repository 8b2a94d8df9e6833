/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the two halves of salvaging a store share: its tables, and its visits with their samples. */
#pragma once

#include "store/collection-room.h"

struct salvaging {
    struct store *source;
    struct store target;
    const char *name; /* of the source */
    const struct salvage *salvage;
    bool visits_hold;   /* table visit is what was written; else its index must agree */
    bool details_lost;  /* what was executed and called cannot be told */
    uint64_t all, lost; /* visits */
};

/* --- salvage-visits.c --- */

/* Writes every visit of the source with its samples, or as a failed one. */
int salvage_visits(struct salvaging *salvaging, struct failure *failure);
