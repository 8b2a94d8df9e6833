/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The errnos that reading a machine can give, by name. */
#include "machine/errno-name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED(error)                                                                               \
    {                                                                                              \
        error, #error                                                                              \
    }
static const struct {
    int error;
    const char *name;
} names[] = {
    NAMED(EPERM),        NAMED(ENOENT),       NAMED(ESRCH),     NAMED(EINTR),  NAMED(EIO),
    NAMED(ENXIO),        NAMED(E2BIG),        NAMED(EBADF),     NAMED(ECHILD), NAMED(EAGAIN),
    NAMED(ENOMEM),       NAMED(EACCES),       NAMED(EFAULT),    NAMED(EBUSY),  NAMED(EEXIST),
    NAMED(ENODEV),       NAMED(ENOTDIR),      NAMED(EISDIR),    NAMED(EINVAL), NAMED(ENFILE),
    NAMED(EMFILE),       NAMED(EFBIG),        NAMED(ENOSPC),    NAMED(EROFS),  NAMED(EPIPE),
    NAMED(ERANGE),       NAMED(ENAMETOOLONG), NAMED(ENOSYS),    NAMED(ELOOP),  NAMED(ENODATA),
    NAMED(EOVERFLOW),    NAMED(EOPNOTSUPP),   NAMED(ETIMEDOUT), NAMED(ESTALE), NAMED(ECANCELED),
    NAMED(EKEYREJECTED),
};

const char *errno_name(int error, char *text, size_t size)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i].error == error) {
            snprintf(text, size, "%s", names[i].name);
            return text;
        }
    }
    snprintf(text, size, "E%d", error);
    return text;
}

int errno_from_name(const char *name)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].error;
    if (name[0] != 'E' || strspn(name + 1, "0123456789") != strlen(name + 1))
        return 0;
    long number = strtol(name + 1, NULL, 10);
    return number > 0 && number < 4096 ? (int)number : 0;
}
