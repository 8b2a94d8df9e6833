/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Asks LIKWID in a process of its own, for a limited time, and reads from what it prints why it
 * cannot. Names of events differ from CPU to CPU: those in the table are tried in turn. */
#include "probe/tour/instruments.h"

#include <errno.h>
#include <fcntl.h>
#include <likwid.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "base/text.h"
#include "syscall.h"

#define TRIAL_MS   3000
#define TRIAL_SAID 65536 /* bytes of its words that are kept */
#define FOUND      16 /* exit status of a child that counted the first name; then one more each */

/* What LIKWID calls an event, on Intel, AMD and ARM. */
static const struct candidate {
    uint64_t config; /* of PERF_TYPE_HARDWARE */
    const char *name;
} candidates[] = {
    {PERF_COUNT_HW_INSTRUCTIONS, "INSTR_RETIRED_ANY:FIXC0"},
    {PERF_COUNT_HW_INSTRUCTIONS, "RETIRED_INSTRUCTIONS:PMC0"},
    {PERF_COUNT_HW_INSTRUCTIONS, "INST_RETIRED:PMC0"},
    {PERF_COUNT_HW_CPU_CYCLES, "CPU_CLK_UNHALTED_CORE:FIXC1"},
    {PERF_COUNT_HW_CPU_CYCLES, "CPU_CLOCKS_UNHALTED:PMC0"},
    {PERF_COUNT_HW_CPU_CYCLES, "CPU_CYCLES:PMC0"},
};
#define CANDIDATES (sizeof(candidates) / sizeof(*candidates))

/* By itself, or through LIKWID's daemon. */
static const struct {
    int mode;
    const char *name;
} modes[] = {{ACCESSMODE_DIRECT, "0"}, {ACCESSMODE_DAEMON, "1"}};
#define MODES (sizeof(modes) / sizeof(*modes))

static bool means(const struct candidate *candidate, const struct job_event *event)
{
    return !event ||
           (event->attr.type == PERF_TYPE_HARDWARE && event->attr.config == candidate->config);
}

/* A trial takes a second, for which LIKWID measures the CPU's clock, and every session asks. What
 * LIKWID cannot do without is seen at once: the devices of the module msr, unless it was built to
 * count by way of perf_event, and that has counters. */
static int look_for_access(int cpu, char *reason, size_t size)
{
    char path[64];
    snprintf(path, sizeof(path), "/dev/cpu/%d/msr", cpu);
    if (access(path, F_OK) == 0)
        return 0;
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof(attr),
                                   .config = PERF_COUNT_HW_INSTRUCTIONS,
                                   .exclude_kernel = 1};
    long fd = assay_syscall5(SYS_perf_event_open, (long)&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0)
        assay_syscall1(SYS_close, fd);
    bool counters = fd >= 0;
    if (counters && init_configuration() == 0 && get_configuration()->daemonMode == ACCESSMODE_PERF)
        return 0;
    snprintf(
        reason, size,
        "LIKWID cannot count here: it reaches the counters by way of /dev/cpu/*/msr, and there "
        "is none%s",
        counters ? " (modprobe msr)" : "; nor has the operating system any");
    return -ENODEV;
}

/* In the child: counts for a moment. Its status says with which name. */
static int count(const struct job_event *event, int mode, int cpu)
{
    if (topology_init() != 0)
        return 1;
    HPMmode(mode);
    if (perfmon_init(1, &cpu) != 0)
        return 1;
    for (size_t index = 0; index < CANDIDATES; index++) {
        if (!means(&candidates[index], event))
            continue;
        int group = perfmon_addEventSet(candidates[index].name);
        if (group >= 0 && perfmon_setupCounters(group) == 0 && perfmon_startCounters() == 0 &&
            perfmon_stopCounters() == 0 && perfmon_getResult(group, 0, 0) > 0)
            return FOUND + (int)index;
    }
    return 1;
}

