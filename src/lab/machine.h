/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The emulated machine: from settings, a kernel, a kit and a plan to the words that start QEMU.
 * Standard input and output of that program are the machine's data ports, its standard error the
 * console.
 *
 * The folder fetches kernels and starts machines with them:
 *   machine.h, machine.c      the archives that a machine boots from, what it does when it boots,
 * and QEMU's words settings.h, settings.c    what can be chosen about a machine, and the emulator
 * with its CPUs install.h, install.c      Debian's packages, by apt with a state of its own, and
 * the kernels that they bring into the lab place.h, place.c          the folder of the lab, and the
 * kernels in it tool.h, tool.c            runs a program of this machine and takes what it says */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "lab/settings.h"

/* Archives in the form the Linux kernel unpacks at boot: how they are written, what every boot of a
 * kernel needs, and what one machine boots from. */

/* ----------------------------------------------------------------------------------------------
 * Writes cpio archives (newc). Several of them may stand one behind the other. Errors are kept and
 * told by cpio_end. */

struct cpio {
    int fd; /* positioned where the archive is to begin, at a multiple of 4 */
    uint32_t inode;
    int error; /* negative errno of the first failure */
    char about[200];
};

/* Names are paths without the leading slash; a folder comes before what lies in it. */
void cpio_folder(struct cpio *archive, const char *name, unsigned mode);
void cpio_bytes(struct cpio *archive, const char *name, unsigned mode, const void *bytes,
                size_t length);
void cpio_link(struct cpio *archive, const char *name, const char *target);
void cpio_device(struct cpio *archive, const char *name, unsigned mode, unsigned major,
                 unsigned minor);
/* The content of a file here; mode 0: as the file's. */
void cpio_file(struct cpio *archive, const char *name, unsigned mode, const char *path);

/* Finishes the archive, padded so that another may follow. */
int cpio_end(struct cpio *archive, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * What every boot of a kernel needs besides the kit: drivers of the ports, the C library for
 * programs that are not static, a shell. Made once, when the kernel is installed. */

struct base_content {
    const char *name;   /* of the kernel */
    const char *kernel; /* folders with the unpacked packages */
    const char *libc;
    const char *busybox;
};
int base_archive_make(const char *path, const struct base_content *content,
                      struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The archive a machine boots from: the kernel's base, the kit, the plan, and the user's files. It
 * lies in memory only, so that nothing is left behind however the controller ends. */

struct boot_content {
    const char *kernel_folder;
    const char *kit_folder;
    const struct text *plan;
    const char *const *files; /* put into /work under their last names, with their modes */
    size_t file_count;
    unsigned memory_mb; /* of the machine: it must hold the archive and what is unpacked */
};

/* Returns a descriptor of the archive, or negative errno. */
int boot_archive_make(const struct boot_content *content, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * What the first process of the emulated machine is to do: the file /lab/plan in its archive, read
 * by src/probe/driver/boot.c. Entries `key=value`, each ended by a zero byte, so that any argument
 * can be carried. sysctl=kernel/perf_user_access=1   env=NAME=VALUE   user=65534   folder=/work
 *   in=PORT out=PORT err=PORT status=PORT   terminal=ROWSxCOLUMNS   run=WORD (once per word) */

#define LAB_PORT_IN     "assay.in"
#define LAB_PORT_OUT    "assay.out"
#define LAB_PORT_ERR    "assay.err"
#define LAB_PORT_STATUS "assay.status"

void plan_put(struct text *plan, const char *key, const char *value);

/* The part that follows from the settings. */
void plan_settings(struct text *plan, const struct lab_settings *settings);

/* --- The machine --- */

#define LAB_PORTS 2 /* besides input and output */

struct lab_machine {
    char **argv;                  /* NULL-terminated */
    int archive;                  /* must stay open until the machine has started; -1 when none */
    int inherited[1 + LAB_PORTS]; /* what QEMU must get under the same numbers */
    size_t inherited_count;
};

/* What to boot: the plan must name what to run; input and output are added here. errors, status:
 * write ends of pipes for the ports assay.err and assay.status, -1 for none; they must stay open as
 * long as the archive. */
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

void lab_machine_release(struct lab_machine *machine);
static inline void cleanup_lab_machine(struct lab_machine *machine)
{
    lab_machine_release(machine);
}
#define AUTO_LAB_MACHINE __attribute__((cleanup(cleanup_lab_machine)))
