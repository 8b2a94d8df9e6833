/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The guard of a visit: between the driver and the counting process. It drains what the program
 * writes, ends it when its time is over, and is there when the counting process or the driver is
 * not any more: orphans below become its children, and it ends when there are none. */
#include "probe/command/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/monotonic.h"

/* ----------------------------------------------------------------------------------------------
 * Processes below a process, to be ended whatever they did to escape: sessions, groups, orphans.
 * They are found in /proc. Only children are killed by number: as long as nobody has waited for
 * them it is theirs and nobody else's. Others are held by a descriptor and looked at twice. */

#define PATIENCE_MS 5000 /* for the end of processes that were killed */
#define PAUSE_US    500

struct process {
    pid_t pid, parent, group;
    char state;
    unsigned long long born; /* ticks since the machine started */
    bool below;
};
struct processes {
    struct process *list;
    size_t count;
};

void descendants_adopt(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* What the operating system tells of it; its name may hold anything, so what counts is behind the
 * last parenthesis. */
static bool read_process(pid_t pid, struct process *process)
{
    char path[32], bytes[1024];
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);
    if (got <= 0)
        return false;
    bytes[got] = '\0';
    const char *rest = strrchr(bytes, ')');
    *process = (struct process){.pid = pid};
    return rest && sscanf(rest,
                          ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
                          "%*d %*d %llu",
                          &process->state, &process->parent, &process->group, &process->born) == 4;
}

static void read_processes(struct processes *processes)
{
    const struct dirent *entry;
    AUTO_DIR DIR *proc = opendir("/proc");
    while (proc && (entry = readdir(proc))) {
        struct process found;
        char *rest;
        const long pid = strtol(entry->d_name, &rest, 10);
        if (pid <= 0 || *rest || !read_process((pid_t)pid, &found))
            continue;
        struct process *added =
            list_add(&processes->list, &processes->count, sizeof(*processes->list));
        if (!added)
            return;
        *added = found;
    }
}

static bool is_below(const struct processes *processes, const struct process *process, pid_t root)
{
    if (process->parent == root)
        return true;
    for (size_t index = 0; index < processes->count; index++)
        if (processes->list[index].pid == process->parent)
            return processes->list[index].below;
    return false;
}

/* Only if it is still the process that was found. */
static void signal_process(const struct process *process, int signal)
{
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
    AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    struct process again;
    if (fd >= 0) {
        if (read_process(process->pid, &again) && again.born == process->born)
            syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
        return;
    }
    if (errno != ENOSYS && errno != EPERM)
        return;
#endif
    kill(process->pid, signal);
}

/* Sends a signal to everything below root, but not to root itself. */
static void descendants_signal(pid_t root, int signal)
{
    struct processes processes = {0};
    read_processes(&processes);
    /* A child may stand before its parent in the list. */
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t index = 0; index < processes.count; index++) {
            struct process *process = &processes.list[index];
            if (!process->below && process->pid != root && is_below(&processes, process, root))
                changed = process->below = true;
        }
    }
    for (size_t index = 0; index < processes.count; index++)
        if (processes.list[index].below)
            signal_process(&processes.list[index], signal);
    free(processes.list);
}

/* Waits for children that have ended; false: there are no children at all. */
static bool reap(uint64_t *ended)
{
    for (;;) {
        int status;
        const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);
        if (pid == 0)
            return true;
        if (pid < 0 && errno != EINTR)
            return false;
        if (pid > 0 && ended && (WIFEXITED(status) || WIFSIGNALED(status)))
            (*ended)++;
    }
}

int descendants_end(uint64_t *ended)
{
    const int64_t deadline = monotonic_ms() + PATIENCE_MS;
    if (!reap(NULL))
        return 0;
    for (;;) {
        /* A group is killed at once: nobody in it can slip away by forking. */
        struct processes processes = {0};
        const pid_t self = getpid(), group = getpgrp();
        read_processes(&processes);
        for (size_t index = 0; index < processes.count; index++) {
            const struct process *process = &processes.list[index];
            if (process->parent != self || process->state == 'Z')
                continue;
            if (process->group != group && process->group > 1)
                kill(-process->group, SIGKILL);
            kill(process->pid, SIGKILL);
        }
        free(processes.list);
        if (!reap(ended))
            return 0;
        if (monotonic_ms() > deadline)
            return -EPERM;
        usleep(PAUSE_US);
    }
}

