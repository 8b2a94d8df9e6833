/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the kit: the folder with assay-probe and its harnesses. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "via/via.h"

static bool holds_probe(const char *folder)
{
    AUTO_FREE char *probe = NULL;
    return asprintf(&probe, "%s/assay-probe", folder) >= 0 && access(probe, X_OK) == 0;
}

/* The folder of the running executable, or false. */
static bool own_folder(char folder[PATH_MAX])
{
    ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return true;
}

/* Takes the folder when it holds a probe, else notes it among the places looked at. */
static bool try_folder(struct kit *kit, struct text *looked, const char *start, const char *rest)
{
    AUTO_TEXT struct text folder = {0};
    text_puts(&folder, start);
    text_puts(&folder, rest);
    if (holds_probe(text_string(&folder))) {
        kit->folder = text_take(&folder);
        return true;
    }
    text_printf(looked, "%s%s", looked->length ? ", " : "", text_string(&folder));
    return false;
}

int kit_find(struct kit *kit, struct failure *failure)
{
    *kit = (struct kit){0};
    AUTO_TEXT struct text looked = {0};
    const char *chosen = getenv("ASSAY_KIT");
    if (chosen && *chosen) {
        if (try_folder(kit, &looked, chosen, ""))
            return kit->folder ? 0 : fail_with(failure, -ENOMEM, "no memory for the kit's name");
        return fail_with(failure, -ENOENT,
                         "ASSAY_KIT names %s, but there is no assay-probe that can be run: run "
                         "make, or unset ASSAY_KIT",
                         chosen);
    }
    char folder[PATH_MAX];
    bool known = own_folder(folder);
    bool found = (known && (try_folder(kit, &looked, folder, "/libexec/assay/" ASSAY_ISA) ||
                            try_folder(kit, &looked, folder, "/../libexec/assay/" ASSAY_ISA))) ||
                 try_folder(kit, &looked, ASSAY_LIBEXEC, "");
    if (!found)
        return fail_with(failure, -ENOENT,
                         "the probe kit is missing (looked in %s): run make, or set ASSAY_KIT to "
                         "the folder that holds assay-probe",
                         text_string(&looked));
    return kit->folder ? 0 : fail_with(failure, -ENOMEM, "no memory for the kit's name");
}

void kit_release(struct kit *kit)
{
    free(kit->folder);
    kit->folder = NULL;
}
