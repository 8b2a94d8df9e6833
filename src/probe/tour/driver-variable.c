/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the environment with which the driver was started from /proc. */
#include "probe/tour/driver-variable.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

#define ENVIRONMENT_MAX (1u << 20) /* bytes looked at */

static void read_environment(struct text *all)
{
    char path[64], buffer[4096];
    snprintf(path, sizeof(path), "/proc/%d/environ", (int)getppid());
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got;
    while (fd >= 0 && all->length < ENVIRONMENT_MAX && (got = read(fd, buffer, sizeof(buffer))) > 0)
        text_append(all, buffer, (size_t)got);
}

void adopt_driver_variable(const char *name)
{
    AUTO_TEXT struct text all = {0};
    size_t length = strlen(name);
    read_environment(&all);
    if (!all.bytes || all.failed)
        return;
    for (const char *entry = all.bytes; entry < all.bytes + all.length; entry += strlen(entry) + 1)
        if (strncmp(entry, name, length) == 0 && entry[length] == '=') {
            setenv(name, entry + length + 1, 1);
            return;
        }
}
