/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Chooses tunables. A glibc that was built for a later level of its ISA refuses to start where
 * features of that level are taken away, so the machine's own loader is asked first. */
#include "probe/command/tunables.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define VARIABLE "GLIBC_TUNABLES="

/* From the one that settles most to the one that every loader takes. The functions for any CPU of
 * the ISA are taken, whatever its maker prefers, and sizes are those of a common cache. A list of
 * features ends with a comma, or glibc up to 2.36 reads on behind it, through the environment and
 * whatever follows: random bytes, under Valgrind. */
static const char *const choices[] = {
#if defined(__x86_64__)
#define SIZES                                                                                      \
    "glibc.cpu.x86_data_cache_size=32768:glibc.cpu.x86_shared_cache_size=1048576"                  \
    ":glibc.cpu.x86_non_temporal_threshold=786432:glibc.cpu.x86_rep_movsb_threshold=2048"          \
    ":glibc.cpu.x86_rep_stosb_threshold=2048"
    VARIABLE
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI1,-BMI2,-ERMS,-FSRM,-FMA,-FMA4,"
    "-LZCNT,-MOVBE,-POPCNT,-RTM,-SSE4_1,-SSE4_2,-SSSE3,-Slow_BSF,-Slow_SSE4_2,-Fast_Rep_String,"
    "-Fast_Copy_Backward,-Fast_Unaligned_Load,-Fast_Unaligned_Copy,-AVX_Fast_Unaligned_Load,"
    "-Prefer_PMINUB_for_stringop,-Prefer_No_VZEROUPPER,-Prefer_ERMS,-Prefer_FSRM,:" SIZES,
    VARIABLE SIZES,
#elif defined(__aarch64__)
    VARIABLE "glibc.cpu.name=generic",
#endif
    NULL,
};

#if defined(__x86_64__)
static const char own_loader[] = "/lib64/ld-linux-x86-64.so.2";
#elif defined(__aarch64__)
static const char own_loader[] = "/lib/ld-linux-aarch64.so.1";
#else
static const char own_loader[] = "/lib/ld.so.1";
#endif

static void __attribute__((noreturn)) become(const char *loader, const char *tunables)
{
    const char *const words[] = {loader, "--version", NULL}, *const variables[] = {tunables, NULL};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(nothing, fd);
    execve(loader, (char *const *)(uintptr_t)words, (char *const *)(uintptr_t)variables);
    _exit(127);
}

static bool is_taken(const char *loader, const char *tunables)
{
    int status = 0;
    const pid_t pid = fork();
    if (pid == 0)
        become(loader, tunables);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *tunables_choose(const char *loader)
{
    size_t choice = 0;
    loader = loader ? loader : own_loader;
    if (access(loader, X_OK) < 0) /* only static programs can run */
        return choices[0];
    while (choices[choice] && !is_taken(loader, choices[choice]))
        choice++;
    return choices[choice];
}
