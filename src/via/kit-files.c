/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Maps the files of a kit, in the order in which they travel. */
#include "via/kit-files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"

#define MOST_FILES 256 /* what assay-probe takes */

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

static int refuse(const struct kit *kit, const char *name, int status, struct failure *failure)
{
    return fail_with(failure, status, "the kit's %s/%s cannot be read: %s", kit->folder, name,
                     strerror(-status));
}

/* A kit holds plain names only; anything else in the folder is not ours. */
static bool belongs(const char *name)
{
    return name[0] != '.' && name[strspn(name, PLAIN "._-")] == '\0';
}

/* -EISDIR for what is no regular file. */
static int map(int folder, struct kit_file *file)
{
    AUTO_CLOSE int fd = openat(folder, file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0)
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return -EISDIR;
    file->mode = facts.st_mode & S_IXUSR ? 0700 : 0600;
    file->bytes = "";
    if (facts.st_size == 0)
        return 0;
    void *bytes = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    file->bytes = bytes;
    file->length = (size_t)facts.st_size;
    return 0;
}

static int keep(struct kit_files *files, int folder, const char *name)
{
    struct kit_file file = {.name = strdup(name)};
    struct kit_file *grown = realloc(files->list, (files->count + 1) * sizeof(*grown));
    if (grown)
        files->list = grown;
    int status = !grown || !file.name         ? -ENOMEM
                 : files->count >= MOST_FILES ? -E2BIG
                                              : map(folder, &file);
    if (status < 0) {
        free(file.name);
        return status == -EISDIR ? 0 : status;
    }
    files->list[files->count++] = file;
    files->bytes += file.length;
    return 0;
}

static int rank(const struct kit_file *file)
{
    return strcmp(file->name, "assay-probe") == 0 ? 0 : strcmp(file->name, "manifest") == 0 ? 2 : 1;
}

static int compare(const void *left, const void *right)
{
    int order = rank(left) - rank(right);
    return order ? order
                 : strcmp(((const struct kit_file *)left)->name,
                          ((const struct kit_file *)right)->name);
}

/* The id becomes the name of a folder over there: letters and digits, or it is refused. */
static bool read_build(struct kit_files *files)
{
    static const char word[] = "\nbuild ";
    const struct kit_file *manifest = &files->list[files->count - 1];
    const char *at = memmem(manifest->bytes, manifest->length, word, strlen(word));
    if (!at)
        return false;
    at += strlen(word);
    const char *end = memchr(at, '\n', manifest->length - (size_t)(at - manifest->bytes));
    if (!end || end == at || (size_t)(end - at) >= sizeof(files->build))
        return false;
    memcpy(files->build, at, (size_t)(end - at));
    return files->build[strspn(files->build, PLAIN)] == '\0';
}

static int check(struct kit_files *files, const struct kit *kit, struct failure *failure)
{
    if (files->count == 0 || rank(&files->list[0]) != 0)
        return refuse(kit, "assay-probe", -ENOENT, failure);
    if (rank(&files->list[files->count - 1]) != 2)
        return refuse(kit, "manifest", -ENOENT, failure);
    if (!read_build(files))
        return fail_with(failure, -EINVAL,
                         "%s/manifest names no build id: build the kit again (make kits)",
                         kit->folder);
    return 0;
}

int kit_files_open(struct kit_files *files, const struct kit *kit, struct failure *failure)
{
    *files = (struct kit_files){0};
    AUTO_DIR DIR *folder = opendir(kit->folder);
    if (!folder)
        return refuse(kit, "", -errno, failure);
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        int status = belongs(entry->d_name) ? keep(files, dirfd(folder), entry->d_name) : 0;
        if (status < 0) {
            kit_files_close(files);
            return refuse(kit, entry->d_name, status, failure);
        }
    }
    if (files->count)
        qsort(files->list, files->count, sizeof(*files->list), compare);
    int status = check(files, kit, failure);
    if (status < 0)
        kit_files_close(files);
    return status;
}

void kit_files_close(struct kit_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->list[i].length)
            munmap((void *)(uintptr_t)files->list[i].bytes, files->list[i].length);
        free(files->list[i].name);
    }
    free(files->list);
    *files = (struct kit_files){0};
}
