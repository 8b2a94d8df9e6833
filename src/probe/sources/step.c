/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Source step: executes the window instruction by instruction under ptrace. On path bare it counts
 * from mark to mark: the specimen alone. On other paths it counts what their counter would: from
 * the call that opens the window to the one that closes it (stepper.h). */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "probe/sources/source.h"
#include "probe/sources/stepper.h"
#include "specimens/specimen.h"
#include "trap-flag.h"

/* --- Which descriptors of another process are perf events, as /proc says --- */

static const char perf_link[] = "anon_inode:[perf_event]";

static bool perf_descriptor_is(pid_t pid, int descriptor)
{
    char path[64], target[64];
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, descriptor);
    ssize_t length = readlink(path, target, sizeof(target));
    return length == (ssize_t)strlen(perf_link) && memcmp(target, perf_link, (size_t)length) == 0;
}

/* The lowest one: the event that was opened first. -ENOENT where there is none. */
static int perf_descriptor_first(pid_t pid)
{
    char path[64];
    int lowest = INT_MAX;
    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        char *end;
        long descriptor = strtol(entry->d_name, &end, 10);
        if (end != entry->d_name && !*end && descriptor < lowest &&
            perf_descriptor_is(pid, (int)descriptor))
            lowest = (int)descriptor;
    }
    if (folder)
        closedir(folder);
    return lowest == INT_MAX ? -ENOENT : lowest;
}

/* ----------------------------------------------------------------------------------------------
 * One window of a harness: from what opens it to what closes it. What a path does before is run
 * past where that can be done, because stepping costs and it does not count. */

/* Beyond this a path does not come to its slot, or away from it: it waits for something that
 * stepping itself prevents. */
#define PATH_STEPS_MAX 200000u
/* After so many steps behind the call that was taken for the opening one, without coming to the
 * slot, it is worth finding out which it is. */
#define OPENING_STEPS_MAX 500u

static bool is_counter_0(void *context, int descriptor)
{
    const struct stepper *stepper = context;
    return perf_descriptor_is(stepper->pid, descriptor) &&
           perf_descriptor_first(stepper->pid) == descriptor;
}

static int refuse_edges(const struct trial *trial, uint32_t run, const struct edges *edges)
{
    return source_fail(trial->visit, -ENOENT,
                       "run %u: path %s made no call and executed no instruction that %s its first "
                       "counter: where its window %s cannot be told",
                       run, trial->visit->job->path,
                       edges->opened ? "reads or stops" : "starts or reads",
                       edges->opened ? "is closed" : "opens");
}

/* Lets it run to the slot, or until it returns from the openings-th call that may open. */
static int run_to_opening(struct stepper *stepper, const struct trial *trial, uint32_t openings,
                          struct edges *edges, uint32_t *seen)
{
    const struct steps nothing = {0};
    bool called = true;
    int result = 0;
    *seen = 0;
    while (result == 0 && called && *seen < openings) {
        result = stepper_run_to_call(stepper, (uintptr_t)trial->workspace.job->slot, &called);
        if (result == 0 && called)
            *seen += edges_note(edges, STEPPED_CALL, &stepper->called, &nothing);
    }
    return result;
}

/* Where it stands, seen from the slot. */
static void place(struct edges *edges, const struct job *job, uintptr_t here)
{
    if (edges->place == EDGES_BEFORE && here == (uintptr_t)job->slot)
        edges->place = EDGES_INSIDE;
    if (edges->place == EDGES_INSIDE && here == (uintptr_t)job->filled)
        edges->place = EDGES_AFTER;
}

/* Steps until the window is closed. hasty: gives up early where the slot is far away. */
static int step_edges(struct stepper *stepper, const struct trial *trial, uint32_t run, bool hasty,
                      struct edges *edges)
{
    const struct job *job = trial->workspace.job;
    struct steps executed = {0};
    uint64_t own = 0; /* steps of the path's */
    uintptr_t here;
    enum stepped stepped;
    int result = stepper_find(stepper, &here);
    while (result == 0 && !edges->closed && here != (uintptr_t)job->closed) {
        place(edges, job, here);
        own += edges->place != EDGES_INSIDE;
        if (hasty && edges->place == EDGES_BEFORE && own > OPENING_STEPS_MAX)
            return -EAGAIN;
        if (own > PATH_STEPS_MAX) {
            return source_fail(
                trial->visit, -ELOOP,
                "run %u: path %s took %u steps and had not %s. A reader of counters in user "
                "code tries again when it was interrupted, and who is stepped always was: count "
                "the "
                "window on a path that reads by system calls",
                run, trial->visit->job->path, PATH_STEPS_MAX,
                edges->place == EDGES_BEFORE ? "come to its slot" : "closed its window");
        }
        result = stepper_step(stepper, &here, &executed, &stepped);
        if (result == 0)
            edges_note(edges, stepped, &stepper->called, &executed);
    }
    return result;
}

