/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What caliper-ratio compares: regions, each made `times` times by a function of its own, so that
 * nothing but regions stands between two readings of the clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define PEER_EVENTS_MOST 4

struct peer {
    const char *name;
    /* Makes everything ready; 0, or why not stands in reason. */
    int (*open)(size_t events, char *reason, size_t size);
    void (*regions)(int times);
    double limit; /* of what a region by calipers costs, to this; 0: none is set */
};

/* PAPI holds one set at a time, so its two interfaces are never in one process. */
extern const struct peer peer_papi_low, peer_papi_high;
