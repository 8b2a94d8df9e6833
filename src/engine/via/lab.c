/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lab:ISA[,key=value…]: an emulated machine that lives as long as the session. The probe is its
 * first process' only child; the kit travels in the archive it boots from. And qemu:ISA. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/via/parts.h"
#include "lab/machine.h"
#include "lab/tool.h"
#include "wire/frame.h"

/* ----------------------------------------------------------------------------------------------
 * qemu:ISA: the kit of that ISA on this machine, its probe run by QEMU's user mode. Nothing is
 * measured there, but sources that execute code count it: qemu/instructions/ of foreign specimens.
 */

#define NAME_MOST 32

/* What is missing is missing on this machine. */
static int lacking(int status, struct failure *failure)
{
    if (status != -ENOENT)
        return status;
    if (failure)
        failure->code = -ENODEV;
    return -ENODEV;
}

static int qemu_open(const char *argument, const struct via_patience *patience,
                     struct via_link *link, struct failure *failure)
{
    (void)patience; /* nothing to connect: the session waits for hello */
    const size_t length = strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (!length || argument[length] || length >= NAME_MOST)
        return fail_with(failure, -EINVAL,
                         "'qemu:' needs an ISA behind it, as in qemu:aarch64, but got '%.64s'",
                         argument);
    struct kit kit = {0};
    int status = kit_find(&kit, argument, failure);
    if (status < 0)
        return lacking(status, failure);
    /* Without links, because the probe hands it on. */
    AUTO_FREE char *found = tool_path(memory_format("qemu-%s", argument));
    AUTO_FREE char *emulator = found ? realpath(found, NULL) : NULL;
    if (!emulator)
        return fail_with(failure, -ENODEV,
                         "there is no qemu-%s on this machine: install QEMU's user mode, for "
                         "example with `apt-get install qemu-user` or `dnf install qemu-user`",
                         argument);
    const char *probe = memory_format("%s/assay-probe", kit.folder);
    const char *variable = memory_format("ASSAY_EMULATOR=%s", emulator);
    const char *const x86[] = {"env", variable, emulator, "-cpu", "max", probe, "serve", NULL};
    const char *const other[] = {"env", variable, emulator, probe, "serve", NULL};
    return child_start(link, strcmp(argument, "x86_64") == 0 ? x86 : other, failure);
}

const struct via via_qemu = {
    .scheme = "qemu",
    .summary = "qemu:ISA the kit of another ISA in QEMU's user mode: executes, cannot measure",
    .open = qemu_open,
};

/* --- lab:ISA[,key=value…] --- */

#define BOOT_MS 60000 /* from power to hello: two seconds, or many where the host is busy */
#define SILENCE_MS                                                                                 \
    120000             /* a second of the machine is a billion instructions: five of ours, or many \
                          where code is new to the emulator or the host is busy */
#define ENDING_MS 2000 /* for an emulator whose output has ended */

#define HELLO WIRE_SENTINEL " 0 hello "

static int explain(struct via_link *link, enum child_news news, struct failure *failure)
{
    char how[64];
    char words[500];
    if (news == CHILD_STOPPED) {
        via_close(link, 0);
        return fail_with(failure, -EINTR, "interrupted while the machine was booting");
    }
    int ended = via_close(link, news == CHILD_ENDED ? ENDING_MS : 0);
    via_status_text(ended, how, sizeof(how));
    via_last_words(link, words, sizeof(words));
    if (news == CHILD_SILENT)
        return fail_with(failure, -ETIMEDOUT,
                         "the machine did not come up within %d s%s%s. ASSAY_VERBOSE=1 shows its "
                         "console",
                         BOOT_MS / 1000, *words ? "; its last words: " : "", words);
    return fail_with(failure, -EPIPE, "the machine ended before its probe spoke, with %s%s%s", how,
                     *words ? "; its last words: " : "", words);
}

static int lab_open(const char *argument, const struct via_patience *patience,
                    struct via_link *link, struct failure *failure)
{
    struct lab_settings settings;
    int status = lab_settings_parse(&settings, argument, failure);
    if (status < 0)
        return status;
    struct kit kit = {0};
    status = kit_find(&kit, settings.isa, failure);
    if (status < 0)
        return lacking(status, failure);
    AUTO_TEXT struct text plan = {0};
    plan_put(&plan, "run", "/kit/assay-probe");
    plan_put(&plan, "run", "serve");
    AUTO_LAB_MACHINE struct lab_machine machine = {.archive = -1};
    const struct lab_order order = {.settings = &settings,
                                    .kit_folder = kit.folder,
                                    .plan = &plan,
                                    .verbose = child_verbose(),
                                    .errors = -1,
                                    .status = -1};
    status = lacking(lab_machine_prepare(&machine, &order, failure), failure);
    if (status == 0)
        status = child_start_with(link, (const char *const *)(uintptr_t)machine.argv,
                                  machine.inherited, machine.inherited_count, failure);
    if (status < 0)
        return status;
    enum child_news news = child_await(
        link, HELLO,
        &(struct via_patience){.timeout_ms =
                                   patience->timeout_ms > BOOT_MS ? patience->timeout_ms : BOOT_MS,
                               .stop = patience->stop});
    return news == CHILD_SPOKE ? 0 : explain(link, news, failure);
}

const struct via via_lab = {
    .scheme = "lab",
    .summary = "lab:aarch64[,cpu=MODEL][,kernel=NAME]... an emulated machine with exact counters",
    .patience_ms = BOOT_MS,
    .silence_ms = SILENCE_MS,
    .open = lab_open,
};
