/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Looks for programs as a shell does. */
#include "probe/sources/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "lib/ticks.h"

#define SAID_MAX (1u << 20)
#define SAY_MS   10000

char *program_find(const char *name)
{
    const char *path = getenv("PATH");
    for (const char *start = path ? path : "/usr/bin:/bin"; *start;) {
        size_t length = strcspn(start, ":");
        AUTO_TEXT struct text candidate = {0};
        text_append(&candidate, start, length);
        text_printf(&candidate, "/%s", name);
        if (length && !candidate.failed && access(text_string(&candidate), X_OK) == 0)
            return text_take(&candidate);
        start += length + (start[length] == ':');
    }
    return NULL;
}

int program_machine(const char *path)
{
    Elf64_Ehdr header;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, &header, sizeof(header)) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        return -1;
    return header.e_machine;
}

/* The transport qemu: says which emulator it took, so that the same runs everything below. */
static const char *given_emulator(void)
{
    const char *given = getenv("ASSAY_EMULATOR");
    return given && *given ? given : NULL;
}

bool program_emulated(void)
{
    return given_emulator() != NULL;
}

char *program_emulator(void)
{
    const char *given = given_emulator();
    return given ? strdup(given) : program_find("qemu-" PROBE_ISA);
}

/* On x86 QEMU's default CPU has no AVX; elsewhere the default has everything. */
size_t program_emulator_words(const char *emulator, const char *words[EMULATOR_WORDS])
{
    size_t count = 0;
    words[count++] = emulator;
    if (strcmp(PROBE_ISA, "x86_64") == 0) {
        words[count++] = "-cpu";
        words[count++] = "max";
    }
    words[count] = NULL;
    return count;
}

size_t program_prefix(const char *words[EMULATOR_WORDS])
{
    const char *given = given_emulator();
    words[0] = NULL;
    return given ? program_emulator_words(given, words) : 0;
}

void program_keep_mounts(void)
{
    if (unshare(CLONE_NEWNS) == 0)
        (void)mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

bool programs_die(char *reason, size_t size)
{
    if (!ticks_forbidden())
        return false;
    snprintf(reason, size,
             "the programs of this machine are linked dynamically and die as they "
             "start: " TICKS_FORBIDDEN);
    return true;
}

/* In the child; never returns. The driver's signals are blocked: not the program's affair. */
static void __attribute__((noreturn)) become(const char *const *words, int output)
{
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    program_keep_mounts();
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDERR_FILENO) >= 0 &&
        dup2(output, STDOUT_FILENO) >= 0)
        execv(words[0], (char *const *)(uintptr_t)words);
    _exit(127);
}

/* Its output up to a megabyte, for a while. */
static void hear(int fd, struct text *said)
{
    char buffer[4096];
    int64_t deadline = monotonic_ms() + SAY_MS, left;
    struct pollfd end = {.fd = fd, .events = POLLIN};
    while (said->length < SAID_MAX && (left = deadline - monotonic_ms()) > 0) {
        if (poll(&end, 1, (int)left) <= 0)
            continue;
        ssize_t got = read(fd, buffer, sizeof(buffer));
        if (got <= 0)
            return;
        text_append(said, buffer, (size_t)got);
    }
}

bool program_answers(const char *const *words, const char *word)
{
    int ends[2], status;
    AUTO_TEXT struct text said = {0};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        become(words, ends[1]);
    close(ends[1]);
    if (pid > 0)
        hear(ends[0], &said);
    close(ends[0]);
    if (pid > 0)
        kill(pid, SIGKILL); /* whoever has more to say, or nothing and does not end */
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return pid > 0 && strstr(text_string(&said), word) != NULL;
}

bool program_says(const char *program, const char *argument, const char *word)
{
    const char *const words[] = {program, argument, NULL};
    return program_answers(words, word);
}
