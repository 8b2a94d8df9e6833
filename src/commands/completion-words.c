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
#include "engine/via.h"
#include "wire/cell.h"
#include "wire/command.h"

static void put_word(const char *word, struct text *words)
{
    text_printf(words, "%s%s", words->length ? " " : "", word);
}

static void put_names(const char *const *names, size_t count, struct text *words)
{
    for (size_t i = 0; i < count; i++)
        if (names[i] && *names[i])
            put_word(names[i], words);
}

static void put_controls(struct text *words)
{
    put_names(control_names, CONTROL_COUNT, words);
}

static void put_patterns(struct text *words)
{
    put_names(pattern_names, PATTERN_COUNT, words);
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

static const struct {
    const char *command;  /* NULL: any */
    const char *argument; /* as in help */
    const char *words;    /* NULL: put has them */
    void (*put)(struct text *words);
} known[] = {
    {NULL, "CONTROL", NULL, put_controls},     {NULL, "FORMAT", "csv json", NULL},
    {NULL, "LEVEL", "O0 O1 O2 O3", NULL},      {NULL, "MODE", "static lazy bind-now", NULL},
    {NULL, "PATTERN", NULL, put_patterns},     {NULL, "SETTING", "controlled as-is", NULL},
    {"doctor", "STATUS", "warn bad", NULL},    {"export", "TABLE", NULL, put_tables},
    {NULL, "TRANSPORT", NULL, put_transports},
};

bool completion_words(const struct command *command, const char *argument, struct text *words)
{
    const struct study_told *told = told_of(command);
    const char *list = NULL;
    void (*put)(struct text *) = NULL;
    for (const struct study_words *own = told ? told->words : NULL; own && own->argument; own++)
        if (strcmp(own->argument, argument) == 0) {
            list = own->words;
            put = own->put;
        }
    for (size_t i = 0; i < sizeof(known) / sizeof(*known) && !list && !put; i++)
        if (strcmp(known[i].argument, argument) == 0 &&
            (!known[i].command || strcmp(known[i].command, command->name) == 0)) {
            list = known[i].words;
            put = known[i].put;
        }
    if (words && put)
        put(words);
    else if (words && list)
        text_puts(words, list);
    return list || put;
}
