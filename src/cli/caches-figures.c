/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The figures of `assay caches`. */
#include "cli/caches.h"

#include "show/figure.h"

json_t *caches_figures(const struct caching *caching)
{
    (void)caching;
    return json_array();
}
