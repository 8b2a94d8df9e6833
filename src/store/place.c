/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where stores live when nobody says: a folder per machine fingerprint below the user's state
 * folder, files named by time so that their names sort by age. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "store/handle.h"

static const char suffix[] = ".sqlite";
static const char parts_suffix[] = ".parts";
#define NAME_TRIES 200
#define MS_US      1000

/* XDG asks for relative values to be ignored. */
static int state_folder(struct text *folder, struct failure *failure)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && state[0] == '/')
        text_printf(folder, "%s/assay", state);
    else if (home && home[0] == '/')
        text_printf(folder, "%s/.local/state/assay", home);
    else
        return fail_with(failure, -ENOENT,
                         "there is no default place for stores: neither XDG_STATE_HOME nor HOME "
                         "names a folder. Set one of them, or name a file with --store.");
    return folder->failed ? fail_with(failure, -ENOMEM, "memory ran out") : 0;
}

int store_make_folders(const char *folder, struct failure *failure)
{
    AUTO_FREE char *path = strdup(folder);
    if (!path)
        return fail_with(failure, -ENOMEM, "memory ran out");
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0700) < 0 && errno != EEXIST) {
            /* Some file systems refuse mkdir on a folder that is there for other reasons. */
            int error = errno;
            if (access(path, F_OK) < 0)
                return fail_with(failure, -error,
                                 "cannot make the folder %s: %s. Change its "
                                 "permissions, set XDG_STATE_HOME, or name a file with --store.",
                                 path, strerror(error));
        }
        if (!slash)
            return 0;
        *slash = '/';
    }
}

/* A fingerprint or command becomes part of a file name. */
static bool is_one_name(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/');
}

int store_default_path(const char *fingerprint, const char *command, char **path,
                       struct failure *failure)
{
    *path = NULL;
    if (!is_one_name(fingerprint) || !is_one_name(command))
        return fail_with(failure, -EINVAL, "\"%s\" of machine \"%s\" cannot name a store", command,
                         fingerprint);
    AUTO_TEXT struct text folder = {0};
    int error = state_folder(&folder, failure);
    if (error)
        return error;
    text_printf(&folder, "/%s", fingerprint);
    error = store_make_folders(text_string(&folder), failure);
    if (error)
        return error;
    char time[64]; /* 20260301T123456.789 in UTC */
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t length = strftime(time, sizeof(time), "%Y%m%dT%H%M%S", &utc);
    snprintf(time + length, sizeof(time) - length, ".%03ld", now.tv_nsec / 1000000);
    text_printf(&folder, "/%s-%s%s", time, command, suffix);
    *path = text_take(&folder);
    return *path ? 0 : fail_with(failure, -ENOMEM, "memory ran out");
}

int store_make_default(const char *fingerprint, const char *command, store_maker *make,
                       void *context, struct failure *failure)
{
    int error = -EEXIST;
    for (int tries = 0; tries < NAME_TRIES && error == -EEXIST; tries++) {
        AUTO_FREE char *path = NULL;
        if (tries > 0)
            usleep(MS_US);
        error = store_default_path(fingerprint, command, &path, failure);
        if (error == 0)
            error = make(context, path, failure);
    }
    return error;
}

/* --- the newest --- */

struct wanted {
    const char *command; /* NULL: any */
    bool unfinished;
    const char *before; /* only files whose names sort before this one's; NULL: all */
};

/* TIME-COMMAND.sqlite */
static bool name_fits(const char *name, const struct wanted *wanted)
{
    size_t length = strlen(name), tail = sizeof(suffix) - 1;
    const char *dash = strchr(name, '-');
    if (length <= tail || strcmp(name + length - tail, suffix) != 0 || name[0] == '.' || !dash)
        return false;
    if (wanted->before && strcmp(name, wanted->before) >= 0)
        return false;
    if (!wanted->command)
        return true;
    size_t command = (size_t)(name + length - tail - (dash + 1));
    return strlen(wanted->command) == command && strncmp(dash + 1, wanted->command, command) == 0;
}

/* A run that ended before its plan was stored left nothing to go on with. */
static bool is_unfinished(const char *path)
{
    struct store *store;
    struct store_info info = {0};
    if (store_open(&store, path, false, NULL) < 0)
        return false;
    bool unfinished = !store->finished && store_info(store, &info, NULL) == 0 && info.cells > 0;
    store_info_release(&info);
    store_close(store);
    return unfinished;
}

/* Newest first: names begin with the time. */
static int newer_first(const struct dirent **a, const struct dirent **b)
{
    return -strcmp((*a)->d_name, (*b)->d_name);
}

/* --- runs of that command which `assay run` made --- */

/* FILE#NUMBER of the last one in a collection; NULL: there is none. */
static char *find_collected(const char *path, const char *command)
{
    struct run_list runs = {0};
    char *found = NULL;
    if (run_list_read(path, &runs, NULL) == 0)
        for (size_t i = runs.count; i > 0 && !found; i--)
            if (strcmp(runs.list[i - 1].command, command) == 0)
                found = strdup(runs.list[i - 1].name);
    run_list_release(&runs);
    return found;
}

