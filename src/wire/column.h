/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Columns: many numbers in one value, run-length coded. "5*3,7" is 5 5 5 7. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Decodes exactly count values into values[0], values[stride], …; -EBADMSG when the text holds
 * anything else. */
int column_decode(const char *text, size_t length, uint64_t *values, size_t stride, size_t count);
