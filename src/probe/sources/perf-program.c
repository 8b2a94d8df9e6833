/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds perf(1), tries it, reads its files. */
#include "probe/sources/perf-program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/printable.h"
#include "probe/sources/perf-stat-output.h"
#include "probe/sources/program.h"

#define OUTPUT_MAX 65536 /* bytes; perf writes about a hundred */

const char perf_separated[] = {'-', 'x', PERF_STAT_SEPARATOR, '\0'};

int perf_usable(char *reason, size_t size)
{
    if (program_emulated()) {
        snprintf(reason, size, "programs are run by an emulator here, which perf would count");
        return -ENOTSUP;
    }
    AUTO_FREE char *program = program_find("perf");
    if (!program) {
        snprintf(reason, size,
                 "perf is not installed: it is in the package linux-perf (Debian), perf (Fedora, "
                 "Arch) or linux-tools (Ubuntu)");
        return -ENOENT;
    }
    if (program_says(program, "--version", "perf version"))
        return 0;
    if (programs_die(reason, size))
        return -EPERM;
    snprintf(reason, size,
             "%s does not tell its version: is it for another kernel? Install the perf of this one",
             program);
    return -ENOEXEC;
}

int perf_takes_event(const char *event, struct failure *failure)
{
    if (strchr(event, PERF_STAT_SEPARATOR) || event[0] == '-')
        return fail_with(failure, -EINVAL, "perf cannot be given the event %s by its name", event);
    return 0;
}

char *perf_read_file(const char *path, size_t *length)
{
    struct stat facts;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &facts) < 0)
        return NULL;
    if (!S_ISREG(facts.st_mode) || facts.st_size > OUTPUT_MAX) {
        errno = EBADMSG;
        return NULL;
    }
    char *bytes = malloc((size_t)facts.st_size + 1);
    ssize_t got = bytes ? read(fd, bytes, (size_t)facts.st_size) : -1;
    if (got < 0) {
        free(bytes);
        return NULL;
    }
    *length = (size_t)got;
    return bytes;
}

void perf_read_words(const char *path, char words[PERF_WORDS])
{
    size_t length = 0;
    AUTO_FREE char *bytes = perf_read_file(path, &length);
    words[0] = '\0';
    if (!bytes)
        return;
    size_t count = printable_copy(words, PERF_WORDS, bytes, length), kept = 0;
    for (size_t index = 0; index < count; index++) {
        bool blank = words[index] == '\n' || words[index] == ' ';
        if (!blank || (kept && words[kept - 1] != ' '))
            words[kept++] = blank ? ' ' : words[index];
    }
    words[kept && words[kept - 1] == ' ' ? kept - 1 : kept] = '\0';
}
