/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A shared object with clocks, good and bad: what a person may bring along. */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t steady(void);
uint64_t deadly(void);
uint64_t endless(void);

uint64_t steady(void)
{
    static uint64_t ticks;
    return ticks += 10;
}

uint64_t deadly(void)
{
    abort();
}

uint64_t endless(void)
{
    for (;;)
        pause();
}

#ifdef DEADLY_TO_LOAD
__attribute__((constructor)) static void die(void)
{
    __builtin_trap();
}
#endif
