/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the lab keeps what it fetched: a folder of the user's, outside of any source tree.
 *   LAB/lock               held by whoever installs
 *   LAB/apt/               apt's private state
 *   LAB/aarch64/NAME/      an installed kernel: vmlinuz, base.cpio, about
 *   LAB/aarch64/default    the name of the kernel that is taken when none is asked for
 *   LAB/staging.XXXXXX/    an installation under way; counts for nothing */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/failure.h"

#define LAB_KERNEL_NAME_MAX 100

/* $ASSAY_LAB, else $XDG_CACHE_HOME/assay/lab, else ~/.cache/assay/lab. It need
 * not exist. */
int lab_place(char **folder, struct failure *failure);

/* Makes the folder and those above it. */
int lab_place_make(const char *folder, struct failure *failure);

/* Is it the name of a kernel such as 6.1.0-54-arm64? Nothing else may become part of a path. */
bool lab_kernel_name(const char *name);

struct lab_kernel {
    char *name;
    char *folder;
    char *version;  /* of the package, "" when not recorded */
    bool preferred; /* taken when none is asked for: Debian's default, else the newest */
};
struct lab_kernels {
    struct lab_kernel *list; /* newest first */
    size_t count;
};
/* The kernels that can be booted; none is no failure. */
int lab_kernels_list(struct lab_kernels *kernels, const char *isa, struct failure *failure);

/* The folder of the named kernel (NULL or "": the preferred one). The failure says
 * which command installs one. */
int lab_kernel_find(char **folder, const char *isa, const char *name, struct failure *failure);
/* What a kernel's folder lacks or has empty, as a crash of the host may leave it: with that QEMU
 * would stand still without a word. NULL when it is whole. */
const char *lab_kernel_lacks(const char *folder);

/* Removes a folder with everything in it; symbolic links are removed, not followed. */
void folder_remove_all(const char *path);

/* ----------------------------------------------------------------------------------------------
 * The file `about` in the folder of an installed kernel: what it is and where it came from. */

struct about {
    const char *package, *version; /* of the kernel */
    const char *libc, *busybox;    /* versions */
};
int about_write(const char *folder, const struct about *about, struct failure *failure);

/* The value of a key; NULL when the folder holds no kernel of this format. */
char *about_get(const char *folder, const char *key);

/* ----------------------------------------------------------------------------------------------
 * The parts of a kernel's name: 6.12.115+deb12-cloud-arm64 is of the series 6.12 and the flavour
 * cloud-arm64. */

/* The part behind all numbers, "" when there is none. */
const char *kernel_flavour(const char *name);
/* Do both belong to the same series and flavour? */
bool kernel_related(const char *left, const char *right);

/* The one of the names (newest first, one a line) that begins most like the wanted one, of the same
 * flavour where there is one; "" when none begins like it. */
void kernel_nearest(const char *names, const char *wanted, char nearest[LAB_KERNEL_NAME_MAX]);
