/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The programs that `assay repeat` is asked for, and the files that they need on the machine under
 * test. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/words.h"
#include "engine/command-line.h"
#include "cli/repeat-run.h"

static int no_memory(struct failure *failure)
{
    return fail_with(failure, -ENOMEM, "out of memory");
}

/* What a resumed run has of its store is not looked for again. */
static int find_places(struct repeating *repeating, struct failure *failure)
{
    const struct repeat_options *options = repeating->run.options;
    int error = 0;
    if (!repeating->input)
        error = command_line_input(repeating->session, options->common.via, options->input,
                                   &repeating->input, failure);
    if (error == 0 && !repeating->directory)
        error = command_line_directory(options->common.via, options->directory,
                                       &repeating->directory, failure);
    return error;
}

static int join(struct repeating *repeating, struct failure *failure)
{
    if (repeating->joined || !repeating->word_count)
        return 0;
    return command_line_join(repeating->words, repeating->word_count, &repeating->joined, failure);
}

static int add_command(struct repeating *repeating, struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    int count = words_split(repeating->joined, &words, failure);
    if (count <= 0)
        return count < 0 ? count : fail_with(failure, -EINVAL, "the command is empty");
    struct repeat_wanted *program =
        list_add(&repeating->programs, &repeating->program_count, sizeof(*program));
    if (!program)
        return no_memory(failure);
    const char *input = repeating->input, *directory = repeating->directory;
    *program = (struct repeat_wanted){.name = command_line_name(words[0]),
                                      .words = strdup(repeating->joined),
                                      .input = input ? strdup(input) : NULL,
                                      .directory = directory ? strdup(directory) : NULL,
                                      .user = true};
    const bool whole = program->name && program->words && (program->input || !input) &&
                       (program->directory || !directory);
    return whole ? 0 : no_memory(failure);
}

static int find(struct repeating *repeating, struct failure *failure)
{
    int error = join(repeating, failure);
    if (error == 0)
        error = command_line_bring(repeating->session, &repeating->run.options->bring, failure);
    if (error == 0)
        error = find_places(repeating, failure);
    if (error == 0 && repeating->joined)
        error = add_command(repeating, failure);
    if (error == 0)
        error = repeat_find_suites(repeating, failure);
    return error;
}

int repeat_find_programs(struct repeating *repeating)
{
    struct failure failure = {0};
    const int error = find(repeating, &failure);
    if (error == -EINTR)
        return EXIT_INTERRUPTED;
    return error < 0 ? repeat_fail(&failure) : EXIT_DONE;
}
