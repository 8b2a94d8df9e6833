/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds processes in /proc. Only children are killed by number: as long as nobody has waited for
 * them it is theirs and nobody else's. Others are held by a descriptor and looked at twice. */
#include "probe/command/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/monotonic.h"

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

/* A child may stand before its parent in the list. */
static void mark_below(const struct processes *processes, pid_t root)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t index = 0; index < processes->count; index++) {
            struct process *process = &processes->list[index];
            if (!process->below && process->pid != root && is_below(processes, process, root))
                changed = process->below = true;
        }
    }
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

void descendants_signal(pid_t root, int signal)
{
    struct processes processes = {0};
    read_processes(&processes);
    mark_below(&processes, root);
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

/* A group is killed at once: nobody in it can slip away by forking. */
static void kill_children(void)
{
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
}

int descendants_end(uint64_t *ended)
{
    const int64_t deadline = monotonic_ms() + PATIENCE_MS;
    if (!reap(NULL))
        return 0;
    for (;;) {
        kill_children();
        if (!reap(ended))
            return 0;
        if (monotonic_ms() > deadline)
            return -EPERM;
        usleep(PAUSE_US);
    }
}
