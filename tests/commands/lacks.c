/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that takes another path where a system call is not there, or a limit is not kept:
 *
 *     command-lacks clone3 | io_uring_setup | limit
 *
 * Its status tells the path: 0 as on a plain system, 9 without clone3, 28 without io_uring, 29
 * where that is refused otherwise, 7 where its memory is not limited. */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLONE3         435 /* on every ISA */
#define IO_URING_SETUP 425

static int make_child(void)
{
    uint64_t arguments[8] = {[4] = SIGCHLD};
    const long child = syscall(CLONE3, arguments, sizeof(arguments));
    if (child == 0)
        _exit(0);
    if (child < 0)
        return errno == ENOSYS ? 9 : 10;
    return waitpid((pid_t)child, NULL, 0) == child ? 0 : 11;
}

static int make_ring(void)
{
    char parameters[120] = {0};
    return syscall(IO_URING_SETUP, 4, parameters) >= 0 ? 0 : errno == ENOSYS ? 28 : 29;
}

static int be_limited(void)
{
    const struct rlimit few = {64u << 20, 64u << 20};
    if (setrlimit(RLIMIT_AS, &few) < 0)
        return 8;
    return mmap(NULL, 256u << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 0
                                                                                               : 7;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    return strcmp(what, "clone3") == 0           ? make_child()
           : strcmp(what, "io_uring_setup") == 0 ? make_ring()
           : strcmp(what, "limit") == 0          ? be_limited()
                                                 : 2;
}
