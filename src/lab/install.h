/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Brings a kernel into the lab: fetched, unpacked and made ready in a folder of its own, which gets
 * its name only when everything is there. */
#pragma once

#include <stdbool.h>

#include "base/failure.h"
#include "base/text.h"

/* Debian's packages for another architecture, by the machine's own apt and its own choice of
 * mirrors, but with a private state: what is installed here is neither looked at nor changed. */

struct packages {
    char *folder; /* LAB/apt */
    const volatile int *stop;
    /* percent: of what is being fetched, negative when unknown */
    void (*progress)(void *context, const char *step, double percent);
    void *context;
    char trouble[300]; /* apt's complaint about the lists, "" when none */
};

/* Makes the private folders. -ENOENT where there is no apt. */
int packages_open(struct packages *packages, const char *lab, struct failure *failure);
/* The same for looking only: makes nothing. -ENOENT before the first installation. */
int packages_look(struct packages *packages, const char *lab, struct failure *failure);

/* Fetches the lists. Sources that fail are no failure as long as what is needed is found; see
 * `trouble`. */
int packages_update(struct packages *packages, struct failure *failure);

/* The names of the kernels on offer (6.1.0-54-arm64), newest first, one a line. Does not fetch;
 * none before the first update. */
int packages_kernels(struct packages *packages, struct text *names, struct failure *failure);

/* 0, or -EINVAL for what cannot be the name of a kernel; NULL and linux-image-NAME are fine. */
int packages_name_check(const char *wanted, struct failure *failure);

/* From what the user said (NULL: Debian's default; a name, or that of a metapackage such as
 * cloud-arm64 or 6.12-arm64) to the name of a kernel, to be freed. -ENOENT when there is none,
 * -ENETUNREACH when the lists could not be fetched. */
int packages_resolve(struct packages *packages, const char *wanted, char **kernel,
                     struct failure *failure);

/* The version on offer of a kernel's package, "" when none is known. Does not fetch. */
int packages_version(struct packages *packages, const char *kernel, char *version, size_t size,
                     struct failure *failure);

/* Fetches the newest versions of the packages (NULL-terminated) into the folder. */
int packages_fetch(struct packages *packages, const char *const *names, const char *folder,
                   struct failure *failure);

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
