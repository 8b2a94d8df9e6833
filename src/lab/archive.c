/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Archives to boot from. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "lab/archive.h"

/* ----------------------------------------------------------------------------------------------
 * newc: a header of hexadecimal numbers, the name with its zero, the content; name and content each
 * padded to a multiple of four bytes. The entry TRAILER!!! ends an archive. */

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

/* Appends the whole file, an archive that is finished already. */
static int cpio_append(int fd, const char *path, struct failure *failure)
{
    AUTO_CLOSE int from = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    int status = from < 0 || fstat(from, &facts) < 0 ? -errno
                 : !S_ISREG(facts.st_mode)           ? -EINVAL
                                                     : copy(fd, from, (size_t)facts.st_size);
    return status < 0 ? fail_with(failure, status, "cannot read %s: %s", path, strerror(-status))
                      : 0;
}

/* --- The part of a machine's archive that stays the same from boot to boot --- */

/* In the order in which they must be loaded. */
static const struct {
    const char *option; /* of the kernel's configuration */
    const char *path;   /* below kernel/drivers */
} drivers[] = {
    {"CONFIG_VIRTIO", "virtio/virtio"},
    {"CONFIG_VIRTIO", "virtio/virtio_ring"},
    {"CONFIG_VIRTIO_MMIO", "virtio/virtio_mmio"},
    {"CONFIG_VIRTIO_CONSOLE", "char/virtio_console"},
};

static const char *const folders[] = {
    "bin", "dev", "etc", "lab", "lab/modules", "lib", "lib/aarch64-linux-gnu"};

static const struct {
    const char *name, *content;
} texts[] = {
    {"etc/os-release", "ID=assay-lab\nPRETTY_NAME=\"assay lab\"\n"},
    {"etc/passwd", "root:x:0:0:root:/work:/bin/sh\nnobody:x:65534:65534:nobody:/work:/bin/sh\n"},
    {"etc/group", "root:x:0:\nnogroup:x:65534:\n"},
};

static const char *const libraries[] = {
    "ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libdl.so.2",
    "libpthread.so.0",       "librt.so.1"};

static const char *const applets[] = {
    "ash",   "awk",   "base64", "basename", "cat",  "chmod",   "chown",    "clear", "cmp",
    "cp",    "cut",   "date",   "dd",       "df",   "diff",    "dirname",  "dmesg", "du",
    "echo",  "env",   "expr",   "false",    "find", "free",    "grep",     "gzip",  "gunzip",
    "head",  "id",    "kill",   "less",     "ln",   "ls",      "md5sum",   "mkdir", "mktemp",
    "mount", "mv",    "nproc",  "od",       "ps",   "pwd",     "readlink", "rm",    "rmdir",
    "sed",   "seq",   "sh",     "sleep",    "sort", "stat",    "strings",  "sync",  "sysctl",
    "tail",  "tar",   "tee",    "test",     "time", "timeout", "top",      "touch", "tr",
    "true",  "uname", "uniq",   "usleep",   "vi",   "wc",      "which",    "xargs", "xxd",
    "yes",   "zcat"};

/* 'y', 'm' or 0 as the kernel's configuration says. */
static char configured(const struct base_content *content, const char *option)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/boot/config-%s", content->kernel, content->name);
    AUTO_FILE FILE *file = fopen(text_string(&path), "re");
    size_t length = strlen(option);
    char line[256];
    while (file && fgets(line, sizeof(line), file))
        if (strncmp(line, option, length) == 0 && line[length] == '=')
            return line[length + 1];
    return 0;
}

/* Finds the module as it may be packed; the ending found is left in *ending. */
static bool find_module(const struct base_content *content, const char *driver, struct text *path,
                        const char **ending)
{
    static const char *const tops[] = {"lib", "usr/lib"};
    static const char *const endings[] = {".ko", ".ko.xz", ".ko.zst", ".ko.gz"};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < sizeof(endings) / sizeof(*endings); j++) {
            text_clear(path);
            text_printf(path, "%s/%s/modules/%s/kernel/drivers/%s%s", content->kernel, tops[i],
                        content->name, driver, endings[j]);
            *ending = endings[j];
            if (access(text_string(path), R_OK) == 0)
                return true;
        }
    }
    return false;
}

