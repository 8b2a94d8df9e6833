/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Says how it was started, a line each: what controls are about. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

static void tell_environment(void)
{
    size_t bytes = 0, count = 0;
    for (; environ[count]; count++) {
        bytes += strlen(environ[count]) + 1;
        printf("variable %s\n", environ[count]);
    }
    printf("variables %zu\nbytes %zu\n", count, bytes);
}

static void tell_descriptors(void)
{
    printf("descriptors");
    for (int fd = 0; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            printf(" %d", fd);
    puts("");
}

static void tell_process(void)
{
    char folder[4096] = "";
    cpu_set_t cpus;
    struct rlimit limit;
    CPU_ZERO(&cpus);
    sched_getaffinity(0, sizeof(cpus), &cpus);
    getrlimit(RLIMIT_STACK, &limit);
    printf("folder %s\n", getcwd(folder, sizeof(folder)) ? folder : "?");
    printf("cpus %d on %d\n", CPU_COUNT(&cpus), sched_getcpu());
    printf("stack %ju\n", (uintmax_t)limit.rlim_cur);
    printf("personality %#x\n", (unsigned)personality(0xffffffff));
    printf("leads %d\n", getsid(0) == getpid() && getpgrp() == getpid());
    const int terminal = open("/dev/tty", O_RDWR);
    printf("terminal %s\n", terminal < 0 ? strerror(errno) : "open");
}

/* Signals that are blocked or ignored, as the operating system tells. */
static void tell_signals(void)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof(line), status))
        if (strncmp(line, "SigBlk", 6) == 0 || strncmp(line, "SigIgn", 6) == 0)
            fputs(line, stdout);
    if (status)
        fclose(status);
}

int main(int count, char **words)
{
    tell_descriptors();
    for (int index = 0; index < count; index++)
        printf("word %s\n", words[index]);
    printf("vector %#" PRIxPTR "\n", (uintptr_t)words);
    printf("code %#" PRIxPTR "\n", (uintptr_t)main);
    printf("path %s\n", (const char *)getauxval(AT_EXECFN)); // NOLINT(performance-no-int-to-ptr)
    tell_process();
    tell_signals();
    tell_environment();
    return 0;
}
