/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Atomic output: a temporary file beside the target, renamed when it is complete. */
#include "output/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static bool is_stdout(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static const char *reason(int error)
{
    switch (error) {
    case EISDIR:
        return "it is a folder; name a file in it";
    case ENOENT:
        return "its folder is not there";
    default:
        return strerror(error);
    }
}

static int cannot_write(const char *path, int error, struct failure *failure)
{
    return fail_with(failure, -error, "cannot write %.500s: %s", path, reason(error));
}

/* A device or pipe is written in place; there is nothing to rename. */
static bool in_place(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

/* Samples cannot be had again: whoever names a store for a result has mistaken one for the other.
 */
static bool is_database(const char *path)
{
    static const char magic[] = "SQLite format 3";
    char begin[sizeof(magic)] = "";
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const size_t got = fread(begin, 1, sizeof(begin), file);
    fclose(file);
    return got == sizeof(begin) && memcmp(begin, magic, sizeof(magic)) == 0;
}

int output_check(const char *path, struct failure *failure)
{
    if (is_stdout(path) || in_place(path))
        return 0;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return cannot_write(path, EISDIR, failure);
    if (is_database(path))
        return fail_with(failure, -EEXIST,
                         "cannot write %.500s: there is a database, which a result does not "
                         "replace; name another file",
                         path);
    AUTO_FREE char *copy = strdup(path);
    if (!copy)
        return cannot_write(path, ENOMEM, failure);
    if (access(dirname(copy), W_OK | X_OK) < 0)
        return cannot_write(path, errno, failure);
    return 0;
}

/* mkstemp makes files for the owner alone; a result gets the mode any new file would. */
static void usual_mode(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd, 0666 & ~mask) < 0)
        return; /* some file systems have no modes */
}

static int open_beside(struct output *output, struct failure *failure)
{
    /* Through a symbolic link the file it points at is replaced, not the link. */
    char *real = realpath(output->path, NULL);
    if (real) {
        free(output->path);
        output->path = real;
    }
    if (asprintf(&output->temporary, "%s.XXXXXX", output->path) < 0) {
        output->temporary = NULL;
        return cannot_write(output->path, ENOMEM, failure);
    }
    int fd = mkstemp(output->temporary);
    if (fd < 0) {
        int error = errno;
        free(output->temporary);
        output->temporary = NULL;
        return cannot_write(output->path, error, failure);
    }
    usual_mode(fd);
    output->stream = fdopen(fd, "w");
    if (!output->stream) {
        close(fd);
        return cannot_write(output->path, ENOMEM, failure);
    }
    return 0;
}

int output_open(struct output *output, const char *path, struct failure *failure)
{
    *output = (struct output){0};
    if (is_stdout(path)) {
        output->stream = stdout;
        return 0;
    }
    int error = output_check(path, failure);
    if (error < 0)
        return error;
    output->path = strdup(path);
    if (!output->path)
        return cannot_write(path, ENOMEM, failure);
    if (!in_place(path)) {
        error = open_beside(output, failure);
        if (error < 0)
            output_discard(output);
        return error;
    }
    output->stream = fopen(path, "we");
    if (!output->stream) {
        error = cannot_write(path, errno, failure);
        output_discard(output);
        return error;
    }
    return 0;
}

int output_commit(struct output *output, struct failure *failure)
{
    errno = 0;
    bool failed = fflush(output->stream) != 0 || ferror(output->stream);
    int error = failed ? (errno ? errno : EIO) : 0;
    if (!output->path)
        return error ? cannot_write("standard output", error, failure) : 0;
    if (fclose(output->stream) != 0 && !error)
        error = errno;
    output->stream = NULL;
    if (!error && output->temporary) {
        if (rename(output->temporary, output->path) < 0) {
            error = errno;
        } else {
            free(output->temporary);
            output->temporary = NULL;
        }
    }
    int result = error ? cannot_write(output->path, error, failure) : 0;
    output_discard(output);
    return result;
}

void output_discard(struct output *output)
{
    if (output->stream && output->path)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    *output = (struct output){0};
}
