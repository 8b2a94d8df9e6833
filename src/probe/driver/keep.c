/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Keeps a kit: renamed into its place when complete, so that half a kit is never found under its
 * build id. In use means: some process holds a shared lock on its manifest. */
#include "probe/driver/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "probe/driver/folder.h"

#define KEPT_KITS 3    /* the latest used, the new one included */
#define REST_S    3600 /* what was touched since then may be about to be used */
#define MOST_KITS 4096 /* looked at */

struct old_kit {
    time_t used; /* seconds since the epoch: the folder's modification time */
    char name[NAME_MAX + 1];
};

void keep_hold(const char *folder)
{
    AUTO_FREE char *manifest = NULL;
    if (asprintf(&manifest, "%s/manifest", folder) < 0)
        return;
    /* Never closed: the lock lasts as long as the process. Where locks do not work, age decides. */
    int fd = open(manifest, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0)
        close(fd);
}

static bool exchange(const char *folder, const char *place)
{
    if (renameat2(AT_FDCWD, folder, AT_FDCWD, place, RENAME_EXCHANGE) == 0)
        return true;
    /* A file system that cannot exchange: for a moment there is none, which costs a push. */
    AUTO_FREE char *aside = NULL;
    if (asprintf(&aside, "%s.old", folder) < 0 || rename(place, aside) < 0)
        return false;
    const bool moved = rename(folder, place) == 0;
    (void)!rename(aside, moved ? folder : place);
    return moved;
}

/* Whether a process holds the lock of the kit; if not, *lock keeps others from it. */
static bool in_use(int kits, const char *name, int *lock)
{
    AUTO_FREE char *manifest = NULL;
    if (asprintf(&manifest, "%s/manifest", name) < 0)
        return true;
    *lock = openat(kits, manifest, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (*lock < 0)
        return errno != ENOENT;
    return flock(*lock, LOCK_EX | LOCK_NB) < 0;
}

static void remove_unused(int kits, const char *parent, const char *name)
{
    AUTO_CLOSE int lock = -1;
    AUTO_FREE char *path = NULL;
    if (!in_use(kits, name, &lock) && asprintf(&path, "%s/%s", parent, name) >= 0)
        folder_remove(path);
}

/* Kits and what unfinished pushes left. Whatever else lies there is not ours. */
static bool is_ours(const char *name)
{
    return strncmp(name, ".new.", 5) == 0 ||
           (name[0] != '.' && strlen(name) >= 8 && !name[strspn(name, "0123456789abcdef")]);
}

static int latest_first(const void *left, const void *right)
{
    const struct old_kit *a = left, *b = right;
    bool whole_a = a->name[0] != '.', whole_b = b->name[0] != '.';
    if (whole_a != whole_b)
        return whole_a ? -1 : 1;
    return (a->used < b->used) - (a->used > b->used);
}

static size_t list_kits(DIR *folder, struct old_kit **list)
{
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) && count < MOST_KITS) {
        struct stat facts;
        if (!is_ours(entry->d_name) ||
            fstatat(dirfd(folder), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR(facts.st_mode))
            continue;
        struct old_kit *grown = realloc(*list, (count + 1) * sizeof(**list));
        if (!grown)
            break;
        *list = grown;
        grown[count].used = facts.st_mtime;
        strcpy(grown[count++].name, entry->d_name);
    }
    return count;
}

/* Beside the kit at place the few latest stay, and all that is in use or was lately. */
static void remove_old(const char *place)
{
    AUTO_FREE char *parent = strdup(place);
    AUTO_FREE struct old_kit *list = NULL;
    char *slash = parent ? strrchr(parent, '/') : NULL;
    if (!slash)
        return;
    *slash = '\0';
    AUTO_DIR DIR *folder = opendir(parent);
    if (!folder)
        return;
    size_t count = list_kits(folder, &list);
    if (count)
        qsort(list, count, sizeof(*list), latest_first);
    const time_t limit = time(NULL) - REST_S;
    for (size_t i = 0; i < count; i++)
        if ((i >= KEPT_KITS || list[i].name[0] == '.') && list[i].used < limit)
            remove_unused(dirfd(folder), parent, list[i].name);
}

bool keep_kit(const char *folder, const char *place, bool replace)
{
    bool kept = rename(folder, place) == 0;
    /* ENOTDIR: something that is no kit has its name. */
    if (!kept && (replace || errno == ENOTDIR) && exchange(folder, place)) {
        folder_remove(folder);
        kept = true;
    }
    if (kept)
        remove_old(place);
    return kept;
}
