/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads its standard input to the end and says how many bytes there were, and on what: "fifo 3".
 * With "forever" it waits for input in a way that never comes. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(int fd)
{
    struct stat facts;
    if (fstat(fd, &facts) < 0)
        return "closed";
    return S_ISFIFO(facts.st_mode)  ? "fifo"
           : S_ISREG(facts.st_mode) ? "file"
           : S_ISCHR(facts.st_mode) ? "device"
                                    : "other";
}

int main(int count, char **words)
{
    char buffer[4096];
    long bytes = 0;
    ssize_t got;
    int ends[2];
    if (count > 1 && strcmp(words[1], "forever") == 0 && pipe(ends) == 0)
        return read(ends[0], buffer, 1) == 1;
    while ((got = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
        bytes += got;
    printf("%s %ld\n", kind_of(STDIN_FILENO), bytes);
    return got < 0;
}
