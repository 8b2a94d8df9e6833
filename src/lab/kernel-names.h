/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a kernel's name: 6.12.115+deb12-cloud-arm64 is of the series 6.12 and the flavour
 * cloud-arm64. */
#pragma once

#include <stdbool.h>

#include "lab/place.h"

/* The part behind all numbers, "" when there is none. */
const char *kernel_flavour(const char *name);
/* Do both belong to the same series and flavour? */
bool kernel_related(const char *left, const char *right);

/* The one of the names (newest first, one a line) that begins most like the wanted one, of the same
 * flavour where there is one; "" when none begins like it. */
void kernel_nearest(const char *names, const char *wanted, char nearest[LAB_KERNEL_NAME_MAX]);
