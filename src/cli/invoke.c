/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Parses what a command was given, and runs it. */
#include "cli/invoke.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/command-status.h"
#include "cli/deliver.h"
#include "commands/help.h"
#include "engine/options.h"

static int print_help(const struct command *command)
{
    AUTO_TEXT struct text out = {0};
    help_command(&out, command);
    fputs(text_string(&out), stdout);
    return EXIT_DONE;
}

int invoke(const struct command *command, int argc, char **argv, struct retold *retold)
{
    AUTO_FREE void *options = calloc(1, command->options_size);
    /* getopt moves the words about; records show them as they were given. */
    AUTO_FREE char **given = calloc((size_t)argc + 2, sizeof(*given));
    if (!options || !given) {
        fputs("assay: out of memory\n", stderr);
        return EXIT_FAILED;
    }
    memcpy(given, argv - 1, ((size_t)argc + 1) * sizeof(*given));
    struct common_options *common = options;
    common->argc = argc + 1;
    common->argv = given;
    common->retold = retold;
    struct failure failure = {0};
    int first = 1, status;
    int error = options_parse(command, argc, argv, options, &first, &failure);
    if (common->help) {
        status = print_help(command);
    } else if (error < 0) {
        status =
            deliver_failure(command->name, &failure, error == -EINVAL ? EXIT_USAGE : EXIT_FAILED);
        status = command->passes_on ? EXIT_OURS : status;
        fprintf(stderr, "Try `assay %s --help`.\n", command->name);
    } else {
        status = command->run(options, argc - first, argv + first);
    }
    options_release(command, options);
    return status;
}

int retell(const char *const *words, size_t count, struct retold *retold)
{
    const struct command *command = command_find(words[0]);
    /* The whole line, "assay" first; the words may be moved about. */
    AUTO_FREE char **line = calloc(count + 2, sizeof(*line));
    if (!line)
        return deliver_out_of_memory(words[0]);
    static char program[] = "assay";
    line[0] = program;
    memcpy(line + 1, words, count * sizeof(*line));
    return invoke(command, (int)count, line + 1, retold);
}
