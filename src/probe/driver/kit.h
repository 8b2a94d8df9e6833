/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kit this driver belongs to: the folder it lies in, and what the manifest there promises; how
 * it is received, and kept on the machine (docs/protocol.md, "The kit" and "Keeping it"). */
#pragma once

#include <stdbool.h>
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

/* Takes the rest of a kit from a transport that pushes it: reads from input into folder until
 * `end`, byte-exact, because what follows belongs to the session. */
int receive_kit(int input, int output, const char *folder, struct failure *failure);

/* Keeps a received kit, where the next session finds it: moves the complete kit in folder to place,
 * at once or not at all, and removes what is old beside it. A kit that lies there already is
 * exchanged when `replace`, else left alone: another session brought the same in the meantime.
 * Returns whether folder is at place now; the kit can be used either way. */
bool keep_kit(const char *folder, const char *place, bool replace);

/* Marks the kit as in use until this process ends. */
void keep_hold(const char *folder);
