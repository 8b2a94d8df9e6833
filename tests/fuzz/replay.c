/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a fuzz target once over every file of a corpus folder and reports each as a TAP case, so
 * that an input that once broke something is tried again by `make test`, with any compiler. */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int replay_file(int folder, const char *name)
{
    AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) < 0)
        return -errno;
    size_t size = (size_t)status.st_size;
    /* Exactly as large as the input: a sanitizer then sees a read past its end. */
    AUTO_FREE uint8_t *bytes = malloc(size ? size : 1);
    if (!bytes)
        return -ENOMEM;
    for (size_t filled = 0; filled < size;) {
        ssize_t got = read(fd, bytes + filled, size - filled);
        if (got <= 0)
            return got < 0 ? -errno : -EIO;
        filled += (size_t)got;
    }
    return LLVMFuzzerTestOneInput(bytes, size);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
        return 2;
    }
    AUTO_CLOSE int folder = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct dirent **entries = NULL;
    int count = folder < 0 ? -1 : scandirat(folder, ".", &entries, is_input, alphasort);
    if (count <= 0) {
        printf("1..1\nnot ok 1 - corpus %s: %s\n", argv[1], count ? strerror(errno) : "is empty");
        free(entries);
        return 1;
    }
    printf("1..%d\n", count);
    int failed = 0;
    for (int i = 0; i < count; i++) {
        int result = replay_file(folder, entries[i]->d_name);
        failed += result != 0;
        printf("%s %d - %s\n", result ? "not ok" : "ok", i + 1, entries[i]->d_name);
        fflush(stdout);
        free(entries[i]);
    }
    free(entries);
    return failed != 0;
}
