/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * errno as a word and back, the same on every libc and ISA: numbers differ between machines
 * (ENOSYS is 38 here and 89 there), so recorded facts carry names. */
#pragma once

#include <stddef.h>

/* "ENOENT", or "E4711" for one without a name; written into text, which is returned. */
const char *errno_name(int error, char *text, size_t size);
/* The positive errno of a name that errno_name gave, 0 when it is none. */
int errno_from_name(const char *name);
