/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The command of a cell on the wire: eleven fields of its frame, or none. Texts that there need not
 * be travel as empty ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/cell-frame.h"

static const struct {
    const char *key;
    size_t offset;
    bool needed;
} texts[] = {
    {"words", offsetof(struct cell_command, words), true},
    {"name", offsetof(struct cell_command, name), true},
    {"directory", offsetof(struct cell_command, directory), false},
    {"input", offsetof(struct cell_command, input), false},
    {"keep", offsetof(struct cell_command, keep), false},
};
enum { TEXTS = sizeof(texts) / sizeof(*texts) };

void cell_put_command(struct wire_writer *writer, const struct cell_command *command)
{
    const unsigned sweep = (unsigned)command->sweep, detail = (unsigned)command->detail;
    for (size_t i = 0; i < TEXTS; i++) {
        const char *text = *(char *const *)(const void *)((const char *)command + texts[i].offset);
        wire_put_string(writer, texts[i].key, text ? text : "");
    }
    wire_put_u64(writer, "controls", command->controls);
    wire_put_string(writer, "sweep", sweep < SWEEP_COUNT ? sweep_names[sweep] : "?");
    wire_put_u64(writer, "swept", command->swept);
    wire_put_u64(writer, "timeout", command->timeout);
    wire_put_string(writer, "detail", detail < DETAIL_COUNT ? command_detail_names[detail] : "?");
    wire_put_u64(writer, "shown", command->shown ? 1u + (unsigned)command->lent : 0u);
}

static int get_texts(const struct wire_frame *frame, struct cell_command *command,
                     struct failure *failure)
{
    int status = 0;
    for (size_t i = 0; i < TEXTS && status == 0; i++) {
        const char *given = wire_get(frame, texts[i].key);
        char **text = (char **)(void *)((char *)command + texts[i].offset);
        if (!given)
            return fail_with(failure, -EBADMSG, "a command must have '%s', be it empty",
                             texts[i].key);
        if (*given || texts[i].needed)
            status = cell_get_word(frame, texts[i].key, text, failure);
    }
    return status;
}

/* Which of the words a field holds. */
static int get_choice(const struct wire_frame *frame, const char *key, const char *const *words,
                      unsigned count, unsigned *choice, struct failure *failure)
{
    const char *given = wire_get(frame, key);
    for (*choice = 0; given && *choice < count; ++*choice)
        if (strcmp(given, words[*choice]) == 0)
            return 0;
    return fail_with(failure, -EBADMSG, "a command's '%s' is '%.40s', which is none", key,
                     given ? given : "missing");
}

static int get_fields(const struct wire_frame *frame, struct cell_command *command,
                      struct failure *failure)
{
    uint64_t controls, shown;
    unsigned sweep, detail;
    int status;
    if ((status = get_texts(frame, command, failure)) < 0 ||
        (status = cell_get_number(frame, "controls", 0, CONTROLS_ALL, &controls, failure)) < 0 ||
        (status = get_choice(frame, "sweep", sweep_names, SWEEP_COUNT, &sweep, failure)) < 0 ||
        (status = cell_get_number(frame, "swept", 0, SWEEP_MOST, &command->swept, failure)) < 0 ||
        (status = cell_get_number(frame, "timeout", 0, COMMAND_MOST_MS, &command->timeout,
                                  failure)) < 0 ||
        (status = get_choice(frame, "detail", command_detail_names, DETAIL_COUNT, &detail,
                             failure)) < 0 ||
        (status = cell_get_number(frame, "shown", 0, LENT_COUNT, &shown, failure)) < 0)
        return status;
    command->controls = (uint32_t)controls;
    command->sweep = (enum command_sweep)sweep;
    command->detail = (enum command_detail)detail;
    command->shown = shown != 0;
    command->lent = (enum command_lent)(shown ? shown - 1 : 0);
    return 0;
}

int cell_get_command(const struct wire_frame *frame, struct cell *cell, struct failure *failure)
{
    static const char *const keys[] = {"words", "name",  "directory", "input",  "keep",  "controls",
                                       "sweep", "swept", "timeout",   "detail", "shown", NULL};
    if (cell_has_any(frame, keys)) {
        int status = get_fields(frame, &cell->command, failure);
        if (status < 0)
            return status;
    }
    struct failure why = {0};
    return cell_judge_sent(cell_check_command(cell, &why), &why, failure);
}
