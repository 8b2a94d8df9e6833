/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Opens the session of a command, and knows which exit code each failure to do so deserves. */
#include "cli/reach.h"

#include <errno.h>

#include "cli/deliver.h"

#define HELLO_PATIENCE_MS 10000

static int exit_code_of(int error)
{
    switch (error) {
    case -EINTR:
        return EXIT_INTERRUPTED;
    case -EINVAL: /* --via names no transport */
        return EXIT_USAGE;
    case -ENODEV: /* the transport is known, and nothing is there */
        return EXIT_LACKING;
    default:
        return EXIT_FAILED;
    }
}

int reach_machine(const char *command, const struct common_options *common,
                  struct session **session, const struct catalogue **catalogue)
{
    struct failure failure = {0};
    int error = session_open(session, common->via, HELLO_PATIENCE_MS, &interrupted, &failure);
    if (error < 0)
        return deliver_failure(command, &failure, exit_code_of(error));
    if (catalogue)
        *catalogue = session_catalogue(*session);
    return EXIT_DONE;
}
