/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * --install: the packages of workloads, on this machine, by apt-get. Only what a program is missing
 * from is installed, and it is said before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "studies/repeat/suite.h"
#include "lab/tool.h"

static bool is_here(const char *word)
{
    if (strchr(word, '/'))
        return access(word, F_OK) == 0;
    AUTO_FREE char *path = tool_path(word);
    return path != NULL;
}

static bool lacks(const struct workload *workload)
{
    AUTO_FREE char *needs = strdup(workload->needs);
    char *rest = NULL;
    for (const char *word = needs ? strtok_r(needs, " ", &rest) : NULL; word;
         word = strtok_r(NULL, " ", &rest))
        if (!strstr(word, PLACE_BROUGHT) && !is_here(word))
            return true;
    return false;
}

static bool has(const char *const *words, size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

static bool pass_line(void *context, const char *line)
{
    void (*const *say)(const char *) = context;
    if (*say)
        (*say)(line);
    return *say != NULL;
}

static int run(const char *const *argv, const char *names, const volatile int *stop,
               void (*say)(const char *), struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    const struct tool tool = {.argv = argv, .stop = stop, .line = pass_line, .context = &say};
    int status = tool_run(&tool, &said, failure);
    if (status <= 0)
        return status;
    char complaint[256];
    tool_complaint(&said, complaint, sizeof(complaint));
    return fail_with(failure, -EIO, "apt-get could not install%s: it ended with status %d%s%s",
                     names, status, *complaint ? ": " : "", complaint);
}

int suite_install(const struct suite *suite, const volatile int *stop, void (*say)(const char *),
                  struct failure *failure)
{
    enum { FIXED = 4 };
    AUTO_FREE const char **argv = calloc(suite->count + FIXED + 1, sizeof(*argv));
    AUTO_TEXT struct text names = {0};
    size_t count = FIXED;
    if (!argv)
        return fail_with(failure, -ENOMEM, "no memory for the packages of a suite");
    const char *const fixed[FIXED] = {"apt-get", "install", "--yes", "--no-install-recommends"};
    memcpy(argv, fixed, sizeof(fixed));
    for (size_t i = 0; i < suite->count; i++) {
        const char *package = suite->list[i].package;
        if (!*package || !lacks(&suite->list[i]) || has(argv + FIXED, count - FIXED, package))
            continue;
        argv[count++] = package;
        text_printf(&names, " %s", package);
    }
    if (count == FIXED)
        return 0;
    if (!is_here("apt-get"))
        return fail_with(failure, -ENOENT,
                         "there is no apt-get here: install%.300s in the way of this system (the "
                         "names are Debian's)",
                         text_string(&names));
    if (geteuid() != 0)
        return fail_with(failure, -EPERM,
                         "packages can only be installed by root: run apt-get install%.300s as "
                         "root, or run this once as root",
                         text_string(&names));
    AUTO_TEXT struct text line = {0};
    text_printf(&line, "installing%s", text_string(&names));
    if (say)
        say(text_string(&line));
    return run(argv, text_string(&names), stop, say, failure);
}
