/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A clock behind a pipe, for `assay clocks --clock NAME=ask:answering-clock`: answers every line
 * with the nanoseconds of CLOCK_MONOTONIC_RAW. With `once` it says them and ends, as for run:; with
 * `words` it answers with what is no number. Beside the tests. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void tell(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    printf("%" PRIu64 "\n", (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    fflush(stdout);
}

int main(int count, char **arguments)
{
    const char *manner = count > 1 ? arguments[1] : "";
    char line[64];
    if (strcmp(manner, "once") == 0) {
        tell();
        return 0;
    }
    while (fgets(line, sizeof(line), stdin)) {
        if (strcmp(manner, "words") == 0) {
            puts("half past three");
            fflush(stdout);
        } else {
            tell();
        }
    }
    return 0;
}
