/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What caliper-ratio compares: regions, each by a function of its own. */
#pragma once

#include <stddef.h>

#include "balance.h"

#define PEER_EVENTS_MOST 4

struct peer {
    struct way way;
    /* Makes everything ready; 0, or why not stands in reason. */
    int (*open)(size_t events, char *reason, size_t size);
};

/* PAPI holds one set at a time, so its two interfaces are never in one process. */
extern const struct peer peer_papi_low, peer_papi_high;
