/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints so many MiB, on standard output and, with a second number, on standard error. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void flood(int fd, long pieces)
{
    static char piece[1 << 16];
    memset(piece, 'x', sizeof(piece));
    for (long written = 0; written < pieces * 16; written++)
        for (size_t done = 0; done < sizeof(piece);) {
            const ssize_t more = write(fd, piece + done, sizeof(piece) - done);
            if (more <= 0)
                exit(98);
            done += (size_t)more;
        }
}

int main(int count, char **words)
{
    if (count < 2)
        return 99;
    flood(STDOUT_FILENO, atol(words[1]));
    if (count > 2)
        flood(STDERR_FILENO, atol(words[2]));
    return 7;
}
