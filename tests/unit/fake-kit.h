/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A kit whose probe is fake-probe, and the proof that nothing is left behind. */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void write_file(const char *folder, const char *name, const char *content)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

/* Makes the folder and points ASSAY_KIT at it; fake_kit_remove takes it away. */
static inline void fake_kit_make(char folder[64])
{
    char target[4096];
    char link[128];
    const char *build = getenv("ASSAY_BUILD");
    assert_non_null(build);
    strcpy(folder, "/tmp/assay-fake-kit.XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(target, sizeof(target), "%s/tests/unit/fake-probe", build);
    snprintf(link, sizeof(link), "%s/assay-probe", folder);
    assert_int_equal(symlink(target, link), 0);
    write_file(folder, "manifest", "assay-kit 1\nbuild fake\nisa fake64\n");
    setenv("ASSAY_KIT", folder, 1);
}

static inline void fake_kit_remove(const char *folder)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/assay-probe", folder);
    unlink(path);
    snprintf(path, sizeof(path), "%s/manifest", folder);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
    unsetenv("ASSAY_KIT");
}

static inline int open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* No child at all: neither running nor waiting to be reaped. */
static inline void assert_no_children(void)
{
    errno = 0;
    pid_t found = waitpid(-1, NULL, WNOHANG);
    if (found != -1 || errno != ECHILD)
        fail_msg("a child was left behind (waitpid gave %d)", (int)found);
}