static void __attribute__((noreturn))
become(const struct job_event *event, int mode, int cpu, int output)
{
    setpgid(0, 0); /* what the library starts ends with it */
    assay_syscall5(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0)
        _exit(count(event, mode, cpu));
    _exit(1);
}

/* What it says until it ends, or its time is over: then false. */
static bool hear(pid_t child, int fd, struct text *said, int *status)
{
    char buffer[4096];
    int64_t deadline = monotonic_ms() + TRIAL_MS;
    struct pollfd end = {.fd = fd, .events = POLLIN};
    for (;;) {
        bool ended = waitpid(child, status, WNOHANG) == child;
        long got;
        while ((got = assay_syscall3(SYS_read, fd, (long)buffer, sizeof(buffer))) > 0)
            if (said->length < TRIAL_SAID)
                text_append(said, buffer, (size_t)got);
        if (ended)
            return true;
        if (monotonic_ms() > deadline)
            return false;
        poll(&end, 1, got == 0 ? 0 : 10);
    }
}

/* The candidate that counted, or a negative errno with the reason. */
static int try_mode(const struct job_event *event, int mode, int cpu, char *reason, size_t size)
{
    int ends[2], status = 0;
    AUTO_TEXT struct text said = {0};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return -errno;
    fflush(stdout); /* or a child that exits writes it, too */
    pid_t child = fork();
    if (child == 0)
        become(event, mode, cpu, ends[1]);
    close(ends[1]);
    bool ended = child > 0 && hear(child, ends[0], &said, &status);
    close(ends[0]);
    if (child > 0)
        kill(-child, SIGKILL); /* it, or what it left behind */
    while (child > 0 && !ended && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    int code = ended && WIFEXITED(status) ? WEXITSTATUS(status) - FOUND : -1;
    if (code >= 0 && (size_t)code < CANDIDATES)
        return code;
    if (child > 0 && !ended)
        snprintf(reason, size, "LIKWID did not say within %d s whether it can count",
                 TRIAL_MS / 1000);
    else {
        /* Its first line that is a sentence: others begin with a place in its source, in
         * brackets. */
        const char *line = text_string(&said), *chosen = line;
        for (const char *next; *line; line = *next ? next + 1 : next) {
            next = strchrnul(line, '\n');
            if (next > line && strncmp(line, "ERROR", 5) != 0) {
                chosen = line;
                break;
            }
        }
        if (strncmp(chosen, "ERROR", 5) == 0 && strchr(chosen, ']'))
            chosen = strchr(chosen, ']') + 1;
        chosen += strspn(chosen, " ");
        size_t length = strcspn(chosen, "\n");
        while (length && (chosen[length - 1] == '.' || chosen[length - 1] == ' '))
            length--;
        char words[300];
        words[printable_copy(words, sizeof(words), chosen, length)] = '\0';
        snprintf(reason, size, "LIKWID cannot count here: %s",
                 words[0] ? words
                          : "it found no event of its own that counts, and does not say why");
    }
    return -ENODEV;
}

int likwid_trial(const struct job_event *event, int cpu, struct likwid_way *way, char *reason,
                 size_t size)
{
    int result = -ENODEV;
    for (size_t index = 0; index < MODES; index++) {
        char later[512]; /* the reason of the first way is told */
        result = try_mode(event, modes[index].mode, cpu, index ? later : reason,
                          index ? sizeof(later) : size);
        if (result < 0)
            continue;
        *way = (struct likwid_way){modes[index].name, candidates[result].name};
        return 0;
    }
    return result;
}

int likwid_try(const struct job_event *event, int cpu, struct likwid_way *way, char *reason,
               size_t size)
{
    bool named = false;
    for (size_t index = 0; index < CANDIDATES; index++)
        named |= means(&candidates[index], event);
    if (!named) {
        snprintf(reason, size, "LIKWID has no name for %s: let it count instructions or cycles",
                 event->name);
        return -ENOTSUP;
    }
    int result = look_for_access(cpu, reason, size);
    return result < 0 ? result : likwid_trial(event, cpu, way, reason, size);
}
