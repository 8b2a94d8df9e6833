/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lays out what a cache or a TLB cannot hold all of. */
#include "specimens/places.h"

#include <unistd.h>

#include "specimens/geometry.h"

#define PAGES_APART 8u

void *places_at(void *memory, const struct places *places, uint64_t index)
{
    uint64_t moved = places->spread ? index * places->spread % places->stride : 0;
    return (char *)memory + index * places->stride + moved;
}

int places_require(const struct specimen_state *state, const struct places_of *of,
                   struct failure *failure)
{
    int result = geometry_require(of->specimen, "line", state->parameters.line, failure);
    return result < 0 ? result : geometry_require(of->specimen, of->key, of->size, failure);
}

void places_in_lines(struct places *places, const struct places_of *of, uint64_t line)
{
    uint64_t twice = region_product(2, of->size);
    places->region.specimen = of->specimen;
    places->region.key = of->key;
    places->region.bytes = places->region.used = twice;
    places->count = twice / line;
    places->stride = line;
}

void places_in_pages(struct places *places, const struct places_of *of, uint64_t unknown)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    places->count = of->size ? region_product(2, of->size) : unknown;
    places->stride = PAGES_APART * page;
    places->region.specimen = of->specimen;
    places->region.key = of->key;
    places->region.bytes = region_product(places->count, places->stride);
    places->region.used = region_product(places->count, page);
}
