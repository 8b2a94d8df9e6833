/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks /proc what the descriptors of a process are. */
#include "probe/sources/perf-descriptors.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char perf_link[] = "anon_inode:[perf_event]";

bool perf_descriptor_is(pid_t pid, int descriptor)
{
    char path[64], target[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, descriptor);
    ssize_t length = readlink(path, target, sizeof(target));
    return length == (ssize_t)strlen(perf_link) && memcmp(target, perf_link, (size_t)length) == 0;
}

int perf_descriptor_first(pid_t pid)
{
    char path[64];
    int lowest = INT_MAX;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char *end;
        long descriptor = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && !*end && descriptor < lowest &&
            perf_descriptor_is(pid, (int)descriptor))
            lowest = (int)descriptor;
    }
    if (folder)
        closedir(folder);
    return lowest == INT_MAX ? -ENOENT : lowest;
}