/* ----------------------------------------------------------------------------------------------
 * What a program writes: read, counted, summed, and passed on where it is shown. Whoever shows
 * the output may be slow: then the program waits, as it would before a slow terminal, but the
 * guard never does. */

#define DRAIN_PASSED 4096      /* bytes that a pipe takes without blocking when it takes any */
#define DRAIN_ROOM   (1 << 20) /* bytes that a pipe shall hold: more than most programs write */

struct drain {
    int from; /* non-blocking */
    int to;   /* -1: what it writes is dropped */
    char pending[DRAIN_PASSED];
    size_t held, passed; /* bytes of pending, and how many of them were passed on */
    uint64_t bytes, sum;
};

#define SUM_BASE    0xcbf29ce484222325ull /* FNV-1a */
#define SUM_PRIME   0x100000001b3ull
#define LISTENER_MS 200 /* between looks whether to give up on the reader of what is shown */

static void drain_reset(struct drain *drain)
{
    drain->held = drain->passed = 0;
    drain->bytes = 0;
    drain->sum = SUM_BASE;
}

/* What it waits for now, for poll(2): `from` to be read, or `to` to be written. What is not
 * shown is waited for by nobody (-1): whoever is woken by each piece makes the program wait,
 * too. */
static int drain_awaits(const struct drain *drain, short *events)
{
    *events = drain->held ? POLLOUT : POLLIN;
    return drain->to < 0 ? -1 : drain->held ? drain->to : drain->from;
}

static void pass_on(struct drain *drain)
{
    const ssize_t written =
        write(drain->to, drain->pending + drain->passed, drain->held - drain->passed);
    if (written < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (written < 0) /* nobody reads: it is dropped from now on */
        drain->to = -1;
    drain->passed += written > 0 ? (size_t)written : 0;
    if (drain->passed >= drain->held || drain->to < 0)
        drain->held = drain->passed = 0;
}

/* One piece, and how long it is; 0: there is none now. What is not shown is read all at once: a
 * program that waits for room wakes once, to a pipe that is empty. */
static size_t take(struct drain *drain)
{
    static char dropped[DRAIN_ROOM];
    const bool shown = drain->to >= 0;
    char *bytes = shown ? drain->pending : dropped;
    const ssize_t got = read(drain->from, bytes, shown ? DRAIN_PASSED : DRAIN_ROOM);
    if (got <= 0)
        return 0;
    const size_t length = (size_t)got;
    uint64_t sum = drain->sum;
    for (size_t index = 0; index < length; index++)
        sum = (sum ^ (unsigned char)bytes[index]) * SUM_PRIME;
    drain->sum = sum;
    drain->bytes += length;
    drain->held = shown ? (size_t)got : 0;
    return (size_t)got;
}

/* Reads or passes on what can be at once. Returns bytes that were read. */
static size_t drain_go_on(struct drain *drain)
{
    if (!drain->held)
        return take(drain);
    pass_on(drain);
    return 0;
}

/* Whoever wants an end of it all sends what the guard has blocked. */
static bool is_told_to_end(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGTERM) == 1 || sigismember(&pending, SIGHUP) == 1 ||
            sigismember(&pending, SIGQUIT) == 1);
}

/* --- The guard itself, and the counting process below it --- */

#define GRACE_MS  1000  /* between asking a program to end and ending it */
#define AGAIN_MS  100   /* between attempts to end a program */
#define LOST_MS   30000 /* so long a counting process may take to notice that its program ended */
#define MASK_BITS (8 * sizeof(unsigned long))
/* Between looks at what a program writes that is not shown: shorter where much of the room in the
 * pipe was taken, longer where nothing was. */
#define LOOK_MS      10
#define LOOK_MOST_MS 320

struct guard {
    pid_t counting;
    struct guarded *guarded;
    int control, signals;
    struct drain drains[2];
    bool runs;         /* a program does, or is about to */
    uint64_t deadline; /* monotonic ns; 0: none */
    int64_t asked;     /* ms when it was asked to end; 0: it was not */
    int look;          /* ms to the next look at what it wrote and nobody waits for */
    bool ended;        /* the counting process has */
    int status;        /* its wait status */
};

