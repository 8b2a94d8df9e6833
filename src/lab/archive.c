/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Puts together what a machine boots from. */
#include "lab/archive.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lab/cpio.h"

#define KERNEL_NEEDS_MB 96 /* besides the archive and its content */

/* As in src/via/push.c: a kit holds plain names only. */
static bool belongs(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    return name[0] != '.' && name[strspn(name, allowed)] == '\0';
}

/* Readable and executable by everyone: the probe may have to run as nobody. */
static int add_kit(struct cpio *archive, const char *folder, struct failure *failure)
{
    AUTO_DIR DIR *entries = opendir(folder);
    if (!entries)
        return fail_with(failure, -errno, "cannot read the kit %s: %s", folder, strerror(errno));
    cpio_folder(archive, "kit", 0755);
    const struct dirent *entry;
    while ((entry = readdir(entries))) {
        AUTO_TEXT struct text name = {0};
        AUTO_TEXT struct text path = {0};
        struct stat facts;
        text_printf(&name, "kit/%s", entry->d_name);
        text_printf(&path, "%s/%s", folder, entry->d_name);
        if (belongs(entry->d_name) && stat(text_string(&path), &facts) == 0 &&
            S_ISREG(facts.st_mode))
            cpio_file(archive, text_string(&name), facts.st_mode & S_IXUSR ? 0755 : 0644,
                      text_string(&path));
    }
    return 0;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int add_files(struct cpio *archive, const struct boot_content *content,
                     struct failure *failure)
{
    cpio_folder(archive, "work", 01777);
    for (size_t i = 0; i < content->file_count; i++) {
        const char *path = content->files[i];
        const char *name = last_name(path);
        struct stat facts;
        if (stat(path, &facts) < 0)
            return fail_with(failure, -errno, "cannot send %s: %s", path, strerror(errno));
        if (!S_ISREG(facts.st_mode))
            return fail_with(
                failure, -EINVAL,
                "cannot send %s: only regular files; pack a folder with tar and unpack "
                "it there",
                path);
        for (size_t j = 0; j < i; j++)
            if (strcmp(last_name(content->files[j]), name) == 0)
                return fail_with(failure, -EINVAL,
                                 "%s and %s would both become %s in the machine: rename one",
                                 content->files[j], path, name);
        AUTO_TEXT struct text inside = {0};
        text_printf(&inside, "work/%s", name);
        cpio_file(archive, text_string(&inside), 0, path);
    }
    return 0;
}

/* The archive is in memory twice while it is unpacked. */
static int check_size(int fd, unsigned memory_mb, struct failure *failure)
{
    struct stat facts;
    if (fstat(fd, &facts) < 0)
        return fail_with(failure, -errno, "the machine's archive is lost: %s", strerror(errno));
    const off_t needed = 2 * (facts.st_size >> 20) + KERNEL_NEEDS_MB;
    if (needed <= (off_t)memory_mb)
        return 0;
    return fail_with(failure, -ENOSPC,
                     "what is to be carried in does not fit the machine's memory of %u MB: give "
                     "memory=%lld or more",
                     memory_mb, (long long)needed + 32);
}

static int fill(int fd, const struct boot_content *content, struct failure *failure)
{
    AUTO_TEXT struct text base = {0};
    text_printf(&base, "%s/base.cpio", content->kernel_folder);
    int status = cpio_append(fd, text_string(&base), failure);
    struct cpio archive = {.fd = fd};
    if (status == 0)
        status = add_kit(&archive, content->kit_folder, failure);
    if (status == 0) {
        cpio_folder(&archive, "lab", 0755);
        cpio_bytes(&archive, "lab/plan", 0644, text_string(content->plan), content->plan->length);
        status = add_files(&archive, content, failure);
    }
    if (status == 0)
        status = cpio_end(&archive, failure);
    return status < 0 ? status : check_size(fd, content->memory_mb, failure);
}

int boot_archive_make(const struct boot_content *content, struct failure *failure)
{
    int fd = memfd_create("assay-lab", MFD_CLOEXEC);
    if (fd < 0)
        return fail_with(failure, -errno, "no memory for the machine's archive: %s",
                         strerror(errno));
    int status = fill(fd, content, failure);
    if (status < 0) {
        close(fd);
        return status;
    }
    return fd;
}
