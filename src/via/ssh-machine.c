/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which kit a machine needs, by its own words. They become part of a path here, so nothing but an
 * ISA's name passes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "via/ssh.h"

/* Names that uname(2) gives and the build does not. */
static const char *const other_names[][2] = {
    {"amd64", "x86_64"}, {"arm64", "aarch64"}, {"ppc64le", "ppc64"}};

static const char *const narrow[] = {"i386", "i486", "i586",  "i686", "arm",    "armv",
                                     "mips", "ppc",  "sparc", "s390", "riscv32"};

/* "armv" stands for armv6l, armv7l, armv8l (a 32-bit process on a 64-bit machine) and the like. */
static bool is_narrow(const char *isa)
{
    for (size_t i = 0; i < sizeof(narrow) / sizeof(*narrow); i++)
        if (strcmp(isa, narrow[i]) == 0 ||
            (strcmp(narrow[i], "armv") == 0 && strncmp(isa, "armv", 4) == 0))
            return true;
    return false;
}

int ssh_machine(const char *said, char isa[32], const char *host, struct failure *failure)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    char system[32] = "";
    char shown[80];
    int end = 0;
    if (sscanf(said, "%31s %31s%n", system, isa, &end) != 2 || said[end] ||
        isa[strspn(isa, allowed)] != '\0') {
        printable_copy(shown, sizeof(shown), said, strlen(said));
        return fail_with(failure, -EPROTO, "%.100s does not say which machine it is, but '%s'",
                         host, shown);
    }
    if (strcmp(system, "Linux") != 0) {
        printable_copy(shown, sizeof(shown), system, strlen(system));
        return fail_with(failure, -EOPNOTSUPP, "%.100s runs %s: assay measures Linux machines only",
                         host, shown);
    }
    if (is_narrow(isa))
        return fail_with(failure, -EOPNOTSUPP,
                         "%.100s is a 32-bit machine (%s): assay's probe is made for 64-bit ones",
                         host, isa);
    for (size_t i = 0; i < sizeof(other_names) / sizeof(*other_names); i++)
        if (strcmp(isa, other_names[i][0]) == 0)
            snprintf(isa, 32, "%s", other_names[i][1]);
    return 0;
}
