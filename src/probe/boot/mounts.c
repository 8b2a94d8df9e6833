/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file systems programs expect, and the drivers the ports need. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/module.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "probe/boot/boot.h"

#define MODULES "/lab/modules"
#ifndef MODULE_INIT_COMPRESSED_FILE
#define MODULE_INIT_COMPRESSED_FILE 4
#endif

static const struct {
    const char *type, *place, *options;
    bool needed; /* complain when the kernel does not have it */
} mounts[] = {
    {"proc", "/proc", NULL, true},
    {"sysfs", "/sys", NULL, true},
    {"devtmpfs", "/dev", NULL, true},
    {"devpts", "/dev/pts", "ptmxmode=0666", false},
    {"tmpfs", "/dev/shm", "mode=1777", false},
    {"tmpfs", "/tmp", "mode=1777", false},
    {"tmpfs", "/run", "mode=0755", false},
    {"tracefs", "/sys/kernel/tracing", NULL, false},
};

void boot_mounts(void)
{
    for (size_t i = 0; i < sizeof(mounts) / sizeof(*mounts); i++) {
        mkdir(mounts[i].place, 0755);
        if (mount("lab", mounts[i].place, mounts[i].type, 0, mounts[i].options) < 0 &&
            mounts[i].needed)
            fprintf(stderr, "assay lab: cannot mount %s: %s\n", mounts[i].place, strerror(errno));
    }
    if (sethostname("lab", 3) < 0)
        fprintf(stderr, "assay lab: cannot set the name: %s\n", strerror(errno));
}

static void load(const char *name)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", MODULES, name);
    AUTO_CLOSE int fd = open(text_string(&path), O_RDONLY | O_CLOEXEC);
    const char *end = strrchr(name, '.');
    int flags = end && strcmp(end, ".ko") != 0 ? MODULE_INIT_COMPRESSED_FILE : 0;
    if (fd < 0 || (syscall(SYS_finit_module, fd, "", flags) < 0 && errno != EEXIST))
        fprintf(stderr, "assay lab: cannot load %s: %s\n", name, strerror(errno));
}

void boot_modules(void)
{
    struct dirent **names = NULL;
    int count = scandir(MODULES, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            load(names[i]->d_name);
        free(names[i]);
    }
    free(names);
}
