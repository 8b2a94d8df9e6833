/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command of a cell: what makes sense, asked by the wire of what it got, by the store of what
 * it is given and of what it finds in itself. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/words.h"
#include "wire/cell.h"

static bool is(const char *word, const char *wanted)
{
    return word && strcmp(word, wanted) == 0;
}

static int check_absence(const struct cell *cell, struct failure *failure)
{
    if (is(cell->path, "command"))
        return fail_with(failure, -EINVAL, "cell %" PRIu32 " has path 'command', but no words",
                         cell->id);
    return 0;
}

static int check_factors(const struct cell *cell, struct failure *failure)
{
    if (!is(cell->path, "command") || cell->pattern != PATTERN_RR || !is(cell->specimen, "null") ||
        cell->n != 0 || cell->runs != 1)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " is a command, so its path, pattern, specimen, n and "
                         "runs must be command, rr, null, 0 and 1",
                         cell->id);
    if (cell->tour.calls || cell->watch.kind != WATCH_NONE)
        return fail_with(failure, -EINVAL,
                         "cell %" PRIu32 " is a command, so it can be neither a tour nor a watch",
                         cell->id);
    return 0;
}

/* A program and its arguments, which may hold anything but their end. */
static int check_words(const struct cell *cell, struct failure *failure)
{
    AUTO_WORDS char **words = NULL;
    struct failure why = {0};
    if (strlen(cell->command.words) > COMMAND_MOST_BYTES)
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " is longer than %u bytes", cell->id,
                         COMMAND_MOST_BYTES);
    int count = words_split(cell->command.words, &words, &why);
    if (count == -ENOMEM)
        return fail_with(failure, -ENOMEM, "%s", why.text);
    if (count < 0)
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " is no list of words: %s", cell->id,
                         why.text);
    if (count == 0 || !*words[0])
        return fail_with(failure, -EINVAL, "the command of cell %" PRIu32 " names no program",
                         cell->id);
    return 0;
}

/* Names stand in tables: no control characters. */
static bool is_line(const char *text, size_t size)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
            return false;
    return length >= 1 && length < size;
}

/* Variables with commas between them. */
static bool are_variables(const char *names)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (;; names++) {
        const size_t length = strspn(names, letters);
        if (length == 0 || (*names >= '0' && *names <= '9'))
            return false;
        names += length;
        if (*names != ',')
            return !*names;
    }
}

static int check_texts(const struct cell *cell, struct failure *failure)
{
    const struct cell_command *command = &cell->command;
    if (!command->name || !is_line(command->name, COMMAND_NAME))
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " must have a name of at most %d bytes "
                         "without control characters",
                         cell->id, COMMAND_NAME - 1);
    if ((command->directory && !is_line(command->directory, COMMAND_PLACE)) ||
        (command->input && !is_line(command->input, COMMAND_PLACE)))
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " has a directory or an input that is no "
                         "path of at most %d bytes without control characters",
                         cell->id, COMMAND_PLACE - 1);
    if (command->keep && (strlen(command->keep) >= COMMAND_PLACE || !are_variables(command->keep)))
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " keeps '%.80s', which is no list of names "
                         "of variables with commas between them",
                         cell->id, command->keep);
    return 0;
}

static int check_numbers(const struct cell *cell, struct failure *failure)
{
    const struct cell_command *command = &cell->command;
    if (command->controls & ~CONTROLS_ALL)
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32
                         " has controls that there are not: 0x%" PRIx32,
                         cell->id, command->controls & ~CONTROLS_ALL);
    if ((unsigned)command->sweep >= SWEEP_COUNT || (unsigned)command->detail >= DETAIL_COUNT)
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " has a sweep or a detail that is none",
                         cell->id);
    if (command->swept > (command->sweep == SWEEP_NONE ? 0 : SWEEP_MOST))
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " is swept to %" PRIu64 ": at most %u, and "
                         "0 where nothing is swept",
                         cell->id, command->swept, SWEEP_MOST);
    if (command->timeout > COMMAND_MOST_MS)
        return fail_with(failure, -EINVAL,
                         "the command of cell %" PRIu32 " may take %" PRIu64 " ms: at most %" PRIu64
                         ", or 0 for as long as it likes",
                         cell->id, command->timeout, COMMAND_MOST_MS);
    return 0;
}

/* One counts, or nobody does and only what became of it is asked for; no column twice. */
static int check_events(const struct cell *cell, struct failure *failure)
{
    const char *counter = NULL;
    for (uint32_t i = 0; i < cell->counters; i++) {
        const char *event = cell->events[i] ? cell->events[i] : "";
        const char *source = command_source(event);
        if (!*event || (strncmp(event, "run/", 4) == 0 && *source))
            return fail_with(failure, -EINVAL,
                             "the command of cell %" PRIu32 " has a column '%.80s', which there is "
                             "not",
                             cell->id, event);
        if (counter && *source && strcmp(counter, source) != 0)
            return fail_with(failure, -EINVAL,
                             "the command of cell %" PRIu32
                             " is to be counted by %s and by %s: one "
                             "execution has one of them",
                             cell->id, counter, source);
        if (*source)
            counter = source;
        for (uint32_t before = 0; before < i; before++)
            if (strcmp(cell->events[before], event) == 0)
                return fail_with(failure, -EINVAL,
                                 "the command of cell %" PRIu32 " has the column '%.80s' twice",
                                 cell->id, event);
    }
    return 0;
}

int cell_check_command(const struct cell *cell, struct failure *failure)
{
    if (!cell->command.words)
        return check_absence(cell, failure);
    int error = check_factors(cell, failure);
    if (!error)
        error = check_words(cell, failure);
    if (!error)
        error = check_texts(cell, failure);
    if (!error)
        error = check_numbers(cell, failure);
    return error ? error : check_events(cell, failure);
}

static bool same_text(const char *left, const char *right)
{
    return strcmp(left ? left : "", right ? right : "") == 0;
}

bool cell_same_command(const struct cell *left, const struct cell *right)
{
    const struct cell_command *a = &left->command, *b = &right->command;
    if (!a->words || !b->words)
        return !a->words && !b->words;
    return same_text(a->words, b->words) && same_text(a->name, b->name) &&
           same_text(a->directory, b->directory) && same_text(a->input, b->input) &&
           same_text(a->keep, b->keep) && a->controls == b->controls && a->sweep == b->sweep &&
           a->swept == b->swept && a->timeout == b->timeout && a->detail == b->detail &&
           a->shown == b->shown;
}