int guard_tell(const struct guard_line *line, enum guard_request request, uint64_t deadline)
{
    struct guard_message message = {request, deadline};
    ssize_t moved;
    do
        moved = send(line->control, &message, sizeof(message), MSG_NOSIGNAL);
    while (moved < 0 && errno == EINTR);
    if (moved < 0)
        return -EPIPE;
    do
        moved = recv(line->control, &message, sizeof(message), 0);
    while (moved < 0 && errno == EINTR);
    return moved == (ssize_t)sizeof(message) ? 0 : -EPIPE;
}

static void listen_to(struct guard *guard)
{
    struct guard_message message;
    const ssize_t got = recv(guard->control, &message, sizeof(message), MSG_DONTWAIT);
    if (got != (ssize_t)sizeof(message))
        return;
    if (message.request == GUARD_BEGIN) {
        guard->runs = true;
        guard->deadline = 0;
        guard->asked = 0;
        guard->guarded->timed_out = guard->guarded->killed = 0;
        guard->look = LOOK_MS;
        for (int index = 0; index < 2; index++)
            drain_reset(&guard->drains[index]);
    } else if (message.request == GUARD_LIMIT)
        guard->deadline = message.deadline;
    else {
        struct guarded *guarded = guard->guarded;
        guard->runs = false;
        guard->deadline = 0;
        for (int index = 0; index < 2 && guarded->output_known; index++) {
            /* Reads everything that is there; nobody can write any more. What is shown is passed
             * on, even if that takes a while. */
            do {
                while (guard->drains[index].held) {
                    struct pollfd end = {.fd = guard->drains[index].to, .events = POLLOUT};
                    if (poll(&end, 1, LISTENER_MS) > 0)
                        pass_on(&guard->drains[index]);
                    else if (is_told_to_end())
                        guard->drains[index].to = -1, guard->drains[index].held = 0;
                }
            } while (take(&guard->drains[index]));
        }
        guarded->output_bytes = guard->drains[0].bytes + guard->drains[1].bytes;
        /* In 32 bits. */
        guarded->output_sum = (guard->drains[0].sum ^ guard->drains[0].sum >> 32) & 0xffffffffu;
    }
    send(guard->control, &message, sizeof(message), MSG_NOSIGNAL);
}

/* Asks everything below the counting process to end. */
static void ask(struct guard *guard, int number)
{
    if (!guard->runs || guard->asked)
        return;
    guard->asked = monotonic_ms();
    descendants_signal(guard->counting, number);
    descendants_signal(guard->counting, SIGCONT);
}

static bool is_unawaited(const struct drain *drain)
{
    return drain->from >= 0 && drain->to < 0;
}

static int patience_ms(const struct guard *guard)
{
    const bool looks = is_unawaited(&guard->drains[0]) || is_unawaited(&guard->drains[1]);
    uint64_t left = looks ? (uint64_t)guard->look : 60000;
    if (!guard->runs || (!guard->deadline && !guard->asked && !looks))
        return -1;
    if (guard->asked && left > AGAIN_MS)
        left = AGAIN_MS;
    const uint64_t now = monotonic_ns();
    if (!guard->asked && guard->deadline && guard->deadline < now + left * 1000000u)
        left = guard->deadline > now ? (guard->deadline - now) / 1000000u + 1 : 0;
    return (int)left;
}

/* The counting process is a child among orphans. SIGINT: a person wants the program to end, and
 * what was counted until then. True: the driver wants an end of it all, or is gone. */
