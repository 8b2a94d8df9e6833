/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Starts as many children as its argument says, and kills each of them right after its birth. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
    for (int left = count > 1 ? atoi(words[1]) : 1; left > 0; left--) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            for (;;)
                pause();
        if (child < 0 || kill(child, SIGKILL) < 0 || waitpid(child, &status, 0) != child)
            return 1;
    }
    return 0;
}
