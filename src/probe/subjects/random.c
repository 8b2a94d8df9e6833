/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Draws N random numbers and works for as long as each says. */
#include "probe/subjects/bare-c.h"

#ifdef SUBJECT_PROGRAM
SUBJECT_START;

void subject_main(const uintptr_t *stack)
{
    for (uint64_t round = bare_number(stack); round; round--) {
        uint64_t drawn = 0;
        if (assay_syscall3(SYS_getrandom, (long)&drawn, sizeof(drawn), 0) != sizeof(drawn))
            bare_exit(1);
        BARE_WORK(drawn % 1024);
    }
    bare_exit(0);
}
#else
const struct subject subject_random = {
    .name = "random",
    .summary = "works for as long as N random numbers say",
    .shows = "",
    .n = 10,
    .bits = 64,
};
#endif
