/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The QEMU of this machine and the plugins for it, for whoever counts by them. */
#pragma once

#include <stddef.h>

#include "base/text.h"

/* Path of a plugin that this emulator can load, to be freed; NULL: no kit here has one. */
char *qemu_find_plugin(const char *kit, const char *emulator, const char *name);

/* Can this emulator (NULL: there is none) count with this plugin? 0, or negative errno with the
 * reason. */
int qemu_check(const char *kit, const char *emulator, const char *plugin, char *reason,
               size_t size);

/* A value among the options of a plugin: QEMU doubles commas there. */
void qemu_put_value(struct text *text, const char *value);
