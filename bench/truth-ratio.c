/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What counting adds to emulating: `assay truth` by qemu, from its start to its report, against
 * QEMU's user mode alone, on a program of 1e9 instructions. In turns, each after itself as often as
 * after the other; CPU time of all processes, so that others on the machine do not matter, and
 * elapsed time beside it. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/monotonic.h"

#define ROUNDS 5
#define SPIN   (KIT "/subject-spin")
#define COUNT  "333333333" /* of a loop of three instructions */

struct cost {
    double seconds, elapsed;
};

static double seconds_of(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static struct cost run(const char *const *words)
{
    struct rusage usage;
    int status = 0;
    uint64_t begun = monotonic_ns();
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    while (pid > 0 && wait4(pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "truth-ratio: %s did not do it\n", words[0]);
        exit(1);
    }
    return (struct cost){seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime),
                         (double)(monotonic_ns() - begun) / 1e9};
}

static int by_seconds(const void *one, const void *other)
{
    const struct cost *left = one, *right = other;
    return (left->seconds > right->seconds) - (left->seconds < right->seconds);
}

static bool is_there(const char *program)
{
    char command[64];
    snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", program);
    return system(command) == 0; // NOLINT(cert-env33-c): a constant
}

static struct cost run_truth(const char *store)
{
    const char *const words[] = {ASSAY,     "truth", "--source",  "qemu", "--quiet",
                                 "--store", store,   "--timeout", "10m",  "--",
                                 SPIN,      COUNT,   NULL};
    struct cost cost = run(words);
    unlink(store);
    return cost;
}

int main(void)
{
    static const char *const plain[] = {"qemu-" ISA, SPIN, COUNT, NULL};
    char folder[] = "/tmp/truth-ratio.XXXXXX", store[64];
    struct cost plains[ROUNDS], counteds[ROUNDS];
    double low = 0, high = 0; /* of the rounds */
    if (!is_there(plain[0])) {
        puts("truth-ratio: left out, there is no qemu-" ISA);
        return 0;
    }
    if (!mkdtemp(folder))
        return 1;
    snprintf(store, sizeof(store), "%s/store", folder);
    for (size_t round = 0; round < ROUNDS; round++) {
        if (round % 2)
            counteds[round] = run_truth(store);
        plains[round] = run(plain);
        if (round % 2 == 0)
            counteds[round] = run_truth(store);
        double ratio = counteds[round].seconds / plains[round].seconds;
        low = round == 0 || ratio < low ? ratio : low;
        high = round == 0 || ratio > high ? ratio : high;
    }
    rmdir(folder);
    qsort(plains, ROUNDS, sizeof(*plains), by_seconds);
    qsort(counteds, ROUNDS, sizeof(*counteds), by_seconds);
    const struct cost *one = &plains[ROUNDS / 2], *other = &counteds[ROUNDS / 2];
    printf("truth-ratio: %.2f (%.2f to %.2f in %d rounds): 1e9 instructions in %.2f s of CPU by "
           "assay truth, in %.2f s by QEMU alone; elapsed %.2f s and %.2f s\n",
           other->seconds / one->seconds, low, high, ROUNDS, other->seconds, one->seconds,
           other->elapsed, one->elapsed);
    return 0;
}
