/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curves of latency against size, and what can be read from their shape: flat stretches (the ring
 * fits somewhere) and the rises between them (it no longer does). Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CURVE_MOST 512u
#define RISES_MOST 8u

struct curve {
    size_t count;
    uint64_t sizes[CURVE_MOST]; /* rising, each once */
    double ticks[CURVE_MOST];
};

/* Adds a point where it belongs; of two with one size the faster counts. Points beyond CURVE_MOST
 * are dropped. */
void curve_add(struct curve *curve, uint64_t size, double ticks);

/* A larger ring is never faster than a smaller one, so whatever is slower than a larger one was
 * disturbed: every point is lowered to the fastest of those from it on. */
void curve_lower(struct curve *curve);

/* Latency at a size between the curve's, straight in the logarithm of the size; the end points
 * beyond its ends. The curve must not be empty. */
double curve_at(const struct curve *curve, uint64_t size);

/* One rise between two flat stretches. */
struct rise {
    double before, after; /* ticks of the stretches */
    uint64_t last_before; /* the largest size that is still as fast as before */
    uint64_t next;        /* the size that follows on the curve */
    uint64_t half;        /* the largest size that is still nearer to before than to after */
    uint64_t beyond_half; /* the size that follows */
    bool sharp;           /* it leaves the flat stretch with a jump that says where … */
    bool step;            /* … or with one that alone does not */
    bool ends;            /* false: no flat stretch follows, the curve ends while it rises */
};

/* The rises of a curve that was lowered, from small to large. */
size_t curve_rises(const struct curve *curve, struct rise rises[RISES_MOST]);