/* --- The source: whether it can be done here, and counting --- */

static const struct {
    const char *class;
    size_t offset;
} counted[] = {
    {"instructions", offsetof(struct steps, instructions)},
    {"instructions-raw", offsetof(struct steps, steps)},
    {"syscalls", offsetof(struct steps, system_calls)},
};

static const char *const classes[] = {"instructions", "instructions-raw", "syscalls", NULL};

/* --- can it be done here? --- */

static int read_scope(void)
{
    int scope = -1;
    AUTO_FILE FILE *file = fopen("/proc/sys/kernel/yama/ptrace_scope", "re");
    if (!file || fscanf(file, "%d", &scope) != 1)
        return -1;
    return scope;
}

static int explain(int error, bool tracing, char *reason, size_t size)
{
    int scope = read_scope();
    if (tracing && error == EPERM && scope >= 2)
        snprintf(reason, size,
                 "ptrace is refused: kernel.yama.ptrace_scope is %d; set it to 1 (`sudo sysctl "
                 "kernel.yama.ptrace_scope=1`%s)",
                 scope, scope > 2 ? " after a reboot" : "), or run as root");
    else if (tracing)
        snprintf(reason, size,
                 "ptrace is refused: %s (a seccomp filter, as in a container, or an emulator of "
                 "programs)",
                 strerror(error));
    else
        snprintf(reason, size, "the operating system cannot single-step on this ISA: %s",
                 strerror(error));
    return -error;
}

/* A child that can be traced, or tells by its exit status why not. */
static void __attribute__((noreturn)) be_traced(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
        _exit(errno);
    raise(SIGSTOP);
    _exit(0);
}

static int step_usable(const char *kit, char *reason, size_t size)
{
    (void)kit;
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        be_traced();
    if (pid < 0 || waitpid(pid, &status, 0) < 0)
        return explain(errno, true, reason, size);
    if (WIFEXITED(status))
        return explain(WEXITSTATUS(status) ? WEXITSTATUS(status) : EIO, true, reason, size);
    int error = ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) < 0 ? errno : 0;
    if (!error && (waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status)))
        error = EIO;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return error ? explain(error, false, reason, size) : 0;
}

/* --- counting --- */

/* openings: so many calls that may open the window are run past; more of them that come before the
 * slot are found. 0: not known, taken for 1 where that is near enough, else -EAGAIN. 0 or negative
 * errno; where source_fail was not called it is the stepper's. */
static int step_window(struct stepper *stepper, const struct trial *trial, uint32_t run,
                       uint32_t openings)
{
    struct steps steps = {0};
    int result = stepper_run_to(stepper, (uintptr_t)trial->workspace.job->opens);
    if (result < 0)
        return result;
    uint64_t begun = monotonic_ns();
    const struct job *job = trial->workspace.job;
    if (job->edges == JOB_EDGES_MARKS)
        result = stepper_step_to(stepper, (uintptr_t)job->closed, &steps);
    else {
        struct edges edges = {.own = is_counter_0, .context = stepper};
        uint32_t seen;
        if (job->edges == JOB_EDGES_CALLS)
            result = run_to_opening(stepper, trial, openings ? openings : 1, &edges, &seen);
        if (result == 0)
            result = step_edges(stepper, trial, run, !openings, &edges);
        if (result == 0 && (!edges.opened || !edges.closed))
            result = refuse_edges(trial, run, &edges);
        if (result == 0) {
            steps = edges_between(&edges);
            result = stepper_run_to(stepper, (uintptr_t)job->closed);
        }
    }
    if (result == 0) {
        uint64_t nanoseconds = monotonic_ns() - begun;
        for (uint32_t index = 0; index < trial->visit->job->counters; index++)
            for (size_t column = 0; column < sizeof(counted) / sizeof(*counted); column++)
                if (strcmp(source_class(trial->visit, index), counted[column].class) == 0) {
                    uint64_t value;
                    memcpy(&value, (const char *)&steps + counted[column].offset, sizeof(value));
                    source_put(trial->visit, run, index, value);
                }
        source_row_done(trial->visit, run, nanoseconds);
    }
    return result;
}

/* Up to where the harness waits before its first window. */
static int begin(const struct trial *trial, struct stepper *stepper)
{
    int result = stepper_begin(stepper, trial->pid);
    if (result == 0)
        result = stepper_run_to_stop(stepper);
    if (result == 0 && !(trial->workspace.job->opens && trial->workspace.job->closed &&
                         trial->workspace.job->slot && trial->workspace.job->filled))
        return source_fail(trial->visit, -ENOENT, "the window has no marks: the kit is not whole");
    return result;
}

