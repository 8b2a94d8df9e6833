/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clocks of a store. */
#include "store/store.h"

int store_put_clock(struct store *store, const struct stored_clock *clock, struct failure *failure)
{
    (void)store, (void)clock, (void)failure;
    return 0;
}

int store_each_clock(struct store *store, store_clock_each *each, void *context,
                     struct failure *failure)
{
    (void)store, (void)each, (void)context, (void)failure;
    return 0;
}
