/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a store to the case of measurement error. */
#include "study/error.h"

int error_load(struct store *store, struct error_case *file, struct failure *failure)
{
    (void)store, (void)file, (void)failure;
    return 0;
}