static bool take_signals(struct guard *guard)
{
    struct signalfd_siginfo info;
    bool end = false;
    while (read(guard->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        if (info.ssi_signo == SIGINT)
            ask(guard, SIGINT);
        end = end || (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGINT);
    }
    if (waitpid(guard->counting, &guard->status, WNOHANG) == guard->counting)
        guard->ended = true;
    return end;
}

/* Until the counting process has ended, or must. */
static void stand_by(struct guard *guard)
{
    enum { CONTROL, SIGNALS, OUTPUT, ERRORS, ENDS };
    while (!guard->ended) {
        struct pollfd ends[ENDS] = {[CONTROL] = {.fd = guard->control, .events = POLLIN},
                                    [SIGNALS] = {.fd = guard->signals, .events = POLLIN}};
        for (int index = 0; index < 2; index++)
            ends[OUTPUT + index].fd =
                drain_awaits(&guard->drains[index], &ends[OUTPUT + index].events);
        if (poll(ends, ENDS, patience_ms(guard)) < 0 && errno != EINTR)
            return;
        for (int index = 0; index < 2; index++)
            if (ends[OUTPUT + index].revents)
                drain_go_on(&guard->drains[index]);
        if (guard->runs) {
            /* A program that fills its pipe before the next look has to wait, and waiting is a
             * context switch. */
            size_t most = 0;
            for (int index = 0; index < 2; index++) {
                struct drain *drain = &guard->drains[index];
                const size_t got = is_unawaited(drain) ? drain_go_on(drain) : 0;
                most = got > most ? got : most;
            }
            if (most >= DRAIN_ROOM / 2 && guard->look > 1)
                guard->look /= 2;
            else if (!most && guard->look < LOOK_MOST_MS)
                guard->look *= 2;
        }
        if (ends[CONTROL].revents & POLLIN)
            listen_to(guard);
        if (ends[SIGNALS].revents && take_signals(guard))
            return;
        if (ends[CONTROL].revents & POLLHUP)
            guard->control = -1; /* its end wakes by a signal */
        /* Its time is over, or it was asked to end: later it is not asked. */
        const int64_t now = monotonic_ms();
        const bool over = guard->deadline && monotonic_ns() >= guard->deadline;
        if (!guard->runs || (!guard->asked && !over))
            continue;
        if (!guard->asked) {
            __atomic_store_n(&guard->guarded->timed_out, 1, __ATOMIC_RELEASE);
            ask(guard, SIGTERM);
        } else if (now - guard->asked >= LOST_MS) {
            kill(guard->counting, SIGKILL);
        } else if (now - guard->asked >= GRACE_MS) {
            __atomic_store_n(&guard->guarded->killed, 1, __ATOMIC_RELEASE);
            descendants_signal(guard->counting, SIGKILL);
        }
    }
}

static void __attribute__((noreturn))
count(const struct command_counter *counter, const struct command_visit *visit, pid_t guard)
{
    struct job *job = visit->job;
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != guard)
        _exit(1);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    descendants_adopt();
    __atomic_store_n(&job->state, JOB_RUNNING, __ATOMIC_RELEASE);
    int result = counter->count(visit);
    if (result == 0 && job->runs_done != 1)
        result = command_fail(visit, -EIO, "%s counted nothing", counter->source);
    if (result < 0 && !job->error)
        command_fail(visit, result, "%s: %s", counter->source, strerror(-result));
    __atomic_store_n(&job->state, result < 0 ? JOB_FAILED : JOB_DONE, __ATOMIC_RELEASE);
    _exit(result < 0);
}

/* The guard ends as the counting process did. */
static void __attribute__((noreturn)) end_like(int status)
{
    const struct rlimit none = {0};
    sigset_t all;
    if (!WIFSIGNALED(status))
        _exit(WEXITSTATUS(status));
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    kill(getpid(), WTERMSIG(status));
    _exit(1);
}

struct lines {
    int control[2];    /* the guard's end, the counting process's */
    int outputs[2][2]; /* reading ends are the guard's; -1: the program writes to what is lent */
    struct guarded *guarded;
};

static void close_lines(const struct lines *lines)
{
    const int ends[] = {lines->control[0],    lines->control[1],    lines->outputs[0][0],
                        lines->outputs[0][1], lines->outputs[1][0], lines->outputs[1][1]};
    for (size_t index = 0; index < sizeof(ends) / sizeof(*ends); index++)
        if (ends[index] >= 0)
            close(ends[index]);
    if (lines->guarded)
        munmap(lines->guarded, sizeof(*lines->guarded));
}

