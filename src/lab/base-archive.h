/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What every boot of a kernel needs besides the kit: drivers of the ports, the C library for
 * programs that are not static, a shell. Made once, when the kernel is installed. */
#pragma once

#include "base/failure.h"

struct base_content {
    const char *name;   /* of the kernel */
    const char *kernel; /* folders with the unpacked packages */
    const char *libc;
    const char *busybox;
};
int base_archive_make(const char *path, const struct base_content *content,
                      struct failure *failure);
