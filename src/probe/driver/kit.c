/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kit: its folder and manifest, how the rest of it arrives, how it stays on the machine. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "probe/driver/catalogue.h"

/* --- The manifest: one statement a line, the first says what the file is --- */

#define KIT_MAX_ENTRIES 256

int kit_folder(char **folder, struct failure *failure)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    if (length < 0)
        return fail_with(failure, -errno,
                         "the probe cannot find its own kit, because /proc/self/exe cannot be "
                         "read: %s. Mount /proc there",
                         strerror(errno));
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash && slash != path)
        *slash = '\0';
    *folder = strdup(path);
    return *folder ? 0 : fail_with(failure, -ENOMEM, "out of memory");
}

/* Cuts the next word off *rest; NULL when there is none. */
static char *next_word(char **rest)
{
    char *word = strsep(rest, " ");
    return word && *word ? word : NULL;
}

static int keep_harness(struct probe_kit *kit, char *rest)
{
    char *file = next_word(&rest);
    char *link = next_word(&rest);
    if (!file || !link || strchr(file, '/') || kit->harness_count == KIT_MAX_ENTRIES)
        return -EINVAL;
    struct kit_harness *added = list_add(&kit->harnesses, &kit->harness_count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = (struct kit_harness){strdup(file), strdup(link)};
    return 0;
}

static int keep_absence(struct probe_kit *kit, char *rest)
{
    char *kind = next_word(&rest);
    char *name = next_word(&rest);
    if (!kind || !name || !rest || kit->absence_count == KIT_MAX_ENTRIES)
        return -EINVAL;
    struct kit_absence *added = list_add(&kit->absences, &kit->absence_count, sizeof(*added));
    if (!added)
        return -ENOMEM;
    *added = (struct kit_absence){strdup(kind), strdup(name), strdup(rest)};
    return 0;
}

static int keep_build(struct probe_kit *kit, char *rest)
{
    char *build = next_word(&rest);
    if (!build || kit->build)
        return -EINVAL;
    kit->build = strdup(build);
    return kit->build ? 0 : -ENOMEM;
}

/* Statements a later version may add are not this version's business. */
static int keep_line(struct probe_kit *kit, char *line)
{
    static const struct {
        const char *word;
        int (*keep)(struct probe_kit *kit, char *rest);
    } statements[] = {{"build", keep_build}, {"harness", keep_harness}, {"absent", keep_absence}};
    char *rest = line;
    const char *word = next_word(&rest);
    for (size_t index = 0; word && index < sizeof(statements) / sizeof(*statements); index++)
        if (strcmp(word, statements[index].word) == 0)
            return statements[index].keep(kit, rest);
    return 0;
}

static int read_manifest(struct probe_kit *kit, FILE *file)
{
    AUTO_FREE char *line = NULL;
    size_t capacity = 0;
    for (unsigned number = 1; getline(&line, &capacity, file) >= 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        int result = number > 1                         ? keep_line(kit, line)
                     : strcmp(line, "assay-kit 1") == 0 ? 0
                                                        : -EINVAL;
        if (result < 0)
            return result;
    }
    return kit->build ? 0 : -EINVAL;
}

int kit_load(struct probe_kit *kit, char *folder, struct failure *failure)
{
    *kit = (struct probe_kit){.folder = folder};
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/manifest", folder) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return fail_with(failure, -errno,
                         "the kit is not complete: %s: %s. Build again, or copy the whole folder",
                         path, strerror(errno));
    int result = read_manifest(kit, file);
    if (result < 0)
        return fail_with(failure, result, "%s is not the manifest of a kit this probe knows", path);
    return 0;
}

void kit_free(struct probe_kit *kit)
{
    for (size_t index = 0; index < kit->harness_count; index++) {
        free(kit->harnesses[index].file);
        free(kit->harnesses[index].link);
    }
    for (size_t index = 0; index < kit->absence_count; index++) {
        free(kit->absences[index].kind);
        free(kit->absences[index].name);
        free(kit->absences[index].reason);
    }
    free(kit->harnesses);
    free(kit->absences);
    free(kit->build);
    free(kit->folder);
    *kit = (struct probe_kit){0};
}

/* ----------------------------------------------------------------------------------------------
 * Receives files as `file NAME MODE SIZE` lines followed by their bytes. Lines are read byte by
 * byte, because nothing beyond `end` may be taken. */

#define LINE_BYTES   512
#define MAX_FILE     (256ull << 20)
#define MAX_FILES    256
#define BUFFER_BYTES 65536

static int read_exactly(int fd, char *buffer, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, buffer + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -errno : -EPIPE;
        done += (size_t)got;
    }
    return 0;
}

