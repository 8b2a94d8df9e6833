/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What QEMU exports from version 2 of its plugin interface on, for test-qemu-plugin. */
#include <stddef.h>

void *qemu_plugin_scoreboard_new(size_t size);
void *qemu_plugin_scoreboard_new(size_t size)
{
    (void)size;
    return NULL;
}
