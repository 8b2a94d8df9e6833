/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Brings a kernel into the lab: fetched, unpacked and made ready in a folder of its own, which gets
 * its name only when everything is there. */
#pragma once

#include "lab/packages.h"

struct lab_installation {
    const char *isa;
    const char *kernel; /* what the user asked for; NULL: Debian's default */
    const volatile int *stop;
    void (*progress)(void *context, const char *step, double percent);
    void *context;
};

/* *name: the kernel that is installed now, to be freed. */
int lab_install(const struct lab_installation *installation, char **name, struct failure *failure);
