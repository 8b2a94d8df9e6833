/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file `about` in the folder of an installed kernel: what it is and where it came from. */
#pragma once

#include "base/failure.h"

#define ABOUT_FORMAT "1" /* of everything in the folder; another one has to be installed again */

struct about {
    const char *package, *version; /* of the kernel */
    const char *libc, *busybox;    /* versions */
};
int about_write(const char *folder, const struct about *about, struct failure *failure);

/* The value of a key, to be freed; NULL when the folder holds no kernel of this format. */
char *about_get(const char *folder, const char *key);
