/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a traced program's system calls are called, and which of them change how it is followed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe/command/calls-table.h"
#include "probe/command/calls.h"

void call_name(const struct stepped_call *made, char *name, size_t size)
{
    const char *const *names = made->narrow ? call_names_narrow : call_names_native;
    const char *found =
        made->number >= 0 && made->number < CALL_NUMBERS - 1 ? names[made->number] : NULL;
    if (found)
        snprintf(name, size, "%s", found);
    else
        snprintf(name, size, "%scall-%" PRId64, made->narrow ? "32-bit-" : "", made->number);
}

enum call_role call_role(const char *name)
{
    static const struct {
        const char *name;
        enum call_role role;
    } roles[] = {
        {"mmap", CALL_MAPS},
        {"mmap2", CALL_MAPS},
        {"mprotect", CALL_MAPS},
        {"pkey_mprotect", CALL_MAPS},
        {"munmap", CALL_UNMAPS},
        {"mremap", CALL_MOVES},
        {"shmat", CALL_MOVES},
        {"shmdt", CALL_MOVES},
        {"ipc", CALL_MOVES},
        {"remap_file_pages", CALL_MOVES},
        {"process_vm_writev", CALL_MOVES},
        {"fork", CALL_FORKS},
        {"vfork", CALL_VFORKS},
        {"clone", CALL_CLONES},
        {"clone3", CALL_CLONES_BY},
        {"sched_getaffinity", CALL_ASKS_CPUS},
        {"sched_setaffinity", CALL_CHOOSES_CPUS},
    };
    for (size_t index = 0; index < sizeof(roles) / sizeof(*roles); index++)
        if (strcmp(roles[index].name, name) == 0)
            return roles[index].role;
    return CALL_OTHER;
}
