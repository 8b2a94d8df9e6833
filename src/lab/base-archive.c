/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The part of a machine's archive that stays the same from boot to boot. */
#include "lab/base-archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "lab/cpio.h"

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

static void add_libraries(struct cpio *archive, const char *folder)
{
    static const char *const places[] = {"lib/aarch64-linux-gnu", "usr/lib/aarch64-linux-gnu"};
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
        AUTO_TEXT struct text path = {0};
        char name[96];
        for (size_t place = 0; place < 2; place++) {
            text_clear(&path);
            text_printf(&path, "%s/%s/%s", folder, places[place], libraries[i]);
            if (access(text_string(&path), R_OK) == 0)
                break;
        }
        snprintf(name, sizeof(name), "lib/aarch64-linux-gnu/%s", libraries[i]);
        cpio_file(archive, name, 0755, text_string(&path));
    }
    cpio_link(archive, "lib/ld-linux-aarch64.so.1", "aarch64-linux-gnu/ld-linux-aarch64.so.1");
}

static void add_shell(struct cpio *archive, const char *folder)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/bin/busybox", folder);
    if (access(text_string(&path), R_OK) < 0) {
        text_clear(&path);
        text_printf(&path, "%s/usr/bin/busybox", folder);
    }
    cpio_file(archive, "bin/busybox", 0755, text_string(&path));
    for (size_t i = 0; i < sizeof(applets) / sizeof(*applets); i++) {
        char name[64];
        snprintf(name, sizeof(name), "bin/%s", applets[i]);
        cpio_link(archive, name, "busybox");
    }
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
    add_libraries(&archive, content->libc);
    add_shell(&archive, content->busybox);
    if (status == 0)
        status = cpio_end(&archive, failure);
    if (status == 0 && fsync(fd) < 0)
        status = fail_with(failure, -errno, "cannot write %s: %s", path, strerror(errno));
    return status;
}
