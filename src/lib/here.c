/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Which calipers a thread has selected, and what becomes of them when it ends or forks. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <unistd.h>

#include "lib/calipers.h"
#include "lib/set.h"

/* Where regions of threads go that have selected nothing: read in no way, one frame for all. */
static struct assay_frame nothing;
static struct assay_here nowhere = {.frame = &nothing, .last = &nothing};

__thread struct assay_here *assay_here = &nowhere;

struct assay_calipers *calipers_here(void)
{
    struct assay_here *here = assay_here;
    return here == &nowhere ? NULL : (struct assay_calipers *)(void *)here;
}

int here_attach(struct assay_calipers *calipers)
{
    calipers->owner = gettid();
    return 0;
}

void here_detach(struct assay_calipers *calipers)
{
    if (calipers_here() == calipers)
        assay_here = &nowhere;
}

int assay_calipers_select(struct assay_calipers *calipers)
{
    struct assay_calipers *now = calipers_here();
    if (now && now->here.depth)
        return set_fail(-EBUSY, "other calipers cannot be selected within a region");
    if (calipers && calipers->owner != gettid())
        return set_fail(-EPERM, "calipers belong to the thread that opened them");
    assay_here = calipers ? &calipers->here : &nowhere;
    return 0;
}
