/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The folder of a run: made, found again, locked, removed. */
#include "cli/run-place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/run-parts.h"
#include "show/shell.h"
#include "store/store.h"

static const char folder_suffix[] = ".parts";
static const char named_suffix[] = "-run.sqlite.parts";
/* A run that begins in the same millisecond has the same name: the later one tries again. */

static int no_memory(struct failure *failure)
{
    fail_with(failure, -ENOMEM, "out of memory");
    return -ENOMEM; /* said here, where an analyser sees it */
}

static char *with_suffix(const char *path, const char *suffix)
{
    struct text text = {0};
    text_printf(&text, "%s%s", path, suffix);
    return text_take(&text);
}

static int take_names(struct run_place *place, const char *store, struct failure *failure)
{
    free(place->store);
    free(place->folder);
    place->store = strdup(store);
    place->folder = NULL;
    char *folder = place->store ? with_suffix(store, folder_suffix) : NULL;
    place->folder = folder;
    place->lock = -1;
    return folder ? 0 : no_memory(failure);
}

/* The lock ends with the process, whatever ends it. */
static int lock_folder(struct run_place *place, struct failure *failure)
{
    int fd = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return fail_with(failure, -errno, "cannot open %.500s: %s", place->folder, strerror(errno));
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        int error = errno;
        close(fd);
        return error == EWOULDBLOCK
                   ? fail_with(failure, -EBUSY,
                               "another assay is working at %.500s: wait until it ends",
                               place->folder)
                   : fail_with(failure, -error, "cannot lock %.500s: %s", place->folder,
                               strerror(error));
    }
    place->lock = fd;
    return 0;
}

static int refuse_existing(const struct run_place *place, const char *what, struct failure *failure)
{
    return fail_with(failure, -EEXIST,
                     "%.400s is there already, and is left as it is: --resume goes on with a run "
                     "that did not end, another --store begins a new one",
                     what == NULL ? place->store : what);
}

static int make_folder(struct run_place *place, struct failure *failure)
{
    struct stat found;
    if (lstat(place->store, &found) == 0)
        return refuse_existing(place, NULL, failure);
    if (mkdir(place->folder, 0700) == 0)
        return lock_folder(place, failure);
    int error = errno;
    if (error == EEXIST)
        return refuse_existing(place, place->folder, failure);
    return fail_with(failure, -error,
                     "cannot make the folder %.400s, in which parts are kept until they are one "
                     "store: %s. Name a file in a folder that you may write to with --store",
                     place->folder, strerror(error));
}

static int make_at(void *context, const char *store, struct failure *failure)
{
    struct run_place *place = context;
    int error = take_names(place, store, failure);
    return error < 0 ? error : make_folder(place, failure);
}

int run_place_create(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure)
{
    if (!store)
        return store_make_default(fingerprint, "run", make_at, place, failure);
    if (!*store)
        return fail_with(failure, -EINVAL, "--store must name a file");
    return make_at(place, store, failure);
}

/* --- the latest one --- */

static int newer_first(const struct dirent **a, const struct dirent **b)
{
    return -strcmp((*a)->d_name, (*b)->d_name);
}

static int is_folder_of_run(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), tail = sizeof(named_suffix) - 1;
    return length > tail && strcmp(entry->d_name + length - tail, named_suffix) == 0;
}

/* -EAGAIN: it is not to be gone on with, the next may be. */
static int try_folder(struct run_place *place, const char *machine, const char *name,
                      struct failure *failure)
{
    AUTO_TEXT struct text store = {0};
    text_printf(&store, "%s/%.*s", machine, (int)(strlen(name) - sizeof(folder_suffix) + 1), name);
    int error = take_names(place, text_string(&store), failure);
    AUTO_FREE char *record = error == 0 ? run_place_record(place) : NULL;
    if (error < 0 || !record)
        return no_memory(failure);
    if (access(record, R_OK) < 0)
        return -EAGAIN;
    error = lock_folder(place, failure);
    return error == -EBUSY ? -EAGAIN : error;
}

static int find_latest(struct run_place *place, const char *machine, struct failure *failure)
{
    struct dirent **entries = NULL;
    int count = scandir(machine, &entries, is_folder_of_run, newer_first), error = -EAGAIN;
    for (int i = 0; i < count; i++) {
        if (error == -EAGAIN)
            error = try_folder(place, machine, entries[i]->d_name, failure);
        free(entries[i]);
    }
    free(entries);
    if (error == -EAGAIN)
        return fail_with(failure, -ENOENT,
                         "there is no unfinished run of this machine in %.500s that nobody is "
                         "working at: --store names one elsewhere",
                         machine);
    return error;
}

int run_place_reopen(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure)
{
    int error = 0;
    struct stat found;
    if (!store) {
        AUTO_FREE char *named = NULL;
        error = store_default_path(fingerprint, "run", &named, failure);
        if (error < 0)
            return error;
        *strrchr(named, '/') = '\0';
        return find_latest(place, named, failure);
    }
    error = take_names(place, store, failure);
    if (error < 0)
        return error;
    if (lstat(place->folder, &found) < 0 && errno == ENOENT)
        return fail_with(failure, -ENOENT,
                         lstat(store, &found) == 0
                             ? "%.500s is a run that ended: nothing is left to go on with. `assay "
                               "report` shows it again"
                             : "there is no run that began to become %.500s",
                         store);
    return lock_folder(place, failure);
}

/* --- what is in it --- */

static char *in_folder(const struct run_place *place, const char *name)
{
    struct text path = {0};
    text_printf(&path, "%s/%s", place->folder, name);
    return text_take(&path);
}

char *run_place_part(const struct run_place *place, size_t part)
{
    char name[64];
    snprintf(name, sizeof(name), "%02zu-%s.sqlite", part + 1, part_kinds[part].command);
    return in_folder(place, name);
}

char *run_place_record(const struct run_place *place)
{
    return in_folder(place, "run.json");
}

void run_place_drop_part(const struct run_place *place, size_t part)
{
    static const char *const beside[] = {"", "-wal", "-shm", "-journal"};
    AUTO_FREE char *store = run_place_part(place, part);
    for (size_t i = 0; store && i < sizeof(beside) / sizeof(beside[0]); i++) {
        AUTO_FREE char *file = with_suffix(store, beside[i]);
        if (file)
            unlink(file);
    }
}

void run_place_remove(struct run_place *place)
{
    AUTO_FREE char *record = run_place_record(place);
    for (size_t i = 0; i < RUN_PARTS; i++)
        run_place_drop_part(place, i);
    if (record)
        unlink(record);
    rmdir(place->folder);
}

void run_place_release(struct run_place *place)
{
    if (place->folder && place->lock >= 0)
        close(place->lock);
    free(place->store);
    free(place->folder);
    *place = (struct run_place){.lock = -1};
}
