/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * SQLite could load extensions, and asks libc for it. A static assay has no loader and wants none:
 * the linker puts this in place of dlopen (--wrap), and has nothing to warn of. It must not be told
 * to keep its warnings to itself, because then it is silent about what is missing as well. */
#include <stddef.h>

void *__wrap_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}
