/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * qemu:ISA: the kit of that ISA on this machine, its probe run by QEMU's user mode. Nothing is
 * measured there, but sources that execute code count it: qemu/instructions/ of foreign specimens.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lab/tool.h"
#include "engine/via-parts.h"

#define NAME_MOST 32

/* The path of qemu-ISA without links, because the probe hands it on. */
static char *find_emulator(const char *isa)
{
    char name[NAME_MOST + 8];
    snprintf(name, sizeof(name), "qemu-%s", isa);
    AUTO_FREE char *found = tool_path(name);
    return found ? realpath(found, NULL) : NULL;
}

static int check_argument(const char *argument, struct failure *failure)
{
    size_t length = strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (length && !argument[length] && length < NAME_MOST)
        return 0;
    return fail_with(failure, -EINVAL,
                     "'qemu:' needs an ISA behind it, as in qemu:aarch64, but got '%.64s'",
                     argument);
}

/* What is missing is missing on this machine. */
static int lacking(int status, struct failure *failure)
{
    if (status != -ENOENT)
        return status;
    if (failure)
        failure->code = -ENODEV;
    return -ENODEV;
}

static int start(struct via_link *link, const char *isa, const char *emulator, const char *probe,
                 struct failure *failure)
{
    AUTO_FREE char *variable = NULL;
    if (asprintf(&variable, "ASSAY_EMULATOR=%s", emulator) < 0)
        return fail_with(failure, -ENOMEM, "no memory to start the probe");
    const char *const x86[] = {"env", variable, emulator, "-cpu", "max", probe, "serve", NULL};
    const char *const other[] = {"env", variable, emulator, probe, "serve", NULL};
    return child_start(link, strcmp(isa, "x86_64") == 0 ? x86 : other, failure);
}

static int qemu_open(const char *argument, const struct via_patience *patience,
                     struct via_link *link, struct failure *failure)
{
    (void)patience; /* nothing to connect: the session waits for hello */
    int status = check_argument(argument, failure);
    if (status < 0)
        return status;
    AUTO_KIT struct kit kit = {0};
    status = kit_find(&kit, argument, failure);
    if (status < 0)
        return lacking(status, failure);
    AUTO_FREE char *emulator = find_emulator(argument);
    if (!emulator)
        return fail_with(failure, -ENODEV,
                         "there is no qemu-%s on this machine: install QEMU's user mode, for "
                         "example with `apt-get install qemu-user` or `dnf install qemu-user`",
                         argument);
    AUTO_FREE char *probe = NULL;
    if (asprintf(&probe, "%s/assay-probe", kit.folder) < 0)
        return fail_with(failure, -ENOMEM, "no memory to start the probe");
    return start(link, argument, emulator, probe, failure);
}

extern const struct via via_qemu;
const struct via via_qemu = {
    .scheme = "qemu",
    .summary = "qemu:ISA the kit of another ISA in QEMU's user mode: executes, cannot measure",
    .open = qemu_open,
};
