/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the controller knows of the words that options take, beside what studies say of theirs.
 * Names that only a machine knows (its events, paths, clocks and specimens) are not among them:
 * asking a machine takes too long for somebody who waits for a key to answer. */
#include <string.h>

#include "commands/export.h"
#include "commands/help.h"
#include "engine/study.h"
#include "engine/via/via.h"
#include "wire/cell.h"
#include "wire/command.h"

static void put_word(const char *word, struct text *words)
{
    text_printf(words, "%s%s", words->length ? " " : "", word);
}

static void put_controls(struct text *words)
{
    for (size_t i = 0; i < CONTROL_COUNT; i++)
        put_word(control_names[i], words);
}

static void put_patterns(struct text *words)
{
    for (size_t i = 0; i < PATTERN_COUNT; i++)
        put_word(pattern_names[i], words);
}

static void put_tables(struct text *words)
{
    for (const struct export_table *table = export_tables; table->name; table++)
        put_word(table->name, words);
}

/* "exec:" goes on; "local" does not. */
static void put_transports(struct text *words)
{
    for (size_t i = 0; via_registry[i]; i++) {
        put_word(via_registry[i]->scheme, words);
        text_puts(words, strcmp(via_registry[i]->scheme, "local") == 0 ? "" : ":");
    }
}

static const struct study_words known[] = {
    {"CONTROL", NULL, put_controls},     {"FORMAT", "csv json", NULL},
    {"LEVEL", "O0 O1 O2 O3", NULL},      {"MODE", "static lazy bind-now", NULL},
    {"PATTERN", NULL, put_patterns},     {"SETTING", "controlled as-is", NULL},
    {"STATUS", "warn bad", NULL},        {"TABLE", NULL, put_tables},
    {"TRANSPORT", NULL, put_transports}, {0},
};

bool completion_words(const struct command *command, const char *argument, struct text *words)
{
    const struct study_told *told = told_of(command);
    const struct study_words *const lists[] = {told ? told->words : NULL, known};
    for (size_t i = 0; i < 2; i++)
        for (const struct study_words *list = lists[i]; list && list->argument; list++) {
            if (strcmp(list->argument, argument) != 0)
                continue;
            if (words && list->put)
                list->put(words);
            else if (words)
                text_puts(words, list->words);
            return true;
        }
    return false;
}
