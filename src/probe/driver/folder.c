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
#include <sys/random.h>
#include <sys/stat.h>

#define OPEN_FOLDERS 16
#define ATTEMPTS     100

/* As mkdtemp(3), which draws its letters from a clock of the vDSO: reading that kills where the
 * CPU's counter of time is forbidden. */
static int make_unique(char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    char *ending = path + strlen(path) - strlen("XXXXXX");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        unsigned char drawn[6];
        if (getrandom(drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
            return -errno;
        for (size_t index = 0; index < sizeof(drawn); index++)
            ending[index] = letters[drawn[index] % 32];
        if (mkdir(path, 0700) == 0)
            return 0;
        if (errno != EEXIST)
            return -errno;
    }
    return -EEXIST;
}

int folder_make(char **path, struct failure *failure)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/')
        base = "/tmp";
    if (asprintf(path, "%s/assay-probe.XXXXXX", base) < 0) {
        *path = NULL;
        return fail_with(failure, -ENOMEM, "out of memory");
    }
    int error = -make_unique(*path);
    if (!error)
        return 0;
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
