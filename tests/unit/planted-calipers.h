/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calipers that read nothing: a test writes what a region counted into its frame. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "lib/calipers.h"

static inline struct assay_calipers *planted_calipers(size_t count, const char *const *names)
{
    struct assay_calipers *calipers = aligned_alloc(64, (sizeof(*calipers) + 63) / 64 * 64);
    assert_non_null(calipers);
    memset(calipers, 0, sizeof(*calipers));
    calipers->count = count;
    calipers->here.frame = &calipers->frames[0];
    calipers->here.last = &calipers->frames[ASSAY_DEPTH_MOST];
    for (size_t i = 0; i < count; i++) {
        calipers->events[i].name = strdup(names[i]);
        calipers->events[i].kind = CALIPER_COUNTER;
        calipers->events[i].word = i;
    }
    calipers->calibrated = 100;
    assert_int_equal(here_attach(calipers), 0);
    assert_int_equal(assay_calipers_select(calipers), 0);
    return calipers;
}

/* Begins a region, as the instructions in place do. */
static inline struct assay_frame *planted_begin(struct assay_calipers *calipers)
{
    struct assay_frame *frame = ++calipers->here.frame;
    calipers->here.depth++;
    frame->children = frame->named = frame->noticed = frame->measuring = 0;
    return frame;
}

#define PLANTED_MOST 2 /* events */

/* A region that counted this, with so many inside. */
static inline void planted_region(struct assay_calipers *calipers, struct assay_region *region,
                                  const uint64_t *counts, uint64_t children, uint64_t named)
{
    struct assay_frame *frame = planted_begin(calipers);
    frame->children = children;
    frame->named = named;
    for (size_t i = 0; i < PLANTED_MOST; i++) {
        frame->begun[i] = 1000 * i;
        frame->ended[i] = 1000 * i + counts[i];
    }
    assay_ended_in(region);
}

/* What is written to a descriptor, as a string that the caller frees. */
static inline char *written_by(int (*write_it)(int descriptor))
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(write_it(fileno(file)), 0);
    char *text = calloc(1, 100000);
    assert_non_null(text);
    rewind(file);
    size_t length = fread(text, 1, 99999, file);
    text[length] = '\0';
    fclose(file);
    return text;
}
