/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kit this driver belongs to: the folder it lies in, and what the manifest there promises. */
#pragma once

#include <stddef.h>

#include "base/failure.h"

struct kit_harness {
    char *file; /* within the folder */
    char *link; /* "static", "lazy", "bind-now" */
};

struct kit_absence {
    char *kind, *name, *reason;
};

struct probe_kit {
    char *folder;
    char *build;
    struct kit_harness *harnesses;
    size_t harness_count;
    struct kit_absence *absences;
    size_t absence_count;
};

/* Finds the folder of the running executable. */
int kit_folder(char **folder, struct failure *failure);

/* Reads FOLDER/manifest; takes folder over. */
int kit_load(struct probe_kit *kit, char *folder, struct failure *failure);
void kit_free(struct probe_kit *kit);