/* FOLDER/NN-COMMAND.sqlite, while they are parts; NULL: there is none. */
static char *find_part(const char *folder, const char *command)
{
    AUTO_DIR DIR *parts = opendir(folder);
    char *found = NULL;
    const struct wanted wanted = {.command = command};
    for (struct dirent *entry; parts && !found && (entry = readdir(parts));) {
        AUTO_TEXT struct text path = {0};
        text_printf(&path, "%s/%s", folder, entry->d_name);
        if (name_fits(entry->d_name, &wanted))
            found = text_take(&path);
    }
    return found;
}

static char *find_in_run(const char *folder, const char *name, const struct wanted *wanted)
{
    const struct wanted whole = {.command = "run", .before = wanted->before};
    size_t length = strlen(name), tail = sizeof(parts_suffix) - 1;
    bool parts = length > tail && strcmp(name + length - tail, parts_suffix) == 0;
    AUTO_FREE char *store = strndup(name, parts ? length - tail : length);
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    if (!wanted->command || wanted->unfinished || !store || !name_fits(store, &whole))
        return NULL;
    return parts ? find_part(text_string(&path), wanted->command)
                 : find_collected(text_string(&path), wanted->command);
}

/* What of this name is wanted; NULL: nothing. */
static char *find_wanted(const char *folder, const char *name, const struct wanted *wanted)
{
    AUTO_TEXT struct text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    if (!name_fits(name, wanted))
        return find_in_run(folder, name, wanted);
    if (wanted->unfinished && !is_unfinished(text_string(&path)))
        return NULL;
    return text_take(&path);
}

/* The name in a machine's folder that a path goes back to, which says how old it is. */
static char *name_of_age(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t tail = sizeof(parts_suffix) - 1;
    if (slash && (size_t)(slash - path) > tail && strncmp(slash - tail, parts_suffix, tail) == 0) {
        for (name = slash; name > path && name[-1] != '/'; name--)
            ;
        return strndup(name, (size_t)(slash - name) - tail);
    }
    return strndup(name, strcspn(name, "#"));
}

/* 1 when the file is wanted and newer than *newest (a path), which it replaces; 0 when not. */
static int consider(const char *folder, const char *name, const struct wanted *wanted,
                    char **newest)
{
    AUTO_FREE char *best = name_of_age(*newest ? *newest : "");
    if (!best)
        return -ENOMEM;
    if (strcmp(name, best) <= 0)
        return 0;
    char *taken = find_wanted(folder, name, wanted);
    if (!taken)
        return 0;
    free(*newest);
    *newest = taken;
    return 1;
}

static int search_folder(const char *folder, const struct wanted *wanted, char **newest)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, newer_first);
    int found = 0;
    for (int i = 0; i < count; i++) {
        if (!found)
            found = consider(folder, entries[i]->d_name, wanted, newest);
        free(entries[i]);
    }
    free(entries);
    return found < 0 ? found : 0;
}

static int search_machines(const char *folder, const struct wanted *wanted, char **newest)
{
    AUTO_DIR DIR *machines = opendir(folder);
    int error = 0;
    for (struct dirent *entry; machines && !error && (entry = readdir(machines));) {
        AUTO_TEXT struct text machine = {0};
        text_printf(&machine, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            error = search_folder(text_string(&machine), wanted, newest);
    }
    return error;
}

static int find_newest(const char *fingerprint, const struct wanted *wanted, char **path,
                       struct failure *failure)
{
    *path = NULL;
    AUTO_TEXT struct text folder = {0};
    int error = state_folder(&folder, failure);
    if (error)
        return error;
    if (fingerprint)
        text_printf(&folder, "/%s", fingerprint);
    error = fingerprint ? search_folder(text_string(&folder), wanted, path)
                        : search_machines(text_string(&folder), wanted, path);
    if (error)
        return fail_with(failure, error, "memory ran out");
    if (*path)
        return 0;
    return fail_with(
        failure, -ENOENT, "there is no %s%s%sstore in %s.", wanted->unfinished ? "unfinished " : "",
        wanted->command ? wanted->command : "", wanted->command ? " " : "", text_string(&folder));
}

int store_latest_unfinished(const char *fingerprint, const char *command, char **path,
                            struct failure *failure)
{
    const struct wanted wanted = {.command = command, .unfinished = true};
    return find_newest(fingerprint, &wanted, path, failure);
}

int store_latest(const char *fingerprint, const char *command, char **path, struct failure *failure)
{
    return store_latest_before(fingerprint, command, NULL, path, failure);
}

int store_latest_before(const char *fingerprint, const char *command, const char *newer,
                        char **path, struct failure *failure)
{
    AUTO_FREE char *before = newer ? name_of_age(newer) : NULL;
    const struct wanted wanted = {.command = command, .before = before};
    if (newer && !before)
        return fail_with(failure, -ENOMEM, "memory ran out");
    return find_newest(fingerprint, &wanted, path, failure);
}
