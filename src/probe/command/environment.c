/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The environment that a command gets, and what in it settles the choices of glibc. */
#include "probe/command/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/list.h"

/* ----------------------------------------------------------------------------------------------
 * What glibc is told so that it does not choose its functions, and their thresholds, by the CPU
 * it finds itself on. A glibc that was built for a later level of its ISA refuses to start where
 * features of that level are taken away, so the machine's own loader is asked first. */

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

/* ----------------------------------------------------------------------------------------------
 * Controlled, an environment is the same few variables, filled up to a fixed number of variables
 * and of bytes: both decide where the stack of a program begins. So switching a control that is
 * itself made of variables moves nothing. */

#define FIXED_VARIABLES 16u /* of a controlled environment: as many, or a multiple */
#define PADDING         "ASSAY_PADDING"
#define SMALL           "ASSAY_"

static const char *const fixed[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/",
    "USER=nobody",
    "LOGNAME=nobody",
    "SHELL=/bin/sh",
    "TERM=dumb",
    "LC_ALL=C",
    "TZ=UTC0",
    NULL,
};

static const char *const seeds[] = {
    "PERL_HASH_SEED=0",
    "PERL_PERTURB_KEYS=0",
    "PYTHONHASHSEED=0",
    NULL,
};

struct environment {
    char **list; /* room for one more than count: the end */
    size_t count;
    bool failed;
};

static size_t name_length(const char *variable)
{
    return strcspn(variable, "=");
}

/* The last one of a name stands, in the place of the first. */
static void put(struct environment *environment, const char *variable)
{
    const size_t length = name_length(variable);
    char *copy = strdup(variable);
    if (!copy) {
        environment->failed = true;
        return;
    }
    for (size_t index = 0; index < environment->count; index++) {
        char **place = &environment->list[index];
        if (name_length(*place) == length && strncmp(*place, variable, length) == 0) {
            free(*place);
            *place = copy;
            return;
        }
    }
    char **added = list_add(&environment->list, &environment->count, sizeof(*environment->list));
    if (added)
        *added = copy;
    else
        free(copy);
    environment->failed = environment->failed || !added;
}

static void free_all(struct environment *environment)
{
    for (size_t index = 0; index < environment->count; index++)
        free(environment->list[index]);
    free(environment->list);
}

static void put_all(struct environment *environment, const char *const *variables)
{
    for (; *variables; variables++)
        put(environment, *variables);
}

static bool is_kept(const char *variable, const char *keep)
{
    const size_t length = name_length(variable);
    while (keep && *keep) {
        const size_t name = strcspn(keep, ",");
        if (name == length && strncmp(keep, variable, name) == 0)
            return true;
        keep += name + (keep[name] == ',');
    }
    return false;
}

static size_t bytes_of(const struct environment *environment)
{
    size_t bytes = 0;
    for (size_t index = 0; index < environment->count; index++)
        bytes += strlen(environment->list[index]) + 1;
    return bytes;
}

static size_t up_to(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* One variable of exactly so many bytes, its end with it. */
static void put_padding(struct environment *environment, const char *name, size_t bytes)
{
    AUTO_TEXT struct text variable = {0};
    text_printf(&variable, "%s=", name);
    while (variable.length + 1 < bytes)
        text_putc(&variable, 'x');
    environment->failed = environment->failed || variable.failed;
    put(environment, text_string(&variable));
}

char **environment_make(const struct cell_command *command, char *const *inherited,
                        const char *tunables)
{
    struct environment environment = {0}, off = {0};
    const bool controlled = command->controls & CONTROL_BIT(CONTROL_ENVIRONMENT);
    const size_t more = command->sweep == SWEEP_ENVIRONMENT ? (size_t)command->swept : 0;
    if (controlled)
        put_all(&environment, fixed);
    else
        put_all(&environment, (const char *const *)inherited);
    put_all(command->controls & CONTROL_BIT(CONTROL_HASH_SEEDS) ? &environment : &off, seeds);
    if (tunables)
        put(command->controls & CONTROL_BIT(CONTROL_TUNABLES) ? &environment : &off, tunables);
    if (controlled) {
        for (; *inherited; inherited++)
            if (is_kept(*inherited, command->keep))
                put(&environment, *inherited);
    }
    if (controlled) {
        /* Small ones for the number, and one for the bytes, which is `more` longer than it must be.
         * Where controls are off that are made of variables, there is as much room as if they were
         * on: none of those is as small as a small one. */
        const size_t wanted = environment.count + off.count + 1;
        const size_t variables = up_to(wanted, FIXED_VARIABLES);
        const size_t bytes =
            up_to(bytes_of(&environment) + bytes_of(&off) +
                      (variables - wanted) * sizeof(SMALL "00=") + sizeof(PADDING "="),
                  COMMAND_ENVIRONMENT_BYTES);
        const size_t small = variables - 1 - environment.count;
        for (size_t index = 0; index < small; index++) {
            char name[32];
            snprintf(name, sizeof(name), SMALL "%02zu", index);
            put_padding(&environment, name, 0);
        }
        const size_t filled = bytes_of(&environment);
        put_padding(&environment, PADDING, (bytes > filled ? bytes - filled : 0) + more);
    } else if (command->sweep == SWEEP_ENVIRONMENT)
        put_padding(&environment, PADDING, sizeof(PADDING "=") + more);
    const bool failed = environment.failed || off.failed ||
                        !list_add(&environment.list, &environment.count, sizeof(char *));
    free_all(&off);
    if (!failed)
        return environment.list;
    free_all(&environment);
    return NULL;
}
