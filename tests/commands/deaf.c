/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Never ends, and does not listen to who asks it to. With "stopped" it also stops itself; with
 * "group" it leaves its group and session for another. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    static const int deaf_to[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM};
    for (size_t index = 0; index < sizeof(deaf_to) / sizeof(*deaf_to); index++)
        signal(deaf_to[index], SIG_IGN);
    if (count > 1 && strcmp(words[1], "group") == 0) {
        if (fork() > 0)
            _exit(0);
        setsid();
    }
    puts("deaf");
    fflush(stdout);
    if (count > 1 && strcmp(words[1], "stopped") == 0)
        raise(SIGSTOP);
    for (;;)
        pause();
}
