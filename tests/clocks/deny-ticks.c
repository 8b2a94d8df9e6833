/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * deny-ticks CMD...: runs a command that may not read the CPU's counter of time, nor may whatever
 * it starts. Linked statically: between the prohibition and exec nothing may read a clock. Beside
 * the tests. Exits 2 for wrong use, 77 where nobody can forbid it, 127 when CMD cannot run. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    if (count < 2) {
        fputs("usage: deny-ticks CMD...\n", stderr);
        return 2;
    }
    if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) < 0) {
        fprintf(stderr, "deny-ticks: reading ticks cannot be forbidden here: %s\n",
                strerror(errno));
        return 77;
    }
    execvp(arguments[1], arguments + 1);
    fprintf(stderr, "deny-ticks: %s: %s\n", arguments[1], strerror(errno));
    return 127;
}
