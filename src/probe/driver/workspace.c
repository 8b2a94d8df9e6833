/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The probe's private folders, and the memory it shares with the processes of visits. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "probe/driver/workspace.h"
#include "probe/sources/program.h"

/* --- Private folders. Symbolic links are removed, never followed. --- */

#define OPEN_FOLDERS 16
#define ATTEMPTS     100

/* As mkdtemp(3), which draws its letters from a clock of the vDSO: reading that kills where the
 * CPU's counter of time is forbidden. */
static int make_unique(char *path)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    char *ending = path + strlen(path) - strlen("XXXXXX");
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        unsigned char drawn[6];
        if (getrandom(drawn, sizeof(drawn), 0) != (ssize_t)sizeof(drawn))
            return -errno;
        for (size_t index = 0; index < sizeof(drawn); index++)
            ending[index] = letters[drawn[index] % 32];
        if (mkdir(path, 0700) == 0)
            return 0;
        if (errno != EEXIST)
            return -errno;
    }
    return -EEXIST;
}

int folder_make(char **path, struct failure *failure)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/')
        base = "/tmp";
    if (asprintf(path, "%s/assay-probe.XXXXXX", base) < 0) {
        *path = NULL;
        return fail_with(failure, -ENOMEM, "out of memory");
    }
    int error = -make_unique(*path);
    if (!error)
        return 0;
    free(*path);
    *path = NULL;
    return fail_with(failure, -error,
                     "cannot make a private folder below %s: %s. Set TMPDIR to a folder that may "
                     "be written",
                     base, strerror(error));
}

static int remove_below(const char *path, const struct stat *facts, int type, struct FTW *position)
{
    (void)facts, (void)type;
    if (position->level > 0)
        remove(path);
    return 0;
}

/* Removes what is in it. */
static void folder_empty(const char *path)
{
    nftw(path, remove_below, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

void folder_remove(const char *path)
{
    folder_empty(path);
    remove(path);
}

/* ----------------------------------------------------------------------------------------------
 * One memfd for a whole session: it grows to the largest job and is never shrunk, so that a visit
 * costs no fresh pages. */

static void unmap(struct workspace *workspace)
{
    if (workspace->job)
        munmap(workspace->job, workspace->bytes);
    workspace->job = NULL;
    workspace->bytes = 0;
}

/* The job in at least so many bytes of shared memory; NULL with errno. */
static struct job *hold(struct workspace *workspace, size_t bytes)
{
    if (workspace->job && bytes <= workspace->bytes)
        return workspace->job;
    if (workspace->fd < 0)
        workspace->fd = descriptor_lift(memfd_create("assay-job", MFD_CLOEXEC));
    if (workspace->fd < 0 || ftruncate(workspace->fd, (off_t)bytes) < 0)
        return NULL;
    unmap(workspace);
    void *job = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, workspace->fd, 0);
    if (job == MAP_FAILED)
        return NULL;
    workspace->job = job;
    workspace->bytes = bytes;
    return job;
}

int workspace_job(struct workspace *workspace, uint32_t runs, uint32_t counters,
                  struct failure *failure)
{
    return workspace_tour(workspace, runs, counters, "", failure);
}

int workspace_tour(struct workspace *workspace, uint32_t runs, uint32_t counters, const char *calls,
                   struct failure *failure)
{
    size_t text = *calls ? strlen(calls) + 1 : 0;
    struct job *job = hold(workspace, job_size(runs, counters) + text);
    if (!job)
        return fail_with(failure, -errno, "no shared memory for %u runs of %u counters: %s", runs,
                         counters, strerror(errno));
    memset(job, 0, offsetof(struct job, events));
    job->magic = JOB_MAGIC;
    job->bytes = workspace->bytes;
    job->driver = getpid();
    job->runs = runs;
    job->counters = counters;
    job->state = JOB_ASKED;
    job->error = 0;
    job->failed_event = -1;
    job->reason[0] = '\0';
    job->opens = job->closed = job->slot = job->filled = 0;
    job->runs_done = 0;
    job->tour.bytes = (uint32_t)text;
    memcpy(job_calls(job), calls, text);
    return 0;
}

int workspace_folder(struct workspace *workspace, struct failure *failure)
{
    int result = 0;
    if (workspace->folder)
        folder_empty(workspace->folder);
    else
        result = folder_make(&workspace->folder, failure);
    if (result < 0)
        return result;
    struct job *job = workspace->job;
    if (strlen(workspace->folder) >= sizeof(job->folder))
        return fail_with(failure, -ENAMETOOLONG, "TMPDIR is too long for a private folder");
    snprintf(job->folder, sizeof(job->folder), "%s", workspace->folder);
    return 0;
}

void *workspace_kept(struct workspace *workspace, unsigned keeper)
{
    if (keeper < 1 || keeper > WORKSPACE_KEEPERS)
        return NULL;
    void **place = &workspace->kept[keeper - 1];
    if (!*place) {
        void *kept =
            mmap(NULL, WORKSPACE_KEPT, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        *place = kept == MAP_FAILED ? NULL : kept;
    }
    return *place;
}

void workspace_empty_folder(const struct workspace *workspace)
{
    if (workspace->folder)
        folder_empty(workspace->folder);
}

void workspace_free(struct workspace *workspace)
{
    unmap(workspace);
    for (unsigned keeper = 0; keeper < WORKSPACE_KEEPERS; keeper++)
        if (workspace->kept[keeper])
            munmap(workspace->kept[keeper], WORKSPACE_KEPT);
    if (workspace->fd >= 0)
        close(workspace->fd);
    if (workspace->folder)
        folder_remove(workspace->folder);
    free(workspace->folder);
    *workspace = (struct workspace){.fd = -1};
}

/* Children by posix_spawn: as cheap as vfork, without its traps. The driver's signals are blocked
 * (it takes them from a descriptor), so a child starts with a clean mask. */

#define LIFTED 16 /* the driver's own descriptors live from here */

int descriptor_lift(int fd)
{
    if (fd < 0)
        return fd;
    int lifted = fcntl(fd, F_DUPFD_CLOEXEC, LIFTED);
    int error = errno;
    close(fd);
    errno = error;
    return lifted;
}

int outlets_open(struct outlets *outlets, struct failure *failure)
{
    for (int index = 0; index < OUTLET_COUNT; index++)
        outlets->ours[index] = outlets->theirs[index] = -1;
    for (int index = 0; index < OUTLET_COUNT; index++) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) < 0)
            return fail_with(failure, -errno, "cannot make a pipe: %s", strerror(errno));
        outlets->ours[index] = descriptor_lift(ends[0]);
        outlets->theirs[index] = descriptor_lift(ends[1]);
        if (outlets->ours[index] < 0 || outlets->theirs[index] < 0 ||
            fcntl(outlets->ours[index], F_SETFL, O_NONBLOCK) < 0)
            return fail_with(failure, -errno, "cannot make a pipe: %s", strerror(errno));
    }
    return 0;
}