static int open_lines(const struct command_visit *visit, struct lines *lines)
{
    *lines = (struct lines){.control = {-1, -1}, .outputs = {{-1, -1}, {-1, -1}}};
    void *shared = mmap(NULL, sizeof(struct guarded), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !shared)
        return -errno;
    lines->guarded = shared;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, lines->control) < 0)
        return -errno;
    lines->guarded->output_known = visit->lent[0] < 0;
    for (int index = 0; index < 2 && lines->guarded->output_known; index++)
        if (pipe2(lines->outputs[index], O_CLOEXEC) < 0 ||
            fcntl(lines->outputs[index][0], F_SETFL, O_NONBLOCK) < 0)
            return -errno;
    for (int index = 0; index < 2 && lines->guarded->output_known; index++)
        fcntl(lines->outputs[index][0], F_SETPIPE_SZ, DRAIN_ROOM); /* less where that is refused */
    syscall(SYS_sched_getaffinity, 0, sizeof(lines->guarded->allowed), lines->guarded->allowed);
    return 0;
}

static pid_t fork_counting(const struct command_counter *counter, const struct command_visit *visit,
                           const struct lines *lines)
{
    const pid_t guard = getpid();
    const pid_t pid = fork();
    if (pid != 0)
        return pid;
    const bool read = visit->lent[0] < 0; /* pipes that the guard reads */
    struct guard_line line = {.guarded = lines->guarded,
                              .control = lines->control[1],
                              .outputs = {read ? lines->outputs[0][1] : visit->lent[0],
                                          read ? lines->outputs[1][1] : visit->lent[1]}};
    struct command_visit copy = *visit;
    copy.line = &line;
    close(lines->control[0]);
    cleanup_close(&lines->outputs[0][0]);
    cleanup_close(&lines->outputs[1][0]);
    count(counter, &copy, guard);
}

static void __attribute__((noreturn))
be_guard(const struct command_counter *counter, const struct command_visit *visit,
         const struct lines *lines, pid_t driver)
{
    static struct guard guard;
    setpgid(0, 0);
    static const int taken[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t index = 0; index < sizeof(taken) / sizeof(*taken); index++)
        sigaddset(&signals, taken[index]);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    guard.signals = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    if (guard.signals < 0 || getppid() != driver)
        _exit(1);
    descendants_adopt();
    guard.guarded = lines->guarded;
    guard.control = lines->control[0];
    guard.counting = fork_counting(counter, visit, lines);
    if (guard.counting < 0)
        _exit(1);
    close(lines->control[1]);
    for (int index = 0; index < 2; index++) {
        cleanup_close(&lines->outputs[index][1]);
        guard.drains[index].from = lines->outputs[index][0];
        guard.drains[index].to = visit->cell->command.shown ? visit->outlets[index] : -1;
        drain_reset(&guard.drains[index]);
    }
    /* The program has the CPU that it is held on to itself, where there is another. */
    unsigned long mask[GUARD_MASK] = {0};
    const int cpu = visit->cell->cpu;
    if (!(cpu < 0 || (size_t)cpu >= GUARD_MASK * MASK_BITS ||
          syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask) < 0)) {
        mask[(size_t)cpu / MASK_BITS] &= ~(1ul << (size_t)cpu % MASK_BITS);
        syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask);
    }
    stand_by(&guard);
    if (!guard.ended) {
        kill(guard.counting, SIGKILL);
        while (waitpid(guard.counting, &guard.status, 0) < 0 && errno == EINTR)
            ;
    }
    descendants_end(NULL);
    end_like(guard.status);
}

pid_t command_start(const struct command_counter *counter, const struct command_visit *visit,
                    struct failure *failure)
{
    struct lines lines;
    struct job *job = visit->job;
    const pid_t driver = getpid();
    int result = open_lines(visit, &lines);
    if (result < 0) {
        close_lines(&lines);
        return fail_with(failure, result, "cannot make the pipes of a command: %s",
                         strerror(-result));
    }
    memset(job_values(job), 0, 3 * sizeof(uint64_t) * job->runs * job->counters);
    memset(job_accounts(job), 0, job->runs * sizeof(struct account));
    const pid_t pid = fork();
    result = -errno;
    if (pid == 0)
        be_guard(counter, visit, &lines, driver);
    close_lines(&lines);
    if (pid < 0)
        return fail_with(failure, result, "cannot start a process: %s", strerror(-result));
    setpgid(pid, pid); /* both sides, so that it is done whoever comes first */
    return pid;
}

void command_end(pid_t guard, int *status)
{
    kill(guard, SIGTERM);
    while (waitpid(guard, status, 0) < 0 && errno == EINTR)
        ;
}
