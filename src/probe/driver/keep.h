/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A received kit that stays on the machine, where the next session finds it (docs/protocol.md,
 * "Keeping it"). */
#pragma once

#include <stdbool.h>

/* Moves the complete kit in folder to place, at once or not at all, and removes what is old beside
 * it. A kit that lies there already is exchanged when `replace`, else left alone: another session
 * brought the same in the meantime. Returns whether folder is at place now; the kit can be used
 * either way. */
bool keep_kit(const char *folder, const char *place, bool replace);

/* Marks the kit as in use until this process ends. */
void keep_hold(const char *folder);
