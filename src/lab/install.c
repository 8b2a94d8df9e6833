/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Installing under the lab's lock. Everything happens in LAB/staging.XXXXXX; a last rename makes it
 * count. Whoever gets the lock next removes what a killed installation left. */
#include "lab/install.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "lab/archive.h"
#include "lab/place.h"
#include "lab/tool.h"

#define ROOM_MB      600 /* while a kernel with all its drivers is unpacked */
#define LOCK_TICK_US 100000

struct work {
    const struct lab_installation *order;
    char *lab;
    char *staging;
    char *kernel; /* name */
    struct packages packages;
};

static void say(const struct work *work, const char *step)
{
    if (work->order->progress)
        work->order->progress(work->order->context, step, -1);
}

/* Waits for other installations; the lock ends with the process. */
static int take_lock(const struct work *work, struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/lock", work->lab);
    int fd = open(text_string(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return fail_with(
            failure, -errno,
            "cannot write in the lab's folder %s: %s; set ASSAY_LAB to one that can be written",
            work->lab, strerror(errno));
    for (bool told = false; flock(fd, LOCK_EX | LOCK_NB) < 0; told = true) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            int error = errno;
            close(fd);
            return fail_with(failure, -error, "cannot lock %s: %s", text_string(&path),
                             strerror(error));
        }
        if (work->order->stop && *work->order->stop) {
            close(fd);
            return fail_with(failure, -EINTR, "interrupted while another installation was running");
        }
        if (!told)
            say(work, "waiting for another installation");
        usleep(LOCK_TICK_US);
    }
    return fd;
}

static int check_room(const struct work *work, struct failure *failure)
{
    struct statvfs disk;
    if (statvfs(work->lab, &disk) < 0)
        return 0;
    const unsigned long long free_mb = (unsigned long long)disk.f_bavail * disk.f_frsize >> 20;
    if (free_mb >= ROOM_MB)
        return 0;
    return fail_with(
        failure, -ENOSPC,
        "%llu MB are free in %s, and unpacking a kernel takes %d MB for a moment: make "
        "room, or set ASSAY_LAB to a folder on another disk",
        free_mb, work->lab, ROOM_MB);
}

/* The file PACKAGE_VERSION_arm64.deb in the staging folder; its version, to be freed, too. */
static char *find_deb(const struct work *work, const char *package, char **version)
{
    AUTO_DIR DIR *entries = opendir(work->staging);
    size_t length = strlen(package);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        const char *name = entry->d_name;
        const char *end = strrchr(name, '_');
        if (strncmp(name, package, length) != 0 || name[length] != '_' || !end ||
            end <= name + length || strcmp(end, "_arm64.deb") != 0)
            continue;
        AUTO_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", work->staging, name);
        *version = memory_format("%.*s", (int)(end - name) - (int)length - 1, name + length + 1);
        /* A colon is not written in names of files. */
        char *colon = strstr(*version, "%3a");
        if (colon) {
            *colon = ':';
            memmove(colon + 1, colon + 3, strlen(colon + 3) + 1);
        }
        return memory_text(&path);
    }
    return NULL;
}

/* Unpacks the package into STAGING/place. */
static int unpack(const struct work *work, const char *package, const char *place, char **version,
                  struct failure *failure)
{
    const char *deb = find_deb(work, package, version);
    if (!deb)
        return fail_with(failure, -ENOENT, "apt fetched no package %s", package);
    AUTO_TEXT struct text folder = {0};
    AUTO_TEXT struct text said = {0};
    text_printf(&folder, "%s/%s", work->staging, place);
    const char *const argv[] = {"dpkg-deb", "-x", deb, text_string(&folder), NULL};
    int status = tool_run(&(struct tool){.argv = argv, .stop = work->order->stop}, &said, failure);
    if (status <= 0) {
        unlink(deb);
        return status;
    }
    char complaint[300];
    tool_complaint(&said, complaint, sizeof(complaint));
    return fail_with(failure, -EIO, "cannot unpack %s: %s", package, complaint);
}

/* STAGING/vmlinuz-… becomes STAGING/ready/vmlinuz. */
static int take_kernel(const struct work *work, const char *ready, struct failure *failure)
{
    AUTO_TEXT struct text from = {0};
    AUTO_TEXT struct text to = {0};
    text_printf(&from, "%s/kernel/boot/vmlinuz-%s", work->staging, work->kernel);
    text_printf(&to, "%s/vmlinuz", ready);
    if (rename(text_string(&from), text_string(&to)) == 0)
        return 0;
    return fail_with(failure, -errno, "the package of %s holds no kernel: %s", work->kernel,
                     strerror(errno));
}

static int make_ready(const struct work *work, const char *ready, struct failure *failure)
{
    char *kernel = NULL, *libc = NULL, *busybox = NULL;
    AUTO_TEXT struct text package = {0};
    text_printf(&package, "linux-image-%s", work->kernel);
    say(work, "unpacking");
    int status = unpack(work, text_string(&package), "kernel", &kernel, failure);
    if (status == 0)
        status = unpack(work, "libc6", "libc", &libc, failure);
    if (status == 0)
        status = unpack(work, "busybox-static", "busybox", &busybox, failure);
    if (status == 0 && mkdir(ready, 0777) < 0)
        status = fail_with(failure, -errno, "cannot make %s: %s", ready, strerror(errno));
    if (status < 0)
        return status;
    char from[3][1200];
    static const char *const places[] = {"kernel", "libc", "busybox"};
    for (size_t i = 0; i < 3; i++)
        snprintf(from[i], sizeof(from[i]), "%.1100s/%s", work->staging, places[i]);
    AUTO_TEXT struct text base = {0};
    text_printf(&base, "%s/base.cpio", ready);
    const struct base_content content = {work->kernel, from[0], from[1], from[2]};
    status = base_archive_make(text_string(&base), &content, failure);
    if (status == 0)
        status = take_kernel(work, ready, failure);
    const struct about about = {text_string(&package), kernel, libc, busybox};
    return status < 0 ? status : about_write(ready, &about, failure);
}

