/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The probe's private folders, and the memory it shares with the processes of visits. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probe/driver/child.h"
#include "probe/driver/workspace.h"

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
