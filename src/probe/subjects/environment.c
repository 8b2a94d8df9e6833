/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads its environment and its auxiliary vector, N times: what surrounds a program decides how
 * long it is. */
#include "probe/subjects/bare-c.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_START;

/* All bytes of the environment, then all words behind it up to the pair that begins with 0. */
static uintptr_t sum_of(const uintptr_t *stack)
{
    const uintptr_t *at = stack + 1 + stack[0] + 1;
    uintptr_t sum = 0;
    for (; *at; at++)
        for (const char *byte = (const char *)*at; *byte; byte++)
            sum = sum * 31 + (unsigned char)*byte;
    for (at++; at[0]; at += 2)
        sum += at[1];
    return sum;
}

void subject_main(const uintptr_t *stack)
{
    for (uint64_t round = bare_number(stack); round; round--) {
        uintptr_t sum = sum_of(stack);
        BARE_KEEP(sum);
        BARE_KEEP(stack);
    }
    bare_exit(0);
}
#else
const struct subject subject_environment = {
    .name = "environment",
    .summary = "reads its environment and auxiliary vector, N times",
    .shows = "M4",
    .n = 5,
    .bits = 64,
};
#endif
