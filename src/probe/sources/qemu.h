/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The QEMU of this machine and the plugins for it, for whoever counts by them; what the one that
 * counts windows wrote. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "probe/sources/qemu-plugin/account.h"

/* Path of a plugin that this emulator can load, to be freed; NULL: no kit here has one. */
char *qemu_find_plugin(const char *kit, const char *emulator, const char *name);

/* Can this emulator (NULL: there is none) count with this plugin? 0, or negative errno with the
 * reason. */
int qemu_check(const char *kit, const char *emulator, const char *plugin, char *reason,
               size_t size);

/* A value among the options of a plugin: QEMU doubles commas there. */
void qemu_put_value(struct text *text, const char *value);

/* ----------------------------------------------------------------------------------------------
 * The plugin's output, read strictly: the program under test runs beside it (qemu-output.c). */

typedef uint64_t qemu_counts[QEMU_COLUMN_COUNT];

extern const char *const qemu_column_names[QEMU_COLUMN_COUNT];

/* Fills one row for each of exactly so many passes. isa: the target it must be of. 0, or -EBADMSG
 * with what is wrong. text need not end with a zero. */
int qemu_output_read(const char *text, size_t length, const char *isa, uint32_t passes,
                     qemu_counts *rows, struct failure *failure);
