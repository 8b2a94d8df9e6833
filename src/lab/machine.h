/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The emulated machine: from settings, a kernel, a kit and a plan to the words that start QEMU.
 * Standard input and output of that program are the machine's data ports, its standard error the
 * console. */
#pragma once

#include <stdbool.h>

#include "lab/archive.h"
#include "lab/settings.h"

#define LAB_PORTS 2 /* besides input and output */

struct lab_machine {
    char **argv;                  /* NULL-terminated */
    int archive;                  /* must stay open until the machine has started; -1 when none */
    int inherited[1 + LAB_PORTS]; /* what QEMU must get under the same numbers */
    size_t inherited_count;
};

/* What to boot: the plan must name what to run; input and output are added here. extra: write ends
 * of pipes for the ports assay.err and assay.status, -1 for none; they must stay open as long as
 * the archive. */
struct lab_order {
    const struct lab_settings *settings;
    const char *kit_folder;
    struct text *plan;
    const char *const *files;
    size_t file_count;
    bool verbose; /* the kernel tells on the console what it does */
    int errors;
    int status;
};
int lab_machine_prepare(struct lab_machine *machine, const struct lab_order *order,
                        struct failure *failure);

/* Closes the archive; the words stay. */
void lab_machine_started(struct lab_machine *machine);
void lab_machine_release(struct lab_machine *machine);
static inline void cleanup_lab_machine(struct lab_machine *machine)
{
    lab_machine_release(machine);
}
#define AUTO_LAB_MACHINE __attribute__((cleanup(cleanup_lab_machine)))
