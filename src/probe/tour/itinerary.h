/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a tour, found in this harness: which function each is, which instruments they need,
 * and in which state each of those begins. */
#pragma once

#include "probe/tour/spans.h"

#define INSTRUMENTS_MOST 16

struct itinerary_instrument {
    const struct caller *opener; /* the first of its callers that the tour calls */
    bool running;                /* when the tour begins */
};

struct itinerary {
    size_t length;
    struct span *spans;            /* [length] */
    const struct caller **callers; /* [length] */
    enum call_kind *kinds;         /* [length] */
    struct itinerary_instrument instruments[INSTRUMENTS_MOST];
    size_t instrument_count;
};

/* From the text behind the job. Refuses, with a sentence, calls that this harness does not have,
 * those that must stand alone beside others, such as make no sense where they stand (a stop while
 * the instrument is stopped), and tours that do not end as they began, where there is a next pass.
 */
int itinerary_make(struct itinerary *itinerary, struct job *job);
void itinerary_free(struct itinerary *itinerary);

/* Is the call the first one of its caller? To do something for every caller of the tour once. */
bool itinerary_first_of_caller(const struct itinerary *itinerary, size_t call);
