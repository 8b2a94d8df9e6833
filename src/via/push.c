/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hands the kit over a pipe. Two steps: a shell script takes assay-probe alone, into a new private
 * folder where programs may be run; that probe then takes the other files itself. Nothing is sent
 * ahead of the probe's answer, so it does not matter whether head(1) over there reads too much. */
#include "via/push.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "via/child.h"

#define KIT_MARK "@assay-kit"

/* The shell stays until the probe has ended, to remove the folder even when the probe could not. */
const char push_script[] =
    "umask 077\n"
    "d=\n"
    "trap 'test -z \"$d\" || rm -rf \"$d\"' EXIT\n"
    "trap 'exit 129' HUP\n"
    "trap 'exit 130' INT\n"
    "trap 'exit 143' TERM\n"
    "for t in \"${TMPDIR:-/tmp}\" /tmp /var/tmp /dev/shm \"$HOME\"; do\n"
    "    d=$(mktemp -d \"$t/assay.XXXXXXXXXX\" 2>/dev/null) || { d=; continue; }\n"
    "    printf '#!/bin/sh\\nexit 0\\n' >\"$d/try\" && chmod 700 \"$d/try\" &&\n"
    "        \"$d/try\" 2>/dev/null && break\n"
    "    rm -rf \"$d\"\n"
    "    d=\n"
    "done\n"
    "if test -z \"$d\"; then\n"
    "    echo 'no folder there in which programs may be run: set TMPDIR to one' >&2\n"
    "    exit 126\n"
    "fi\n"
    "rm -f \"$d/try\"\n"
    "head -c \"$1\" >\"$d/assay-probe\" || exit 126\n"
    "test \"$(wc -c <\"$d/assay-probe\")\" -eq \"$1\" || exit 126\n"
    "chmod 700 \"$d/assay-probe\" || exit 126\n"
    "\"$d/assay-probe\" receive\n"
    "exit $?\n";

/* A file of the kit, in memory. */
struct content {
    const char *bytes;
    size_t length;
    unsigned mode;
};

static void content_release(struct content *content)
{
    if (content->length)
        munmap((void *)(uintptr_t)content->bytes, content->length);
}

/* -EISDIR for what is no regular file. */
static int content_open(int folder, const char *name, struct content *content)
{
    AUTO_CLOSE int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat facts;
    if (fd < 0 || fstat(fd, &facts) < 0)
        return -errno;
    if (!S_ISREG(facts.st_mode))
        return -EISDIR;
    *content = (struct content){.bytes = "",
                                .length = (size_t)facts.st_size,
                                .mode = facts.st_mode & S_IXUSR ? 0700 : 0600};
    if (content->length == 0)
        return 0;
    void *bytes = mmap(NULL, content->length, PROT_READ, MAP_PRIVATE, fd, 0);
    if (bytes == MAP_FAILED)
        return -errno;
    content->bytes = bytes;
    return 0;
}

static int refuse_file(const struct kit *kit, const char *name, int status, struct failure *failure)
{
    return fail_with(failure, status, "the kit's %s/%s cannot be read: %s", kit->folder, name,
                     strerror(-status));
}

int push_size(const struct kit *kit, char size[24], struct failure *failure)
{
    AUTO_FREE char *probe = NULL;
    struct stat facts;
    if (asprintf(&probe, "%s/assay-probe", kit->folder) < 0)
        return fail_with(failure, -ENOMEM, "no memory to push the probe");
    if (stat(probe, &facts) < 0)
        return refuse_file(kit, "assay-probe", -errno, failure);
    snprintf(size, 24, "%jd", (intmax_t)facts.st_size);
    return 0;
}

static int explain_send(int status, const char *name, struct failure *failure)
{
    const char *why = status == -EPIPE       ? "the other side stopped listening"
                      : status == -ETIMEDOUT ? "the other side does not take it"
                      : status == -EINTR     ? "interrupted"
                                             : strerror(-status);
    return fail_with(failure, status, "handing over %s failed: %s", name, why);
}

/* One file: its header where `announced`, then its bytes. */
static int send_file(struct via_link *link, const struct kit *kit, int folder, const char *name,
                     bool announced, const struct via_patience *patience, struct failure *failure)
{
    struct content content = {0};
    int status = content_open(folder, name, &content);
    if (status == -EISDIR && announced)
        return 0;
    if (status < 0)
        return refuse_file(kit, name, status, failure);
    char header[NAME_MAX + 64];
    int length =
        snprintf(header, sizeof(header), "file %s %o %zu\n", name, content.mode, content.length);
    if (announced)
        status = child_send(link, header, (size_t)length, patience);
    if (status == 0)
        status = child_send(link, content.bytes, content.length, patience);
    content_release(&content);
    return status < 0 ? explain_send(status, name, failure) : 0;
}

/* A kit holds plain names only; anything else in the folder is not ours. */
static bool belongs(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    return name[0] != '.' && name[strspn(name, allowed)] == '\0' &&
           strcmp(name, "assay-probe") != 0;
}

static int send_others(struct via_link *link, const struct kit *kit, DIR *folder,
                       const struct via_patience *patience, struct failure *failure)
{
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        if (!belongs(entry->d_name))
            continue;
        int status = send_file(link, kit, dirfd(folder), entry->d_name, true, patience, failure);
        if (status < 0)
            return status;
    }
    int status = child_send(link, "end\n", 4, patience);
    return status < 0 ? explain_send(status, "the end of the kit", failure) : 0;
}

/* The answer of the probe that was handed over; it and what came before it is taken off. */
static int await_answer(struct via_link *link, const struct via_patience *patience,
                        struct failure *failure)
{
    switch (child_await(link, KIT_MARK, patience)) {
    case CHILD_SPOKE:
        break;
    case CHILD_ENDED:
        return fail_with(failure, -EPIPE, "the probe that was handed over does not run there");
    case CHILD_SILENT:
        return fail_with(failure, -ETIMEDOUT,
                         "the probe that was handed over did not answer within %d s",
                         patience->timeout_ms / 1000);
    case CHILD_STOPPED:
        return fail_with(failure, -EINTR, "interrupted");
    }
    text_clear(&link->early);
    return 0;
}

int push_kit(struct via_link *link, const struct kit *kit, const struct via_patience *patience,
             struct failure *failure)
{
    AUTO_DIR DIR *folder = opendir(kit->folder);
    if (!folder)
        return refuse_file(kit, "", -errno, failure);
    int status = send_file(link, kit, dirfd(folder), "assay-probe", false, patience, failure);
    if (status == 0)
        status = await_answer(link, patience, failure);
    if (status == 0)
        status = send_others(link, kit, folder, patience, failure);
    return status;
}
