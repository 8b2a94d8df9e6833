/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders the probe must leave behind as it found them: gone. */
#pragma once

#include "base/failure.h"

/* A new private folder below TMPDIR (or /tmp); *path is to be freed. */
int folder_make(char **path, struct failure *failure);
/* Removes what is in it. */
void folder_empty(const char *path);
/* Removes it and what is in it. */
void folder_remove(const char *path);
