/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The loader of the static PAPI harness: there is none. PAPI asks for one to find a component that
 * counts software-defined events, which no window uses; glibc's own would drag shared objects of
 * exactly its version behind a program that is called static. */
#include <stddef.h>

/* What the linker puts in the place of dlopen (--wrap). */
void *__wrap_dlopen(const char *file, int mode);

void *__wrap_dlopen(const char *file, int mode)
{
    (void)file, (void)mode;
    return NULL;
}
