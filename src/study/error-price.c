/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a visit of `assay error` will take: a process, whose price depends on path, source and
 * number of counters and is learnt, and its runs, whose length is roughly known. */
#include <string.h>

#include "studies/error/plan.h"

#define WAIT               (50000 * US) /* of opening and closing a tracepoint */
#define US                 UINT64_C(1000)
#define EMULATED           20u /* times dearer than here, unless learnt otherwise */
#define ITERATION_NS       1u  /* of a loop; emulated: */
#define EMULATED_ITERATION 12u

/* Before one was seen. The first that begins the path's name counts. */
static const struct {
    const char *path;
    uint64_t ns, stepped_ns;
} assumed[] = {
    {"perf-stat", 20000 * US, 20000 * US},
    {"papi-", 11000 * US, 25000 * US},
    {"", 3000 * US, 14000 * US},
};

static bool is_stepped(const struct error_study *study, const struct cell *cell)
{
    return study->stepped && strcmp(cell->events[0], study->stepped) == 0;
}

/* Is a tracepoint among its events? */
static bool waits(const struct error_study *study, const struct cell *cell)
{
    for (uint32_t i = 0; i < cell->counters; i++) {
        if (study->interrupts && strcmp(cell->events[i], study->interrupts) == 0)
            return true;
        for (size_t j = 0; j < study->event_count; j++)
            if (error_event_waits(&study->events[j]) &&
                strcmp(cell->events[i], study->events[j].name) == 0)
                return true;
    }
    return false;
}

static uint32_t size_of(const struct cell *cell)
{
    return cell->counters == 1 ? 0 : cell->counters <= 4 ? 1 : 2;
}

static uint64_t assumed_price(const struct error_study *study, const char *path, bool stepped,
                              bool waiting)
{
    size_t i = 0;
    while (strncmp(assumed[i].path, path, strlen(assumed[i].path)) != 0)
        i++;
    uint64_t ns = stepped ? assumed[i].stepped_ns : assumed[i].ns;
    if (study->emulated)
        ns *= EMULATED;
    return waiting ? ns + WAIT : ns;
}

/* All runs of a process, inside their windows. */
static uint64_t runs_price(const struct error_study *study, const struct cell *cell)
{
    uint64_t each = study->emulated ? EMULATED_ITERATION : ITERATION_NS, ns;
    if (strncmp(cell->specimen, "null", 4) == 0)
        return 0;
    if (strncmp(cell->specimen, "phases", 6) == 0 && study->phase_ns > 0)
        each = (uint64_t)(study->phase_ns * (study->emulated ? EMULATED_ITERATION : 1)) + 1;
    if (__builtin_mul_overflow(cell->n, each, &ns) ||
        __builtin_mul_overflow(ns, (uint64_t)cell->runs, &ns))
        return UINT64_MAX / 2;
    return ns;
}

void error_price_learn(const struct error_study *study, struct error_prices *prices,
                       const struct cell *cell, uint64_t ns)
{
    uint64_t runs = runs_price(study, cell);
    struct error_price seen = {.path = cell->path,
                               .stepped = is_stepped(study, cell),
                               .waits = waits(study, cell),
                               .size = size_of(cell),
                               .visits = 1,
                               .ns = ns > runs ? ns - runs : 0};
    for (size_t i = 0; i < prices->count; i++) {
        struct error_price *price = &prices->list[i];
        if (strcmp(price->path, seen.path) == 0 && price->stepped == seen.stepped &&
            price->waits == seen.waits && price->size == seen.size) {
            price->visits++;
            price->ns += seen.ns;
            return;
        }
    }
    if (prices->count < ERROR_PRICES)
        prices->list[prices->count++] = seen;
}

/* How much dearer visits are than assumed, over all that were seen. */
static double slowness(const struct error_study *study, const struct error_prices *prices)
{
    double paid = 0, expected = 0;
    for (size_t i = 0; i < prices->count; i++) {
        const struct error_price *price = &prices->list[i];
        paid += (double)price->ns;
        expected += (double)price->visits *
                    (double)assumed_price(study, price->path, price->stepped, price->waits);
    }
    return expected > 0 && paid > 0 ? paid / expected : 1;
}

uint64_t error_price(const struct error_study *study, const struct error_prices *prices,
                     const struct cell *cell)
{
    bool stepped = is_stepped(study, cell), waiting = waits(study, cell);
    const struct error_price *best = NULL;
    for (size_t i = 0; i < prices->count; i++) {
        const struct error_price *price = &prices->list[i];
        if (strcmp(price->path, cell->path) != 0 || price->stepped != stepped ||
            price->waits != waiting)
            continue;
        if (!best || price->size == size_of(cell))
            best = price;
    }
    uint64_t process = best
                           ? best->ns / best->visits
                           : (uint64_t)(slowness(study, prices) *
                                        (double)assumed_price(study, cell->path, stepped, waiting));
    return process + runs_price(study, cell);
}
