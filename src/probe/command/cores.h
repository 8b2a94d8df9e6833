/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tools that run a program write the memory of one that crashes to a file, where it works. */
#pragma once

#include <sys/resource.h>

/* From now on, in this process and below, they do not. The hard limit as well: where there is room
 * for one byte, as programs are started, such a file has one. */
static inline void forbid_cores(void)
{
    const struct rlimit none = {0};
    setrlimit(RLIMIT_CORE, &none);
}
