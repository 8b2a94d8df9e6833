/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * forks tree DEPTH: two children each, down to DEPTH, that all live for ever; the first ends with 0
 * when all are there. forks hop: a process that forks and ends, over and over, so that it is never
 * where one looks. forks wait COUNT: so many children one after the other, each waited for. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void grow(int depth, unsigned *there)
{
    __atomic_add_fetch(there, 1, __ATOMIC_SEQ_CST);
    for (int child = 0; child < 2 && depth > 0; child++)
        if (fork() == 0) {
            if (child)
                setsid();
            grow(depth - 1, there);
            for (;;)
                pause();
        }
}

static int tree(int depth)
{
    unsigned *there =
        mmap(NULL, sizeof(*there), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (there == MAP_FAILED)
        return 99;
    grow(depth, there);
    while (__atomic_load_n(there, __ATOMIC_SEQ_CST) < (2u << depth) - 1)
        usleep(1000);
    return 0;
}

static int hop(void)
{
    if (fork() > 0) {
        usleep(20000);
        return 0;
    }
    setsid();
    for (;;)
        if (fork() > 0)
            _exit(0);
}

static int wait_for(int children)
{
    for (int child = 0; child < children; child++) {
        const pid_t pid = fork();
        if (pid == 0)
            _exit(0);
        if (pid < 0 || waitpid(pid, NULL, 0) != pid)
            return 98;
    }
    return 0;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "tree") == 0)
        return tree(atoi(words[2]));
    if (count == 2 && strcmp(words[1], "hop") == 0)
        return hop();
    if (count == 3 && strcmp(words[1], "wait") == 0)
        return wait_for(atoi(words[2]));
    return 99;
}
