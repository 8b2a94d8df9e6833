/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Archives in the form the Linux kernel unpacks at boot: how they are written, what every boot of a
 * kernel needs, and what one machine boots from. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"

/* ----------------------------------------------------------------------------------------------
 * Writes cpio archives (newc). Several of them may stand one behind the other. Errors are kept and
 * told by cpio_end. */

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

/* ----------------------------------------------------------------------------------------------
 * What every boot of a kernel needs besides the kit: drivers of the ports, the C library for
 * programs that are not static, a shell. Made once, when the kernel is installed. */

struct base_content {
    const char *name;   /* of the kernel */
    const char *kernel; /* folders with the unpacked packages */
    const char *libc;
    const char *busybox;
};
int base_archive_make(const char *path, const struct base_content *content,
                      struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The archive a machine boots from: the kernel's base, the kit, the plan, and the user's files. It
 * lies in memory only, so that nothing is left behind however the controller ends. */

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
