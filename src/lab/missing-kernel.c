/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks a kernel up in the lists that the last installation left, and among the installed ones. */
#include "lab/missing-kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lab/kernel-names.h"
#include "lab/packages.h"
#include "lab/place.h"

/* What apt's lists know. */
struct known {
    struct text names; /* of the kernels on offer, newest first */
    char *kernel;      /* what the wanted name stands for; NULL: nothing on offer */
};

static void look_up(struct known *known, const char *name)
{
    AUTO_FREE char *place = NULL;
    struct packages packages = {0};
    struct failure unheard;
    if (lab_place(&place, &unheard) == 0 && packages_look(&packages, place, &unheard) == 0 &&
        packages_kernels(&packages, &known->names, &unheard) == 0 && known->names.length)
        packages_resolve(&packages, name, &known->kernel, &unheard);
    packages_close(&packages);
}

static bool is_installed(const struct lab_kernels *installed, const char *name)
{
    for (size_t i = 0; i < installed->count; i++)
        if (strcmp(installed->list[i].name, name) == 0)
            return true;
    return false;
}

static int say(const struct known *known, const struct lab_kernels *installed, const char *isa,
               const char *name, struct failure *failure)
{
    char nearest[LAB_KERNEL_NAME_MAX];
    if (known->kernel && is_installed(installed, known->kernel))
        return fail_with(failure, -ENOENT,
                         "no kernel in the lab is called %s, but %s is there, for which it stands: "
                         "kernel=%s boots it",
                         name, known->kernel, known->kernel);
    if (known->kernel || !known->names.length)
        return fail_with(failure, -ENOENT,
                         "the kernel %s is not in the lab: assay lab install %s --kernel %s "
                         "fetches it%s, assay lab list shows the others",
                         name, isa, name, known->kernel ? "" : " if Debian offers it");
    AUTO_TEXT struct text all = {0};
    for (size_t i = 0; i < installed->count; i++)
        text_printf(&all, "%s\n", installed->list[i].name);
    text_puts(&all, text_string(&known->names));
    kernel_nearest(text_string(&all), name, nearest);
    if (!*nearest)
        return fail_with(failure, -ENOENT,
                         "the kernel %s is neither in the lab nor on offer: assay lab list shows "
                         "those that are",
                         name);
    if (is_installed(installed, nearest))
        return fail_with(failure, -ENOENT,
                         "the kernel %s is neither in the lab nor on offer; the nearest is %s, "
                         "which is installed: kernel=%s boots it",
                         name, nearest, nearest);
    return fail_with(failure, -ENOENT,
                     "the kernel %s is neither in the lab nor on offer; the nearest is %s: assay "
                     "lab install %s --kernel %s fetches it, assay lab list shows the others",
                     name, nearest, isa, nearest);
}

int missing_kernel(const char *isa, const char *name, struct failure *failure)
{
    struct known known = {0};
    struct lab_kernels installed = {0};
    struct failure unheard;
    look_up(&known, name);
    lab_kernels_list(&installed, isa, &unheard);
    int status = say(&known, &installed, isa, name, failure);
    lab_kernels_free(&installed);
    text_free(&known.names);
    free(known.kernel);
    return status;
}