/* What an error means that nobody has explained yet. */
static int explain_stepping(struct trial *trial, const struct stepper *stepper, int result)
{
    const struct source_visit *visit = trial->visit;
    if (visit->job->reason[0] || result == -EAGAIN)
        return result;
    if (result == -ENOTSUP)
        return source_fail(visit, result,
                           "the code holds an exclusive load whose store cannot be found: it "
                           "cannot be stepped");
    if (result == -ENOEXEC)
        return source_fail(visit, result,
                           "an instruction was not executed in %u steps: the hypervisor or the "
                           "CPU is at fault. Count it with another source",
                           TRAP_STUCK_MOST);
    if (result != -ECHILD)
        return source_fail(visit, result, "stepping failed: %s", strerror(-result));
    trial->pid = 0;
    result = trial_judge(trial, stepper->status);
    if (result == 0 && visit->job->runs_done < visit->job->runs)
        return source_fail(visit, -EIO, "the harness ended after %u of %u windows",
                           visit->job->runs_done, visit->job->runs);
    return result;
}

/* openings: see step_window_count, of the first window. Those that follow have one. */
static int step_all(struct trial *trial, uint32_t openings)
{
    struct stepper stepper;
    int result = begin(trial, &stepper);
    for (uint32_t run = 0; run < trial->visit->job->runs && result == 0; run++)
        result = step_window(&stepper, trial, run, run ? 1 : openings);
    if (result == 0)
        result = stepper_run_to_end(&stepper);
    return explain_stepping(trial, &stepper, result);
}

/* Another process goes to its slot without being stepped: how many calls may open its window? */
static int rehearse(struct trial *trial, uint32_t *openings)
{
    struct stepper stepper;
    int result = begin(trial, &stepper);
    if (result == 0)
        result = stepper_run_to(&stepper, (uintptr_t)trial->workspace.job->opens);
    if (result == 0) {
        /* How many such calls there are, by letting the process run to the slot. */
        struct edges edges = {.own = is_counter_0, .context = &stepper};
        int error = run_to_opening(&stepper, trial, UINT32_MAX, &edges, openings);
        result = error == 0 && !*openings ? refuse_edges(trial, 0, &edges) : error;
    }
    return result < 0 ? explain_stepping(trial, &stepper, result) : 0;
}

/* Every step needs a turn of the tracer, and of the driver that watches it. */
static int check_turns(const struct source_visit *visit)
{
    const struct specimen *specimen;
    struct specimen_parameters parameters;
    struct failure failure = {0};
    if (specimen_parse(visit->job->specimen, &specimen, &parameters, &failure) < 0 ||
        specimen_leaves_turns(specimen, sysconf(_SC_NPROCESSORS_ONLN)))
        return 0; /* a wrong name is the harness's to tell */
    return source_fail(visit, -ENOTSUP,
                       "specimen %s keeps a second task busy on its CPU, and this machine has no "
                       "other: whoever steps through it would hardly get a turn. Count it with "
                       "another source, or on a machine with two CPUs",
                       specimen->name);
}

static int start(struct trial *trial, const struct source_visit *visit)
{
    int result = trial_make(trial, visit);
    if (result < 0)
        return result;
    trial->workspace.job->hold = JOB_HOLD_STOP;
    return trial_start(trial, NULL, true);
}

/* Every attempt is a process of its own. */
static int step_count(const struct source_visit *visit)
{
    struct trial trial = {0};
    int result = check_turns(visit);
    if (result < 0)
        return result;
    /* Tracer and process take turns: on one CPU a step costs a third of what it costs across
     * two. */
    cpu_set_t one;
    int cpu = visit->job->cpu >= 0 ? visit->job->cpu : sched_getcpu();
    if (!(cpu < 0 || cpu >= CPU_SETSIZE)) {
        CPU_ZERO(&one);
        CPU_SET((size_t)cpu, &one);
        sched_setaffinity(0, sizeof(one), &one);
    }
    result = start(&trial, visit);
    if (result == 0)
        result = step_all(&trial, 0);
    if (result == -EAGAIN) {
        trial_end(&trial);
        /* A path whose first window opens late: it is stepped once it is known how late. */
        uint32_t openings = 0;
        int error = start(&trial, visit);
        if (error == 0)
            error = rehearse(&trial, &openings);
        trial_end(&trial);
        if (error == 0)
            error = start(&trial, visit);
        result = error == 0 ? step_all(&trial, openings) : error;
    }
    trial_free(&trial);
    return result;
}

const struct source source_step = {
    .name = "step",
    .summary = "ptrace executes the window instruction by instruction",
    .classes = classes,
    .runs = 5,
    .usable = step_usable,
    .count = step_count,
};
