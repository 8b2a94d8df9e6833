/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads small files of the lab's folder, and removes what an installation leaves. */
#include "lab/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

#define OPEN_FOLDERS 32

FILE *lab_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    FILE *file =
        fd >= 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(fd, "r") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place)
{
    (void)facts, (void)kind, (void)place;
    remove(path);
    return 0;
}

void folder_remove_all(const char *path)
{
    nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

void folder_sweep(const char *lab)
{
    AUTO_DIR DIR *entries = opendir(lab);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strncmp(entry->d_name, "staging.", strlen("staging.")) != 0)
            continue;
        AUTO_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", lab, entry->d_name);
        folder_remove_all(text_string(&path));
    }
}
