/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks for what counting with QEMU needs, and says what is missing. */
#include "probe/sources/qemu.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "probe/sources/program.h"

/* The plugin is made for the machine QEMU runs on, which is not that of the kit where the probe is
 * itself emulated: then the kit of that machine has it, in a folder beside. */
char *qemu_find_plugin(const char *kit, const char *emulator, const char *name)
{
    AUTO_TEXT struct text path = {0};
    int machine = program_machine(emulator);
    text_printf(&path, "%s/%s", kit, name);
    int own = program_machine(text_string(&path));
    /* A script in front of QEMU does not say for which machine that is made: then for this one. */
    if (own >= 0 && (own == machine || (machine < 0 && !program_emulated())))
        return text_take(&path);
    text_clear(&path);
    text_printf(&path, "%s/..", kit);
    AUTO_DIR DIR *beside = opendir(text_string(&path));
    for (struct dirent *entry; beside && (entry = readdir(beside));) {
        text_clear(&path);
        text_printf(&path, "%s/../%s/%s", kit, entry->d_name, name);
        if (machine >= 0 && entry->d_name[0] != '.' &&
            program_machine(text_string(&path)) == machine)
            return text_take(&path);
    }
    return NULL;
}

int qemu_check(const char *kit, const char *emulator, const char *plugin, char *reason, size_t size)
{
    if (!emulator) {
        snprintf(reason, size,
                 "there is no qemu-" PROBE_ISA " on this machine: install QEMU's "
                 "user mode, for example with `apt-get install qemu-user`");
        return -ENOENT;
    }
    if (!program_says(emulator, "-h", "-plugin")) {
        if (programs_die(reason, size))
            return -EPERM;
        snprintf(reason, size,
                 "%.300s takes no plugins: install a QEMU that was built with them, not the "
                 "statically linked one",
                 emulator);
        return -ENOTSUP;
    }
    AUTO_FREE char *found = qemu_find_plugin(kit, emulator, plugin);
    if (found)
        return 0;
    snprintf(reason, size,
             "no kit here has a plugin for the machine that %.300s is made for: build assay there, "
             "or copy its kit beside this one",
             emulator);
    return -ENOENT;
}

void qemu_put_value(struct text *text, const char *value)
{
    for (; *value; value++)
        text_printf(text, *value == ',' ? ",," : "%c", *value);
}
