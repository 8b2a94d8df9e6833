/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders of the lab that come and go. */
#pragma once

#include <stdio.h>

/* Opens a regular file for reading; NULL for anything else, such as a pipe nobody writes to. */
FILE *lab_file_open(const char *path);

/* Removes a folder with everything in it; symbolic links are removed, not followed. */
void folder_remove_all(const char *path);

/* Removes what installations that were killed left behind: LAB/staging.*. Only for the holder of
 * the lab's lock. */
void folder_sweep(const char *lab);
