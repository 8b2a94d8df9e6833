/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small machines for tests: a temporary folder filled from a table of paths and contents, and
 * removed with everything in it. */
#pragma once

#include <assert.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct tree_file {
    const char *path; /* absolute below the root; NULL ends a table */
    const char *content;
};

struct tree {
    char root[64];
};

static inline void tree_make(struct tree *tree)
{
    snprintf(tree->root, sizeof(tree->root), "/tmp/assay-tree-XXXXXX");
    if (!mkdtemp(tree->root))
        abort();
}

static inline void tree_put_bytes(const struct tree *tree, const char *path, const char *bytes,
                                  size_t size)
{
    char full[512];
    snprintf(full, sizeof(full), "%s%s", tree->root, path);
    for (char *slash = full + strlen(tree->root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (mkdir(full, 0755) < 0 && errno != EEXIST)
            abort();
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
        abort();
}

/* "-> TARGET": a symbolic link. */
static inline void tree_put(const struct tree *tree, const char *path, const char *content)
{
    char full[512];
    tree_put_bytes(tree, path, content, strlen(content));
    snprintf(full, sizeof(full), "%s%s", tree->root, path);
    if (strncmp(content, "-> ", 3) == 0 && (unlink(full) < 0 || symlink(content + 3, full) < 0))
        abort();
}

static inline int tree_remove_one(const char *path, const struct stat *status, int kind,
                                  struct FTW *walk)
{
    (void)status, (void)kind, (void)walk;
    return remove(path);
}

static inline void tree_remove(const struct tree *tree)
{
    nftw(tree->root, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
