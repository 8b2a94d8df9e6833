/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a machine, live or recorded. Stands below every collector in src/machine. */
#include "machine/view.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/list.h"

#define MAX_FILE (4u << 20) /* bytes; /proc/cpuinfo of a thousand CPUs fits */

bool view_recorded(const struct machine_view *view)
{
    return view->live || view->root[0] != '\0';
}

int view_open_recorded(struct machine_view *view, const char *root, struct facts *live,
                       struct failure *failure)
{
    *view = (struct machine_view){.root = root, .live = live};
    AUTO_FREE char *path = NULL;
    if (asprintf(&path, "%s/live", root) < 0) {
        path = NULL;
        return -ENOMEM;
    }
    AUTO_FILE FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT
                   ? 0
                   : fail_with(failure, -errno, "cannot open %s: %s", path, strerror(errno));
    return facts_read(live, file, failure);
}

static char *below(const struct machine_view *view, const char *path)
{
    char *full;
    return asprintf(&full, "%s%s", view->root, path) < 0 ? NULL : full;
}

static int read_all(int fd, struct text *content)
{
    char block[4096];
    for (;;) {
        ssize_t got = read(fd, block, sizeof(block));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            return content->failed ? -ENOMEM : 0;
        if (content->length + (size_t)got > MAX_FILE)
            return -EFBIG;
        text_append(content, block, (size_t)got);
    }
}

int view_text(const struct machine_view *view, const char *path, struct text *content)
{
    text_clear(content);
    AUTO_FREE char *full = below(view, path);
    if (!full)
        return -ENOMEM;
    AUTO_CLOSE int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return -errno;
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? -EISDIR : -ENODEV;
    text_puts(content, ""); /* a string also where the file is empty: readers cut it into lines */
    return content->failed ? -ENOMEM : read_all(fd, content);
}

static int read_tidy(const struct machine_view *view, const char *path, struct text *content)
{
    int result = view_text(view, path, content);
    if (result == 0) {
        /* Facts are lines of text: a device tree's NUL separators become spaces, trailing blanks
         * go. */
        for (size_t i = 0; i < content->length; i++)
            if (content->bytes[i] == '\0')
                content->bytes[i] = ' ';
        while (content->length > 0 && isspace((unsigned char)content->bytes[content->length - 1]))
            content->bytes[--content->length] = '\0';
    }
    return result;
}

void view_read(const struct machine_view *view, struct facts *facts, const char *key,
               const char *path)
{
    AUTO_TEXT struct text content = {0};
    int result = read_tidy(view, path, &content);
    facts_set(facts, key, result < 0 ? NULL : text_string(&content), -result);
}

void view_live(const struct machine_view *view, struct facts *facts, const char *key,
               const char *value, int error)
{
    if (!view_recorded(view)) {
        facts_set(facts, key, value, error);
        return;
    }
    const struct fact *fact = view->live ? facts_find(view->live, key) : NULL;
    facts_set(facts, key, fact ? fact->value : NULL, fact ? fact->error : ENODATA);
}

static int by_version(const void *left, const void *right)
{
    return strverscmp(*(char *const *)left, *(char *const *)right);
}

static int add_name(struct view_names *names, const char *name)
{
    char **added = list_add(&names->list, &names->count, sizeof(*added));
    if (added)
        *added = strdup(name);
    if (added && !*added)
        names->count--;
    return added && *added ? 0 : -ENOMEM;
}

int view_names(const struct machine_view *view, const char *path, const char *pattern,
               struct view_names *names)
{
    *names = (struct view_names){0};
    AUTO_FREE char *full = below(view, path);
    AUTO_DIR DIR *folder = full ? opendir(full) : NULL;
    if (!folder)
        return full ? -errno : -ENOMEM;
    int result = 0;
    for (struct dirent *entry; result == 0 && (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && fnmatch(pattern, entry->d_name, 0) == 0)
            result = add_name(names, entry->d_name);
    if (result < 0)
        view_names_free(names);
    else if (names->count > 0)
        qsort(names->list, names->count, sizeof(*names->list), by_version);
    return result;
}

void view_names_free(struct view_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct view_names){0};
}

/* A value may hold commas itself ("sifive,u74-mc"). */
void distinct_add(struct text *list, const char *value)
{
    size_t length = strlen(value);
    if (length == 0)
        return;
    const char *whole = text_string(list);
    for (const char *at = whole; (at = strstr(at, value)); at++) {
        if ((at == whole || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return;
    }
    text_printf(list, "%s%s", list->length ? "," : "", value);
}

void view_distinct(const struct machine_view *view, struct facts *facts, const char *key,
                   const char *folder, const char *pattern, const char *file)
{
    AUTO_NAMES struct view_names names;
    int error = view_names(view, folder, pattern, &names);
    AUTO_TEXT struct text joined = {0};
    AUTO_TEXT struct text content = {0};
    for (size_t i = 0; i < names.count; i++) {
        AUTO_FREE char *path = NULL;
        if (asprintf(&path, "%s/%s/%s", folder, names.list[i], file) < 0) {
            path = NULL;
            break;
        }
        int result = read_tidy(view, path, &content);
        if (result < 0)
            error = result;
        else
            distinct_add(&joined, text_string(&content));
    }
    facts_set(facts, key, joined.length ? text_string(&joined) : NULL, error ? -error : ENOENT);
}