void outlets_close(struct outlets *outlets)
{
    for (int index = 0; index < OUTLET_COUNT; index++) {
        cleanup_close(&outlets->ours[index]);
        cleanup_close(&outlets->theirs[index]);
    }
}

/* Handed on where they are set: PAPI outside the standard places would not be found otherwise, nor
 * a user's own definitions of its presets. */
static const char *const handed_on[] = {"LD_LIBRARY_PATH=", "PAPI_CSV_EVENT_FILE="};
_Static_assert(2 + sizeof(handed_on) / sizeof(handed_on[0]) + 1 == CHILD_VARIABLES,
               "one place each");

/* The same few variables everywhere, so that the stack of a harness does not depend on who
 * measures. */
void child_environment(char *environment[CHILD_VARIABLES])
{
    static char path[] = "PATH=/usr/bin:/bin";
    static char locale[] = "LC_ALL=C";
    size_t count = 0;
    environment[count++] = path;
    environment[count++] = locale;
    for (size_t index = 0; index < sizeof(handed_on) / sizeof(handed_on[0]); index++) {
        char **entry = environ;
        while (*entry && strncmp(*entry, handed_on[index], strlen(handed_on[index])) != 0)
            entry++;
        if (*entry)
            environment[count++] = *entry;
    }
    environment[count] = NULL;
}

pid_t child_start(const char *folder, const char *file, const char *argument, int job,
                  const struct outlets *outlets, struct failure *failure)
{
    AUTO_FREE char *program = NULL;
    char *environment[CHILD_VARIABLES];
    if (asprintf(&program, "%s/%s", folder, file) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    const char *words[EMULATOR_WORDS + 2];
    size_t count = program_prefix(words);
    words[count] = count ? program : file; /* an emulator needs the path */
    words[count + 1] = argument;
    words[count + 2] = NULL;
    child_environment(environment);
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    pid_t pid = -1;
    int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, outlets->theirs[OUTLET_OUTPUT], 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, outlets->theirs[OUTLET_ERROR], 2);
    if (!error && job >= 0)
        error = posix_spawn_file_actions_adddup2(&actions, job, JOB_FD);
    if (!error) {
        sigset_t none, all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                                  POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setsigmask(&attributes, &none);
        error = posix_spawnattr_setsigdefault(&attributes, &all);
    }
    if (!error)
        error = posix_spawn(&pid, count ? words[0] : program, &actions, &attributes,
                            (char *const *)(uintptr_t)words, environment); /* not written to */
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error)
        return fail_with(failure, -error, "cannot start %s: %s", program, strerror(error));
    return pid;
}

int child_ended(pid_t pid, int *status)
{
    /* As long as it is not waited for, its number is that of its group and of nobody else. */
    siginfo_t ended = {0};
    int result;
    do
        result = waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT);
    while (result < 0 && errno == EINTR);
    if (!(result == 0 && ended.si_pid == pid))
        return 0;
    child_kill(pid, status);
    return 1;
}

void child_kill(pid_t pid, int *status)
{
    kill(-pid, SIGKILL);
    while (waitpid(pid, status, 0) < 0 && errno == EINTR)
        ;
}

const char *signal_name(int number, char *buffer, size_t size)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGILL, "SIGILL"},
                 {SIGFPE, "SIGFPE"},   {SIGABRT, "SIGABRT"}, {SIGKILL, "SIGKILL"},
                 {SIGTERM, "SIGTERM"}, {SIGSYS, "SIGSYS"},   {SIGTRAP, "SIGTRAP"}};
    for (size_t index = 0; index < sizeof(names) / sizeof(*names); index++)
        if (names[index].number == number)
            return names[index].name;
    snprintf(buffer, size, "signal %d", number);
    return buffer;
}
