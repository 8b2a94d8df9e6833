/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The plugin's output, read strictly: the program under test runs beside it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "probe/sources/qemu-plugin/columns.h"

typedef uint64_t qemu_counts[QEMU_COLUMN_COUNT];

extern const char *const qemu_column_names[QEMU_COLUMN_COUNT];

/* Fills one row for each of exactly so many passes. isa: the target it must be of. 0, or -EBADMSG
 * with what is wrong. text need not end with a zero. */
int qemu_output_read(const char *text, size_t length, const char *isa, uint32_t passes,
                     qemu_counts *rows, struct failure *failure);
