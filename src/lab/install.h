/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Brings a kernel into the lab: fetched, unpacked and made ready in a folder of its own, which gets
 * its name only when everything is there. */
#pragma once

#include <stdbool.h>

#include "lab/packages.h"

struct lab_installation {
    const char *isa;
    const char *kernel; /* what the user asked for; NULL: Debian's default */
    bool again;         /* fetch even what is there in the version on offer */
    const volatile int *stop;
    void (*progress)(void *context, const char *step, double percent);
    void *context;
};

#define LAB_INSTALL_THERE 1 /* nothing had to be fetched */

/* *name: the kernel that is installed now, to be freed. 0, LAB_INSTALL_THERE, or negative errno. */
int lab_install(const struct lab_installation *installation, char **name, struct failure *failure);
