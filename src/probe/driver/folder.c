/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes and removes the probe's private folders. Symbolic links are removed, never followed. */
#include "probe/driver/folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN_FOLDERS 16

int folder_make(char **path, struct failure *failure)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/')
        base = "/tmp";
    if (asprintf(path, "%s/assay-probe.XXXXXX", base) < 0) {
        *path = NULL;
        return fail_with(failure, -ENOMEM, "out of memory");
    }
    if (mkdtemp(*path))
        return 0;
    int error = errno;
    free(*path);
    *path = NULL;
    return fail_with(failure, -error,
                     "cannot make a private folder below %s: %s. Set TMPDIR to a folder that may "
                     "be written",
                     base, strerror(error));
}

static int remove_below(const char *path, const struct stat *facts, int type, struct FTW *position)
{
    (void)facts, (void)type;
    if (position->level > 0)
        remove(path);
    return 0;
}

void folder_empty(const char *path)
{
    nftw(path, remove_below, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void folder_remove(const char *path)
{
    folder_empty(path);
    remove(path);
}