/* The ready folder takes its place; one that was there goes into the staging folder. */
static int put_in_place(const struct work *work, const char *ready, struct failure *failure)
{
    AUTO_TEXT struct text final = {0};
    AUTO_TEXT struct text old = {0};
    text_printf(&final, "%s/%s", work->lab, work->order->isa);
    int status = lab_place_make(text_string(&final), failure);
    if (status < 0)
        return status;
    text_printf(&final, "/%s", work->kernel);
    text_printf(&old, "%s/old", work->staging);
    if (renameat2(AT_FDCWD, ready, AT_FDCWD, text_string(&final), RENAME_EXCHANGE) == 0)
        return 0;
    rename(text_string(&final), text_string(&old));
    if (rename(ready, text_string(&final)) == 0)
        return 0;
    return fail_with(failure, -errno, "cannot make %s: %s", text_string(&final), strerror(errno));
}

/* Debian's default, remembered for machines that ask for no kernel by name. */
static int remember_default(const struct work *work, struct failure *failure)
{
    AUTO_TEXT struct text path = {0};
    AUTO_TEXT struct text fresh = {0};
    text_printf(&path, "%s/%s/default", work->lab, work->order->isa);
    text_printf(&fresh, "%s/default", work->staging);
    if (work->order->kernel)
        return 0;
    AUTO_FILE FILE *file = fopen(text_string(&fresh), "we");
    if (file && fprintf(file, "%s\n", work->kernel) > 0 && fflush(file) == 0 &&
        rename(text_string(&fresh), text_string(&path)) == 0)
        return 0;
    return fail_with(failure, -errno, "cannot write %s: %s", text_string(&path), strerror(errno));
}

/* 1 when the kernel is in the lab, whole and in the version that is on offer. */
static int is_there(struct work *work, struct failure *failure)
{
    AUTO_TEXT struct text folder = {0};
    char offered[128];
    text_printf(&folder, "%s/%s/%s", work->lab, work->order->isa, work->kernel);
    const char *installed = about_get(text_string(&folder), "version");
    if (!installed || lab_kernel_lacks(text_string(&folder)))
        return 0;
    int status = packages_version(&work->packages, work->kernel, offered, sizeof(offered), failure);
    return status < 0 ? status : !*offered || strcmp(offered, installed) == 0;
}

static int install_locked(struct work *work, struct failure *failure)
{
    /* Removes what installations that were killed left behind: LAB/staging.*. */
    AUTO_DIR DIR *entries = opendir(work->lab);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        if (strncmp(entry->d_name, "staging.", strlen("staging.")) != 0)
            continue;
        AUTO_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", work->lab, entry->d_name);
        folder_remove_all(text_string(&path));
    }

    int status = check_room(work, failure);
    if (status == 0)
        status = packages_open(&work->packages, work->lab, failure);
    if (status == 0)
        status = packages_update(&work->packages, failure);
    if (status == 0)
        status = packages_resolve(&work->packages, work->order->kernel, &work->kernel, failure);
    if (status < 0)
        return status;
    AUTO_TEXT struct text staging = {0};
    text_printf(&staging, "%s/staging.XXXXXX", work->lab);
    work->staging = memory_text(&staging);
    if (!mkdtemp(work->staging)) {
        work->staging = NULL;
        return fail_with(failure, -errno, "cannot make a folder in %s: %s", work->lab,
                         strerror(errno));
    }
    AUTO_TEXT struct text ready = {0};
    text_printf(&ready, "%s/ready", work->staging);
    status = work->order->again ? 0 : is_there(work, failure);
    if (status > 0)
        return remember_default(work, failure) < 0 ? failure->code : LAB_INSTALL_THERE;
    if (status == 0) {
        AUTO_TEXT struct text package = {0};
        AUTO_TEXT struct text step = {0};
        text_printf(&package, "linux-image-%s", work->kernel);
        text_printf(&step, "fetching %s", text_string(&package));
        say(work, text_string(&step));
        const char *const names[] = {text_string(&package), "libc6", "busybox-static", NULL};
        status = packages_fetch(&work->packages, names, work->staging, failure);
    }

    if (status == 0)
        status = make_ready(work, text_string(&ready), failure);
    if (status == 0)
        status = put_in_place(work, text_string(&ready), failure);
    return status < 0 ? status : remember_default(work, failure);
}

int lab_install(const struct lab_installation *installation, char **name, struct failure *failure)
{
    struct work work = {.order = installation,
                        .packages = {.stop = installation->stop,
                                     .progress = installation->progress,
                                     .context = installation->context}};
    *name = NULL;
    int status = packages_name_check(installation->kernel, failure);
    if (status == 0)
        status = lab_place(&work.lab, failure);
    if (status == 0)
        status = lab_place_make(work.lab, failure);
    AUTO_CLOSE int lock = status < 0 ? -1 : take_lock(&work, failure);
    if (status == 0)
        status = lock < 0 ? lock : install_locked(&work, failure);
    if (work.staging)
        folder_remove_all(work.staging);
    if (status >= 0)
        *name = work.kernel;
    return status;
}
