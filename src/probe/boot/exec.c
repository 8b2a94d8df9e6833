/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Becoming the command, and why that failed. execvp would give a program of another ISA to the
 * shell, which reads it as a script. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/boot/boot.h"

void boot_exec(char *const *words)
{
    const char *path = getenv("PATH");
    int error = ENOENT;
    if (strchr(words[0], '/')) {
        execv(words[0], words);
        return;
    }
    for (const char *start = path ? path : "/bin"; *start;) {
        char candidate[PATH_MAX];
        int length = (int)strcspn(start, ":");
        if (snprintf(candidate, sizeof(candidate), "%.*s/%s", length, start, words[0]) <
            (int)sizeof(candidate))
            execv(candidate, words);
        if (errno != ENOENT && errno != ENOTDIR)
            error = errno;
        start += length + (start[length] == ':');
    }
    errno = error;
}

static const char *machine_name(unsigned machine)
{
    static const struct {
        unsigned machine;
        const char *name;
    } names[] = {{EM_X86_64, "x86-64"},  {EM_AARCH64, "aarch64"}, {EM_RISCV, "riscv"},
                 {EM_386, "32-bit x86"}, {EM_ARM, "32-bit arm"},  {EM_PPC64, "ppc64"},
                 {EM_S390, "s390"}};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (names[i].machine == machine)
            return names[i].name;
    return "another ISA";
}

/* The command as it is found from its own folder; those in PATH are the lab's own. */
static int open_command(const struct boot_plan *plan)
{
    AUTO_CLOSE int folder =
        open(plan->folder ? plan->folder : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    return openat(folder, plan->words[0], O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

int boot_exec_explain(const struct boot_plan *plan, int error, struct failure *failure)
{
    const char *command = plan->words[0];
    AUTO_CLOSE int fd = open_command(plan);
    Elf64_Ehdr header = {0};
    ssize_t got = fd < 0 ? -1 : read(fd, &header, sizeof(header));
    bool elf = got >= (ssize_t)offsetof(Elf64_Ehdr, e_version) &&
               memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
    struct utsname here = {0};
    uname(&here);
    if (error == ENOEXEC && elf && strcmp(machine_name(header.e_machine), here.machine) != 0)
        return fail_with(failure, -ENOEXEC, "%s is for %s, this machine is %s", command,
                         machine_name(header.e_machine), here.machine);
    if (error == ENOEXEC)
        return fail_with(failure, -ENOEXEC,
                         "cannot run '%s': it is no program for %s, nor a script that begins with "
                         "#!",
                         command, here.machine);
    if (error == ENOENT && fd >= 0 && strchr(command, '/'))
        return fail_with(failure, -ENOEXEC,
                         "cannot run '%s': the interpreter or loader it asks for is not in this "
                         "machine",
                         command);
    return fail_with(failure, -error, "cannot run '%s': %s", command, strerror(error));
}
