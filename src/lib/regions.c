/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Regions with a name, added up: by calipers, and of all threads of the process. */
#define ASSAY_NO_INLINE
#include <errno.h>

#include "lib/calipers.h"
#include "lib/set.h"

void regions_add(struct assay_calipers *calipers, struct assay_region *region,
                 const struct assay_frame *frame)
{
    (void)calipers;
    (void)region;
    (void)frame;
}

void regions_merge(struct assay_calipers *calipers)
{
    (void)calipers;
}

int assay_total(const char *name, size_t index, struct assay_total *total)
{
    (void)index;
    *total = (struct assay_total){0};
    return set_fail(-ENOENT, "no region has ended as %s", name);
}

int assay_table(int descriptor)
{
    (void)descriptor;
    return 0;
}

int assay_table_at_exit(int descriptor)
{
    (void)descriptor;
    return 0;
}
