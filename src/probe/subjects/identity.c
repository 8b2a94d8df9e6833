/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks N times who it is, and works for as long as the last digits of its process id say. */
#include "probe/subjects/bare-c.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_START;

void subject_main(const uintptr_t *stack)
{
    for (uint64_t round = bare_number(stack); round; round--)
        BARE_WORK((uint64_t)assay_syscall0(SYS_getpid) % 1000);
    bare_exit(0);
}
#else
const struct subject subject_identity = {
    .name = "identity",
    .summary = "works for as long as the last digits of its process id say, N times",
    .shows = "",
    .n = 10,
    .bits = 64,
};
#endif
