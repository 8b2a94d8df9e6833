/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What clocks have in common: they are found by name and opened, tried, closed and described. */
#include "probe/clocks/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/ticks.h"
#include "probe/clocks/external.h"

/* ----------------------------------------------------------------------------------------------
 * Finding, opening and closing, for the driver and for watching harnesses; and the sentences about
 * it. */

const char *const clock_kind_names[CLOCK_KINDS] = {
    [CLOCK_WALL] = "wall",   [CLOCK_CPU_TIME] = "cpu-time", [CLOCK_CYCLES] = "cycles",
    [CLOCK_PLACE] = "place", [CLOCK_STOLEN] = "stolen",
};

const struct clock *clock_find(const char *name)
{
    for (size_t index = 0; clock_registry[index]; index++)
        if (strcmp(clock_registry[index]->name, name) == 0)
            return clock_registry[index];
    return NULL;
}

int clock_open(struct clock_reader *reader, const char *name, bool objects, char *claim,
               char *reason, size_t size)
{
    char unheard[CLOCK_CLAIM];
    if (!claim)
        claim = unheard;
    claim[0] = '\0';
    reason[0] = '\0';
    *reader = (struct clock_reader){.clock = clock_find(name), .descriptor = -1};
    int result = reader->clock ? reader->clock->open(reader, claim, reason, size)
                               : external_open(reader, name, objects, claim, reason, size);
    if (result < 0)
        clock_close(reader);
    return result;
}

void clock_close(struct clock_reader *reader)
{
    if (!reader->clock)
        return;
    if (reader->clock->close)
        reader->clock->close(reader);
    if (reader->descriptor >= 0)
        close(reader->descriptor);
    reader->clock = NULL;
    reader->own = NULL;
    reader->descriptor = -1;
}

bool clock_ticks_allowed(void)
{
    return !ticks_forbidden();
}

int clock_says(char *to, size_t size, int code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, size, format, arguments);
    va_end(arguments);
    return code;
}

uint64_t clock_fails(struct clock_reader *reader, int error, const char *format, ...)
{
    if (!reader->error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reader->why, sizeof(reader->why), format, arguments);
        va_end(arguments);
        reader->error = error;
    }
    return 0;
}

/* --- Trials in a child, and the sentence about a first reading that did not end well --- */

static const struct {
    int number;
    const char *name;
} deadly[] = {{SIGSEGV, "SIGSEGV"}, {SIGILL, "SIGILL"},   {SIGBUS, "SIGBUS"},
              {SIGSYS, "SIGSYS"},   {SIGTRAP, "SIGTRAP"}, {SIGFPE, "SIGFPE"},
              {SIGABRT, "SIGABRT"}, {SIGALRM, "SIGALRM"}, {SIGKILL, "SIGKILL"}};

const char *trial_signal_name(int number)
{
    for (size_t index = 0; index < sizeof(deadly) / sizeof(*deadly); index++)
        if (deadly[index].number == number)
            return deadly[index].name;
    return "a signal";
}

int trial(int (*attempt)(void *context), void *context)
{
    pid_t child = fork();
    if (child < 0)
        return errno;
    if (child == 0) {
        /* Whatever handler, mask or wish for a core file the parent has is not the child's. */
        struct rlimit nothing = {0, 0};
        sigset_t none;
        for (size_t index = 0; index < sizeof(deadly) / sizeof(*deadly); index++)
            signal(deadly[index].number, SIG_DFL);
        setrlimit(RLIMIT_CORE, &nothing);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        alarm(TRIAL_SECONDS);
        _exit(attempt(context) & 0xff);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return errno;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int read_once(void *context)
{
    struct clock_reader *reader = context;
    reader->clock->read(reader);
    return reader->error;
}

int clock_try(struct clock_reader *reader, char *reason, size_t size)
{
    int ended = trial(read_once, reader);
    if (ended == 0)
        return 0;
    if (ended > 0)
        return clock_says(reason, size, -ended, "a first reading failed: %s", strerror(ended));
    if (ended == -SIGALRM)
        return clock_says(reason, size, -ETIMEDOUT, "a first reading did not end within %u s",
                          TRIAL_SECONDS);
    const char *name = trial_signal_name(-ended);
    if (!(strcmp(reader->clock->way, "instruction") == 0 ||
          strcmp(reader->clock->way, "vdso") == 0))
        return clock_says(reason, size, -EFAULT, "a first reading ended its process by %s", name);
    if (!clock_ticks_allowed())
        return clock_says(reason, size, -EPERM,
                          "user code may not read the CPU's counter of time here (PR_SET_TSC), and "
                          "who does is ended by %s: take monotonic-syscall, for which the "
                          "operating system reads it",
                          name);
    return clock_says(reason, size, -EPERM,
                      "a first reading ended its process by %s, as a sandbox or an operating "
                      "system does that keeps the CPU's counter of time to itself: take "
                      "monotonic-syscall, for which the operating system reads it",
                      name);
}

/* --- What a watching harness says of its clocks --- */

static void describe(FILE *out, const struct clock *clock)
{
    struct clock_reader reader;
    char claim[CLOCK_CLAIM], reason[CLOCK_REASON];
    int result = clock_open(&reader, clock->name, false, claim, reason, sizeof(reason));
    if (result < 0) {
        fprintf(out, "unreadable %s %d %s\n", clock->name, -result, reason);
        return;
    }
    double resolution = clock->claimed_resolution ? clock->claimed_resolution(&reader) : 0;
    fprintf(out, "clock %s %s %s %s %llu %llu %s %s %s\t%s\n", clock->name,
            clock_kind_names[clock->kind], clock->way, clock->hardware ? clock->hardware : "-",
            (unsigned long long)reader.hz, (unsigned long long)(resolution * 1e3 + 0.5),
            clock->slow ? "slow" : "-", clock->steered ? "steered" : "-", claim, clock->note);
    clock_close(&reader);
}

void clocks_describe(FILE *out)
{
    for (size_t index = 0; clock_registry[index]; index++) {
        fflush(out); /* opening one may fork: what is said already is not to be said twice */
        describe(out, clock_registry[index]);
    }
}
