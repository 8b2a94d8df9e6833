/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The files of a kit in memory: what is pushed, and what a kit that was found over there is
 * compared with. */
#pragma once

#include <stddef.h>

#include "engine/via.h"

struct kit_file {
    char *name;
    unsigned mode; /* 0700 or 0600 */
    const char *bytes;
    size_t length;
};

struct kit_files {
    struct kit_file *list; /* assay-probe first, the manifest last, so that who has it has all */
    size_t count;
    size_t bytes;   /* of all files together */
    char build[72]; /* the manifest's build id, fit for a file name */
};

/* Fails when the folder holds no probe, no manifest, or one without a build id. */
int kit_files_open(struct kit_files *files, const struct kit *kit, struct failure *failure);
void kit_files_close(struct kit_files *files);
static inline void cleanup_kit_files(struct kit_files *files)
{
    kit_files_close(files);
}
#define AUTO_KIT_FILES __attribute__((cleanup(cleanup_kit_files)))
