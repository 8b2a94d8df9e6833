/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * What follows the reading at the end of a region. It stands inside every region around: the same
 * number of instructions every time, or the correction of that would be wrong. */
#define ASSAY_NO_INLINE
#include "lib/calipers.h"

static inline struct assay_frame *leave(struct assay_calipers *calipers, uint64_t children,
                                        uint64_t named)
{
    struct assay_here *here = &calipers->here;
    struct assay_frame *frame = here->frame, *parent = frame - 1;
    if (here->depth == 0)
        return NULL; /* ended more often than begun */
    if (here->depth-- > ASSAY_DEPTH_MOST)
        return NULL;
    parent->children += frame->children + children;
    parent->named += frame->named + named;
    here->frame = parent;
    calipers->result = frame;
    if (here->depth == 0 && here->ways & ASSAY_WAY_TRAP)
        trap_leave();
    return frame;
}

void assay_ended(void)
{
    struct assay_calipers *calipers = calipers_here();
    if (calipers)
        leave(calipers, 1, 0);
}

void assay_ended_in(struct assay_region *region)
{
    struct assay_calipers *calipers = calipers_here();
    const struct assay_frame *frame = calipers ? leave(calipers, 0, 1) : NULL;
    if (frame)
        regions_add(calipers, region, frame);
}
