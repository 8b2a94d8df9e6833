/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A harness: one process, one visit. It finds its job in shared memory (descriptor 3), runs it and
 * ends. With --describe it says which paths it holds; with --nothing it is the
 * command that does nothing, whose start and end are timed. It must not call read, ioctl, prctl or
 * whatever else a window measures: hence the inline system calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/harness/path.h"
#include "syscall.h"

#define EXIT_NO_JOB 2

/* What a path's library offers is the same at every level. */
static bool is_first_level(const struct path *path)
{
    size_t index = 0;
    while (path_registry[index] && strcmp(path_registry[index]->name, path->name) != 0)
        index++;
    return path_registry[index] == path;
}

/* "path NAME OPT PATTERNS folder|- SOURCES NOTE" for what can run here, "absent NAME ERRNO REASON"
 * for what cannot; one line for each level. Then what the path's library describes. */
static void describe(const struct path *path)
{
    char reason[512] = "";
    int result = path->operations->usable ? path->operations->usable(reason, sizeof(reason)) : 0;
    if (result < 0) {
        printf("absent %s %d %s\n", path->name, -result, reason);
        return;
    }
    printf("path %s %s ", path->name, path->opt);
    const char *separator = "";
    for (int pattern = 0; pattern < PATTERN_COUNT; pattern++)
        if (path->windows[pattern][SPECIMEN_NULL][LAYOUT_GROUP]) {
            printf("%s%s", separator, pattern_names[pattern]);
            separator = ",";
        }
    printf(" %s %s %s\n", path->needs_folder ? "folder" : "-", path->sources, path->note);
    if (path->operations->describe && is_first_level(path))
        path->operations->describe();
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 2 && strcmp(arguments[1], "--nothing") == 0)
        return 0;
    if (argument_count == 2 && strcmp(arguments[1], "--describe") == 0) {
        for (size_t index = 0; path_registry[index]; index++)
            describe(path_registry[index]);
        return fflush(stdout) ? 1 : 0;
    }
    struct job *job = job_attach();
    if (!job_begin(job, job))
        return EXIT_NO_JOB;
    int result = run_job(job);
    if (result == RUN_CONCLUDES_AT_EXIT)
        exit(0);
    job_conclude(job, result);
    assay_syscall1(SYS_exit_group, result < 0);
    return result < 0;
}
