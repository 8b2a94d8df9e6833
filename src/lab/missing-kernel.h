/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to say about a kernel that is not in the lab. */
#pragma once

#include "base/failure.h"

/* Always -ENOENT: the failure names the command that fetches it or, where apt's lists do not have
 * it either, the nearest that can be had. Does not fetch. */
int missing_kernel(const char *isa, const char *name, struct failure *failure);
