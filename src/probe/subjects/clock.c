/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks for the time N times, as programs do (by the C library, without a system call where that is
 * possible), and works for as long as its last digits say. */
#include "probe/subjects/subject.h"

#ifdef SUBJECT_PROGRAM
#include <time.h>

#include "probe/subjects/hosted.h"

int main(int count, char **arguments)
{
    const uint64_t n = hosted_number(count, arguments);
    for (uint64_t round = 0; round < n; round++) {
        struct timespec now = {0};
        if (clock_gettime(CLOCK_REALTIME, &now) < 0)
            return 1;
        for (volatile long work = now.tv_nsec / 10 % 1000; work > 0; work = work - 1)
            ;
    }
    return 0;
}
#else
const struct subject subject_clock = {
    .name = "clock",
    .summary = "works for as long as the last digits of the time say, N times",
    .shows = "",
    .n = 10,
    .bits = 64,
    .libc = true,
};
#endif
