/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * newc: a header of hexadecimal numbers, the name with its zero, the content; name and content each
 * padded to a multiple of four bytes. The entry TRAILER!!! ends an archive. */
#include "lab/cpio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static void fail(struct cpio *archive, int error, const char *about)
{
    if (archive->error)
        return;
    archive->error = error;
    snprintf(archive->about, sizeof(archive->about), "%s", about);
}

static void put(struct cpio *archive, const void *bytes, size_t length)
{
    const char *next = bytes;
    while (length && !archive->error) {
        ssize_t wrote = write(archive->fd, next, length);
        if (wrote < 0 && errno != EINTR)
            fail(archive, -errno, "the archive");
        if (wrote > 0) {
            next += wrote;
            length -= (size_t)wrote;
        }
    }
}

static void pad(struct cpio *archive, size_t length)
{
    put(archive, "\0\0\0", (4 - length % 4) % 4);
}

struct entry {
    const char *name;
    unsigned mode;
    uint32_t size;
    unsigned major, minor;
};

static void put_header(struct cpio *archive, const struct entry *entry)
{
    char header[128];
    size_t name_size = strlen(entry->name) + 1;
    int length = snprintf(header, sizeof(header),
                          "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
                          ++archive->inode, entry->mode, 0u, 0u, 1u, 0u, entry->size, 0u, 0u,
                          entry->major, entry->minor, (unsigned)name_size, 0u);
    put(archive, header, (size_t)length);
    put(archive, entry->name, name_size);
    pad(archive, (size_t)length + name_size);
}

void cpio_folder(struct cpio *archive, const char *name, unsigned mode)
{
    put_header(archive, &(struct entry){.name = name, .mode = S_IFDIR | mode});
}

void cpio_bytes(struct cpio *archive, const char *name, unsigned mode, const void *bytes,
                size_t length)
{
    if (length > UINT32_MAX) {
        fail(archive, -EFBIG, name);
        return;
    }
    put_header(archive,
               &(struct entry){.name = name, .mode = S_IFREG | mode, .size = (uint32_t)length});
    put(archive, bytes, length);
    pad(archive, length);
}

void cpio_link(struct cpio *archive, const char *name, const char *target)
{
    size_t length = strlen(target);
    put_header(archive,
               &(struct entry){.name = name, .mode = S_IFLNK | 0777, .size = (uint32_t)length});
    put(archive, target, length);
    pad(archive, length);
}

void cpio_device(struct cpio *archive, const char *name, unsigned mode, unsigned major,
                 unsigned minor)
{
    put_header(archive,
               &(struct entry){.name = name, .mode = mode, .major = major, .minor = minor});
}

/* Copies exactly length bytes; a file that shrinks meanwhile is an error. */
static int copy(int to, int from, size_t length)
{
    while (length) {
        ssize_t copied = sendfile(to, from, NULL, length);
        if (copied < 0 && errno == EINTR)
            continue;
        if (copied <= 0)
            return copied < 0 ? -errno : -EIO;
        length -= (size_t)copied;
    }
    return 0;
}

void cpio_file(struct cpio *archive, const char *name, unsigned mode, const char *path)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0) {
        fail(archive, -errno, path);
        return;
    }
    if (!S_ISREG(facts.st_mode) || facts.st_size > (off_t)UINT32_MAX) {
        fail(archive,
             S_ISDIR(facts.st_mode)   ? -EISDIR
             : S_ISREG(facts.st_mode) ? -EFBIG
                                      : -EINVAL,
             path);
        return;
    }
    put_header(archive, &(struct entry){.name = name,
                                        .mode = S_IFREG | (mode ? mode : facts.st_mode & 07777),
                                        .size = (uint32_t)facts.st_size});
    int status = archive->error ? 0 : copy(archive->fd, fd, (size_t)facts.st_size);
    if (status < 0)
        fail(archive, status, path);
    pad(archive, (size_t)facts.st_size);
}

int cpio_end(struct cpio *archive, struct failure *failure)
{
    put_header(archive, &(struct entry){.name = "TRAILER!!!"});
    if (!archive->error)
        return 0;
    return fail_with(failure, archive->error, "cannot put %s into the machine's archive: %s",
                     archive->about, strerror(-archive->error));
}

int cpio_append(int fd, const char *path, struct failure *failure)
{
    AUTO_CLOSE int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    int status = from < 0 || fstat(from, &facts) < 0 ? -errno
                 : !S_ISREG(facts.st_mode)           ? -EINVAL
                                                     : copy(fd, from, (size_t)facts.st_size);
    return status < 0 ? fail_with(failure, status, "cannot read %s: %s", path, strerror(-status))
                      : 0;
}
