/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks the operating system for a latency of 0 µs. */
#include "probe/watch/awake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define AWAKE_FILE "/dev/cpu_dma_latency"

static int refuse(int error, struct failure *failure)
{
    return fail_with(failure, -error, "CPUs cannot be kept from idle states: %s: %s%s", AWAKE_FILE,
                     strerror(error),
                     error == EACCES || error == EPERM ? ". That takes root, or the right to write "
                                                         "to this file"
                                                       : "");
}

int awake_hold(struct failure *failure)
{
    int32_t microseconds = 0;
    int fd = open(AWAKE_FILE, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse(errno, failure);
    if (write(fd, &microseconds, sizeof(microseconds)) != (ssize_t)sizeof(microseconds)) {
        int error = errno;
        close(fd);
        return refuse(error, failure);
    }
    return fd;
}