static int read_line(int fd, char line[LINE_BYTES])
{
    for (size_t length = 0; length < LINE_BYTES; length++) {
        int result = read_exactly(fd, line + length, 1);
        if (result < 0)
            return result;
        if (line[length] == '\n') {
            line[length] = '\0';
            return 0;
        }
    }
    return -EBADMSG;
}

static int write_all(int fd, const char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = write(fd, bytes + done, size - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return -errno;
        done += (size_t)put;
    }
    return 0;
}

static int copy_bytes(int from, int to, uint64_t size)
{
    static char buffer[BUFFER_BYTES];
    while (size) {
        size_t part = size < sizeof(buffer) ? (size_t)size : sizeof(buffer);
        int result = read_exactly(from, buffer, part);
        if (result == 0)
            result = write_all(to, buffer, part);
        if (result < 0)
            return result;
        size -= part;
    }
    return 0;
}

static int receive_file(int input, int folder, const char *line, struct failure *failure)
{
    char name[256];
    unsigned mode;
    unsigned long long size;
    int end = 0;
    /* A plain name: nothing can be written outside the folder or over the running probe. */
    if (sscanf(line, "file %255s %o %llu%n", name, &mode, &size, &end) != 3 || line[end] ||
        name[0] == '.' || strcmp(name, "assay-probe") == 0 || strchr(name, '/') || size > MAX_FILE)
        return fail_with(failure, -EBADMSG, "not a file of a kit: %.100s", line);
    AUTO_CLOSE int file =
        openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return fail_with(failure, -errno, "cannot write %s of the kit: %s", name, strerror(errno));
    int result = copy_bytes(input, file, size);
    if (result == 0 && fchmod(file, mode & 0700) < 0)
        result = -errno;
    if (result < 0)
        return fail_with(failure, result, "receiving %s of the kit failed: %s", name,
                         result == -EPIPE ? "the sender is gone" : strerror(-result));
    return 0;
}

int receive_kit(int input, int output, const char *folder, struct failure *failure)
{
    static const char greeting[] = "@assay-kit\n";
    char line[LINE_BYTES];
    AUTO_CLOSE int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return fail_with(failure, -errno, "cannot open %s: %s", folder, strerror(errno));
    int result = write_all(output, greeting, sizeof(greeting) - 1);
    for (unsigned files = 0; result == 0; files++) {
        result = read_line(input, line);
        if (result < 0)
            return fail_with(failure, result, "the kit was not received whole");
        if (strcmp(line, "end") == 0)
            return 0;
        if (files == MAX_FILES)
            return fail_with(failure, -EBADMSG, "a kit has at most %d files", MAX_FILES);
        result = receive_file(input, directory, line, failure);
    }
    return result;
}

/* ----------------------------------------------------------------------------------------------
 * Keeps a kit: renamed into its place when complete, so that half a kit is never found under its
 * build id. In use means: some process holds a shared lock on its manifest. */

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

static int latest_first(const void *left, const void *right)
{
    const struct old_kit *a = left, *b = right;
    bool whole_a = a->name[0] != '.', whole_b = b->name[0] != '.';
    if (whole_a != whole_b)
        return whole_a ? -1 : 1;
    return (a->used < b->used) - (a->used > b->used);
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
    size_t count = 0;
    const struct dirent *entry;
    while ((entry = readdir(folder)) && count < MOST_KITS) {
        struct stat facts;
        /* Kits and what unfinished pushes left. Whatever else lies there is not ours. */
        if (!(strncmp(entry->d_name, ".new.", 5) == 0 ||
              (entry->d_name[0] != '.' && strlen(entry->d_name) >= 8 &&
               !entry->d_name[strspn(entry->d_name, "0123456789abcdef")])) ||
            fstatat(dirfd(folder), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) < 0 ||
            !S_ISDIR(facts.st_mode))
            continue;
        struct old_kit *added = list_add(&list, &count, sizeof(*added));
        if (!added)
            break;
        added->used = facts.st_mtime;
        strcpy(added->name, entry->d_name);
    }
    if (count)
        qsort(list, count, sizeof(*list), latest_first);
    const time_t limit = time(NULL) - REST_S;
    for (size_t i = 0; i < count; i++)
        if ((i >= KEPT_KITS || list[i].name[0] == '.') && list[i].used < limit) {
            AUTO_CLOSE int lock = -1;
            AUTO_FREE char *path = NULL;
            if (!in_use(dirfd(folder), list[i].name, &lock) &&
                asprintf(&path, "%s/%s", parent, list[i].name) >= 0)
                folder_remove(path);
        }
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
