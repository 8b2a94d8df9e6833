/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Something that can be unloaded and has libassay in itself, for tests of what is left then. */
#include <stddef.h>

#include "assay.h"

int plugin_measure(int descriptor);

/* One region, with calipers that stay open; the table is asked for where there is a descriptor. */
int plugin_measure(int descriptor)
{
    static struct assay_region region = ASSAY_REGION("of the plugin");
    static const char *const events[] = {"page-faults:u"};
    struct assay_calipers *calipers;
    if (assay_calipers_open(&calipers, events, 1, 0) < 0)
        return -1;
    if (descriptor >= 0 && assay_table_at_exit(descriptor) < 0)
        return -1;
    assay_begin();
    assay_end_in(&region);
    assay_begin();
    return 0;
}
