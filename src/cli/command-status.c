/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From how a command ended to what assay ends with. */
#include "cli/command-status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "wire/command.h"

int command_exit(uint64_t status)
{
    if (status >= STATUS_TIMEOUT)
        return EXIT_TIMED_OUT;
    if (status >= STATUS_SIGNAL)
        return EXIT_BY_SIGNAL + (int)(status - STATUS_SIGNAL);
    return (int)status;
}

int command_exit_of_error(int error)
{
    switch (error < 0 ? -error : error) {
    case ENOENT:
        return EXIT_NOT_FOUND;
    case EACCES:
    case ENOEXEC:
    case EISDIR:
        return EXIT_NOT_RUN;
    default:
        return EXIT_OURS;
    }
}

static void name_signal(uint64_t number, char *name, size_t size)
{
    const char *known = sigabbrev_np((int)number);
    if (known)
        snprintf(name, size, "SIG%s", known);
    else
        snprintf(name, size, "signal %d", (int)number);
}

void command_ending(uint64_t status, uint64_t timeout_ms, char *words, size_t size)
{
    char name[32];
    if (status >= STATUS_TIMEOUT) {
        name_signal(status - STATUS_TIMEOUT, name, sizeof(name));
        snprintf(words, size, "did not end within %g s, and was killed by %s",
                 (double)timeout_ms / 1e3, name);
    } else if (status >= STATUS_SIGNAL) {
        name_signal(status - STATUS_SIGNAL, name, sizeof(name));
        snprintf(words, size, "was killed by %s", name);
    } else {
        snprintf(words, size, "ended with status %d", (int)status);
    }
}
