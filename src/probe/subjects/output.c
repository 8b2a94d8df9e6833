/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes N pages to its standard output, one call each, as a program with a buffer of the usual
 * size does: what it costs a program that its output is relayed. */
#include "probe/subjects/subject.h"

#ifdef SUBJECT_PROGRAM
#include <unistd.h>

#include "probe/subjects/hosted.h"

int main(int count, char **arguments)
{
    static const char page[SUBJECT_OUTPUT_BYTES] = "";
    const uint64_t n = hosted_number(count, arguments);
    for (uint64_t left = n * sizeof(page); left;) {
        const uint64_t at = left % sizeof(page);
        const ssize_t written = write(STDOUT_FILENO, page, at ? at : sizeof(page));
        if (written <= 0)
            return 1;
        left -= (uint64_t)written;
    }
    return 0;
}
#else
const struct subject subject_output = {
    .name = "output",
    .summary = "writes N pages of 4096 bytes to its standard output",
    .shows = "",
    .n = 16,
    .bits = 64,
    .libc = true,
};
#endif
