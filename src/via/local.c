/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The transport that travels nowhere: the probe runs on the controller's own machine. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "engine/via-parts.h"

/* A kit of another ISA needs an emulator, unless the operating system knows one by itself. */
static int explain_foreign(const struct kit *kit, struct failure *failure)
{
    char isa[32] = "another ISA";
    bool known = kit_made_for(kit->folder, isa);
    return fail_with(failure, -ENOEXEC,
                     "the kit in %s is made for %s, which this machine cannot run: unset "
                     "ASSAY_KIT%s%s",
                     kit->folder, isa, known ? ", or go through an emulator: --via exec:qemu-" : "",
                     known ? isa : "");
}

static int local_open(const char *argument, const struct via_patience *patience,
                      struct via_link *link, struct failure *failure)
{
    (void)patience; /* nothing to connect: the session waits for hello */
    if (*argument)
        return fail_with(failure, -EINVAL, "'local' takes nothing behind it, but got '%s'",
                         argument);
    AUTO_KIT struct kit kit = {0};
    int status = kit_find(&kit, NULL, failure);
    if (status < 0)
        return status;
    AUTO_FREE char *probe = NULL;
    if (asprintf(&probe, "%s/assay-probe", kit.folder) < 0)
        return fail_with(failure, -ENOMEM, "no memory to start the probe");
    /* Commands write to our own standard output and error: the probe gets both, under other
     * numbers, and says nothing on them itself. */
    AUTO_CLOSE const int output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    AUTO_CLOSE const int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int lent[] = {output, errors};
    const bool lends = output >= 0 && errors >= 0;
    char numbers[2][16];
    for (size_t i = 0; i < 2; i++)
        snprintf(numbers[i], sizeof(numbers[i]), "%d", lent[i]);
    const char *const argv[] = {probe, "serve", lends ? numbers[0] : NULL, numbers[1], NULL};
    status = child_start_here(link, argv, lent, lends ? 2 : 0, failure);
    return status == -ENOEXEC ? explain_foreign(&kit, failure) : status;
}

extern const struct via via_local;
const struct via via_local = {
    .scheme = "local",
    .summary = "this machine (the default)",
    .open = local_open,
};
