/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Leaves a process behind that nobody waits for: a session of its own, an orphan, its descriptors
 * closed. It lives for ever, and its number stands in the file it is told. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void stay(const char *file)
{
    FILE *told = fopen(file, "w");
    if (!told)
        _exit(1);
    fprintf(told, "%d\n", getpid());
    fclose(told);
    for (int fd = 0; fd < 16; fd++)
        close(fd);
    for (;;)
        pause();
}

int main(int count, char **words)
{
    if (count != 2)
        return 99;
    const pid_t first = fork();
    if (first == 0) {
        setsid();
        if (fork() == 0) {
            setpgid(0, 0);
            stay(words[1]);
        }
        _exit(0);
    }
    waitpid(first, NULL, 0);
    struct stat facts;
    while (stat(words[1], &facts) != 0 || facts.st_size == 0)
        usleep(1000);
    return 0;
}
