/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The archive a machine boots from: the kernel's base, the kit, the plan, and the user's files. It
 * lies in memory only, so that nothing is left behind however the controller ends. */
#pragma once

#include <stddef.h>

#include "base/failure.h"
#include "base/text.h"

struct boot_content {
    const char *kernel_folder;
    const char *kit_folder;
    const struct text *plan;
    const char *const *files; /* put into /work under their last names, with their modes */
    size_t file_count;
    unsigned memory_mb; /* of the machine: it must hold the archive and what is unpacked */
};

/* Returns a descriptor of the archive, or negative errno. */
int boot_archive_make(const struct boot_content *content, struct failure *failure);
