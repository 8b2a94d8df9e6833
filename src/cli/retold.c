/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs a command for what it finds. */
#include "cli/retold.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "cli/invoke.h"

void retold_release(struct retold *retold)
{
    json_decref(retold->envelope);
    json_decref(retold->figures);
    text_free(&retold->words);
    *retold = (struct retold){0};
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
