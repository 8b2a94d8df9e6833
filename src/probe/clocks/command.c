/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Clocks that are commands: one that runs on and is asked, one that runs for each reading. */
#include <errno.h>
#include <stdlib.h>

#include "base/words.h"
#include "probe/clocks/coprocess.h"
#include "probe/clocks/external.h"

struct command {
    char **words;
    struct coprocess coprocess; /* of the one that runs on */
};

static uint64_t give_up(struct clock_reader *reader, int result, const struct failure *failure)
{
    return clock_fails(reader, -result, "%s", failure->text);
}

/* What failed once is not asked again: its next answer would be that of an earlier question. */
static uint64_t ask(struct clock_reader *reader)
{
    struct command *command = external_state(reader);
    struct failure failure = {0};
    uint64_t number = 0;
    if (reader->error)
        return 0;
    int result = coprocess_ask(&command->coprocess, &failure);
    if (result == 0)
        result = coprocess_hear_line(&command->coprocess, &number, &failure);
    return result < 0 ? give_up(reader, result, &failure) : number;
}

/* One that hangs is waited for once. */
static uint64_t run(struct clock_reader *reader)
{
    struct command *command = external_state(reader);
    struct failure failure = {0};
    struct coprocess coprocess;
    uint64_t number = 0;
    if (reader->error)
        return 0;
    int result = coprocess_start(&coprocess, command->words, false, &failure);
    if (result == 0)
        result = coprocess_hear_all(&coprocess, &number, &failure);
    coprocess_end(&coprocess);
    return result < 0 ? give_up(reader, result, &failure) : number;
}

CLOCK_READ_AND_FILL(ask, ask(reader))
CLOCK_READ_AND_FILL(run, run(reader))

static void command_close(void *state)
{
    struct command *command = state;
    if (!command)
        return;
    coprocess_end(&command->coprocess);
    words_free(command->words);
    free(command);
}

static int split(struct external *external, const char *what, char *reason, size_t size)
{
    struct command *command = external->state = calloc(1, sizeof(*command));
    struct failure failure = {0};
    if (!command)
        return clock_says(reason, size, -ENOMEM, "out of memory");
    command->coprocess = COPROCESS_NONE;
    int count = words_split(what, &command->words, &failure);
    if (count < 0)
        return clock_says(reason, size, count, "%s", failure.text);
    return count ? 0 : clock_says(reason, size, -EINVAL, "the command has no words");
}

static int ask_open(struct external *external, const char *what, char *reason, size_t size)
{
    struct failure failure = {0};
    int result = split(external, what, reason, size);
    if (result < 0)
        return result;
    struct command *command = external->state;
    result = coprocess_start(&command->coprocess, command->words, true, &failure);
    return result < 0 ? clock_says(reason, size, result, "%s", failure.text) : 0;
}

const struct external_kind external_ask = {
    .like = {.kind = CLOCK_WALL,
             .way = "ask",
             .note = "",
             .slow = true,
             .hardware = EXTERNAL_HARDWARE,
             .read = ask_read,
             .fill = ask_fill},
    .open = ask_open,
    .close = command_close,
};

const struct external_kind external_run = {
    .like = {.kind = CLOCK_WALL,
             .way = "run",
             .note = "",
             .slow = true,
             .hardware = EXTERNAL_HARDWARE,
             .read = run_read,
             .fill = run_fill},
    .open = split,
    .close = command_close,
};