static int add_driver(struct cpio *archive, const struct base_content *content, size_t index,
                      struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    const char *ending;
    const char *option = drivers[index].option;
    char how = configured(content, option);
    if (how == 'y')
        return 0;
    if (how != 'm' || !find_module(content, drivers[index].path, &path, &ending))
        return fail_with(failure, -ENODEV,
                         "the kernel %s has no %s, without which nothing can be said to it: take "
                         "another one of assay lab list",
                         content->name, option);
    if (strcmp(ending, ".ko") != 0 && configured(content, "CONFIG_MODULE_DECOMPRESS") != 'y')
        return fail_with(failure, -ENODEV,
                         "the drivers of the kernel %s are compressed, and it cannot unpack them "
                         "by itself: take another one of assay lab list",
                         content->name);
    char name[64];
    snprintf(name, sizeof(name), "lab/modules/%zu%s", index, ending);
    cpio_file(archive, name, 0644, text_string(&path));
    return 0;
}

int base_archive_make(const char *path, const struct base_content *content, struct failure *failure)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_with(failure, -errno, "cannot write %s: %s", path, strerror(errno));
    struct cpio archive = {.fd = fd};
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
        cpio_folder(&archive, folders[i], 0755);
    /* What the first process has as standard descriptors before /dev is mounted. */
    cpio_device(&archive, "dev/console", S_IFCHR | 0600, 5, 1);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        cpio_bytes(&archive, texts[i].name, 0644, texts[i].content, strlen(texts[i].content));
    int status = 0;
    for (size_t i = 0; status == 0 && i < sizeof(drivers) / sizeof(*drivers); i++)
        status = add_driver(&archive, content, i, failure);
    static const char *const places[] = {"lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
        AUTO_TEXT struct text library = {0};
        char name[96];
        for (size_t place = 0; place < 2; place++) {
            text_clear(&library);
            text_printf(&library, "%s/%s/%s", content->libc, places[place], libraries[i]);
            if (access(text_string(&library), R_OK) == 0)
                break;
        }
        snprintf(name, sizeof(name), "lib/aarch64-linux-gnu/%s", libraries[i]);
        cpio_file(&archive, name, 0755, text_string(&library));
    }
    cpio_link(&archive, "lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu/ld-linux-aarch64.so.1");
    AUTO_TEXT struct text busybox = {0};
    text_printf(&busybox, "%s/bin/busybox", content->busybox);
    if (access(text_string(&busybox), R_OK) < 0) {
        text_clear(&busybox);
        text_printf(&busybox, "%s/usr/bin/busybox", content->busybox);
    }
    cpio_file(&archive, "bin/busybox", 0755, text_string(&busybox));
    for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++) {
        char name[64];
        snprintf(name, sizeof(name), "bin/%s", applets[i]);
        cpio_link(&archive, name, "busybox");
    }

    if (status == 0)
        status = cpio_end(&archive, failure);
    if (status == 0 && fsync(fd) < 0)
        status = fail_with(failure, -errno, "cannot write %s: %s", path, strerror(errno));
    return status;
}

/* --- What a machine boots from --- */

#define KERNEL_NEEDS_MB 96 /* besides the archive and its content */

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
    if (status)
        return status;
    struct cpio archive = {.fd = fd};
    AUTO_DIR DIR *entries = opendir(content->kit_folder);
    if (!entries)
        return fail_with(failure, -errno, "cannot read the kit %s: %s", content->kit_folder,
                         strerror(errno));
    /* Readable and executable by everyone: the probe may have to run as nobody. */
    cpio_folder(&archive, "kit", 0755);
    const struct dirent *entry;
    while ((entry = readdir(entries))) {
        AUTO_TEXT struct text name = {0}, path = {0};
        struct stat facts;
        text_printf(&name, "kit/%s", entry->d_name);
        text_printf(&path, "%s/%s", content->kit_folder, entry->d_name);
        /* As in src/engine/via/kit.c: a kit holds plain names only. */
        static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789._-";
        if (entry->d_name[0] != '.' && entry->d_name[strspn(entry->d_name, allowed)] == '\0' &&
            stat(text_string(&path), &facts) == 0 && S_ISREG(facts.st_mode))
            cpio_file(&archive, text_string(&name), facts.st_mode & S_IXUSR ? 0755 : 0644,
                      text_string(&path));
    }
    cpio_folder(&archive, "lab", 0755);
    cpio_bytes(&archive, "lab/plan", 0644, text_string(content->plan), content->plan->length);
    status = add_files(&archive, content, failure);
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
