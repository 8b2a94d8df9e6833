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
#include "engine/via.h"

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

bool kit_made_for(const char *folder, char isa[32])
{
    AUTO_FREE char *manifest = NULL;
    if (asprintf(&manifest, "%s/manifest", folder) < 0)
        return false;
    AUTO_FILE FILE *file = fopen(manifest, "re");
    char line[512];
    while (file && fgets(line, sizeof(line), file))
        if (sscanf(line, "isa %31s", isa) == 1)
            return true;
    return false;
}

static int take_chosen(struct kit *kit, const char *chosen, const char *isa,
                       struct failure *failure)
{
    if (!holds_probe(chosen))
        return fail_with(failure, -ENOENT,
                         "ASSAY_KIT names %s, but there is no assay-probe that can be run: run "
                         "make, or unset ASSAY_KIT",
                         chosen);
    char found[32] = "an unknown ISA";
    if (isa && (!kit_made_for(chosen, found) || strcmp(found, isa) != 0))
        return fail_with(failure, -ENOEXEC,
                         "ASSAY_KIT names %s, a kit for %s, but the machine to be measured is "
                         "%s: unset ASSAY_KIT, or set it to a kit for %s",
                         chosen, found, isa, isa);
    kit->folder = strdup(chosen);
    return kit->folder ? 0 : fail_with(failure, -ENOMEM, "no memory for the kit's name");
}

/* Takes the folder when it holds a probe, else notes it among the places looked at. */
static bool try_folder(struct kit *kit, struct text *looked, const char *start, const char *isa)
{
    AUTO_TEXT struct text folder = {0};
    text_printf(&folder, "%s/%s", start, isa);
    if (holds_probe(text_string(&folder))) {
        kit->folder = text_take(&folder);
        return true;
    }
    text_printf(looked, "%s%s", looked->length ? ", " : "", text_string(&folder));
    return false;
}

/* Below the folder of the executable as the build and as an installation lay it out. */
static bool find_beside(struct kit *kit, struct text *looked, const char *isa)
{
    char folder[PATH_MAX];
    if (!own_folder(folder))
        return false;
    AUTO_TEXT struct text inside = {0};
    AUTO_TEXT struct text beside = {0};
    text_printf(&inside, "%s/libexec/assay", folder);
    text_printf(&beside, "%s/../libexec/assay", folder);
    return try_folder(kit, looked, text_string(&inside), isa) ||
           try_folder(kit, looked, text_string(&beside), isa);
}

int kit_find(struct kit *kit, const char *isa, struct failure *failure)
{
    *kit = (struct kit){0};
    const char *chosen = getenv("ASSAY_KIT");
    if (chosen && *chosen)
        return take_chosen(kit, chosen, isa, failure);
    bool own = !isa || strcmp(isa, ASSAY_ISA) == 0;
    AUTO_TEXT struct text looked = {0};
    if (!find_beside(kit, &looked, own ? ASSAY_ISA : isa) &&
        !try_folder(kit, &looked, ASSAY_LIBEXEC, own ? ASSAY_ISA : isa))
        return fail_with(failure, -ENOENT,
                         "the probe kit%s%s is missing (looked in %s): run %s, or set ASSAY_KIT "
                         "to the folder that holds assay-probe",
                         own ? "" : " for ", own ? "" : isa, text_string(&looked),
                         own ? "make" : "make kits");
    return kit->folder ? 0 : fail_with(failure, -ENOMEM, "no memory for the kit's name");
}

void kit_release(struct kit *kit)
{
    free(kit->folder);
    kit->folder = NULL;
}
