/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Where the events room looks: files below a root (this machine's, or a recorded tree's) and
 * tracefs, wherever it is mounted or can be reached without mounting it for anyone else. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/mount.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "events/form.h"
#include "syscall.h"

__attribute__((format(printf, 3, 0))) static int format_path(const struct event_view *view,
                                                             char path[PATH_MAX],
                                                             const char *format, va_list arguments)
{
    int root = snprintf(path, PATH_MAX, "%s", view->root ? view->root : "");
    if (root < 0 || root >= PATH_MAX)
        return -ENAMETOOLONG;
    size_t room = PATH_MAX - (size_t)root;
    int rest = vsnprintf(path + root, room, format, arguments);
    return rest < 0 || (size_t)rest >= room ? -ENAMETOOLONG : 0;
}

int view_read_text(const struct event_view *view, char *content, size_t size, const char *format,
                   ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int error = format_path(view, path, format, arguments);
    va_end(arguments);
    content[0] = '\0';
    if (error < 0)
        return error;
    AUTO_CLOSE int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return -errno;
    /* Fills content from an open file and cuts trailing white space. */
    size_t used = 0;
    while (used + 1 < size) {
        ssize_t got = read(file, content + used, size - 1 - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        used += (size_t)got;
    }
    while (used && strchr(" \t\r\n", content[used - 1]))
        used--;
    content[used] = '\0';
    return 0;
}

bool view_exists(const struct event_view *view, const char *format, ...)
{
    char path[PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    int error = format_path(view, path, format, arguments);
    va_end(arguments);
    return error == 0 && access(path, F_OK) == 0;
}

struct name_list {
    char **names;
    size_t count;
};

static void cleanup_names(struct name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
}

static int add_name(struct name_list *list, const char *name)
{
    char *copy = strdup(name);
    char **added = copy ? list_add(&list->names, &list->count, sizeof(*added)) : NULL;
    if (!added) {
        free(copy);
        return -ENOMEM;
    }
    *added = copy;
    return 0;
}

static int compare_names(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

int view_each_entry_at(int directory, const char *folder, view_each_name *each_name, void *context)
{
    int file = openat(directory, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return 0;
    AUTO_DIR DIR *stream = fdopendir(file);
    if (!stream) {
        close(file);
        return 0;
    }
    __attribute__((cleanup(cleanup_names))) struct name_list list = {0};
    for (const struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_name[0] != '.' && add_name(&list, entry->d_name) < 0)
            return -ENOMEM;
    }
    if (list.count)
        qsort(list.names, list.count, sizeof(*list.names), compare_names);
    int stop = 0;
    for (size_t i = 0; i < list.count && !stop; i++)
        stop = each_name(context, list.names[i]);
    return stop;
}

int view_each_entry(const struct event_view *view, const char *folder, view_each_name *each_name,
                    void *context)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s%s", view->root ? view->root : "", folder);
    if (length < 0 || (size_t)length >= sizeof(path))
        return 0;
    return view_each_entry_at(AT_FDCWD, path, each_name, context);
}

/* A mount point of tracefs that may be entered, or negative errno. */
static int open_mounted(const char *root, const char *folder)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s%s", root, folder);
    if (length < 0 || (size_t)length >= sizeof(path))
        return -ENAMETOOLONG;
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -errno;
    if (faccessat(directory, "events", X_OK, 0) == 0)
        return directory;
    int error = -errno;
    close(directory);
    return error;
}

/* Reaches tracefs through a mount attached nowhere: it ends with its descriptor, and no other
 * process can see it. Needs the privilege to mount. */
static int open_detached(void)
{
    AUTO_CLOSE int context =
        (int)assay_syscall2(SYS_fsopen, (long)(uintptr_t) "tracefs", FSOPEN_CLOEXEC);
    if (context < 0)
        return context;
    long error = assay_syscall5(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, 0, 0, 0);
    if (error < 0)
        return (int)error;
    return (int)assay_syscall3(SYS_fsmount, context, FSMOUNT_CLOEXEC, 0);
}

/* A denied mount point is somebody's decision to respect. Not so debugfs, where tracefs may hide:
 * it is closed to everybody but root, and says nothing about tracefs. */
static int open_tracefs(const char *root)
{
    int mounted = open_mounted(root, "/sys/kernel/tracing");
    if (mounted >= 0 || mounted == -EACCES)
        return mounted;
    int hidden = open_mounted(root, "/sys/kernel/debug/tracing");
    if (hidden >= 0)
        return hidden;
    return root[0] ? -ENOENT : open_detached(); /* a recorded tree is all there is */
}

void event_view_open(struct event_view *view, const char *root)
{
    *view = (struct event_view){.root = root ? root : "", .tracefs = -1};
    int tracefs = open_tracefs(view->root);
    if (tracefs < 0)
        view->tracefs_error = -tracefs;
    else
        view->tracefs = tracefs;
}

void event_view_close(struct event_view *view)
{
    if (view->tracefs >= 0)
        close(view->tracefs);
    view->tracefs = -1;
}
