/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes cpio archives in the form the Linux kernel unpacks at boot (newc). Several of them may
 * stand one behind the other. Errors are kept and told by cpio_end. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

struct cpio {
    int fd; /* positioned where the archive is to begin, at a multiple of 4 */
    uint32_t inode;
    int error; /* negative errno of the first failure */
    char about[200];
};

/* Names are paths without the leading slash; a folder comes before what lies in it. */
void cpio_folder(struct cpio *archive, const char *name, unsigned mode);
void cpio_bytes(struct cpio *archive, const char *name, unsigned mode, const void *bytes,
                size_t length);
void cpio_link(struct cpio *archive, const char *name, const char *target);
void cpio_device(struct cpio *archive, const char *name, unsigned mode, unsigned major,
                 unsigned minor);
/* The content of a file here; mode 0: as the file's. */
void cpio_file(struct cpio *archive, const char *name, unsigned mode, const char *path);

/* Finishes the archive, padded so that another may follow. */
int cpio_end(struct cpio *archive, struct failure *failure);

/* Appends the whole file, an archive that is finished already. */
int cpio_append(int fd, const char *path, struct failure *failure);
