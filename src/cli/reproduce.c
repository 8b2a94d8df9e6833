/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From the recorded words to those that give the same measurement elsewhere. */
#include "cli/reproduce.h"

#include <string.h>

#include <jansson.h>

#include "engine/options.h"
#include "show/shell.h"

/* Where a result went, and how it was told, is the recorder's business. */
static const char *const dropped[] = {"store", "output", "report", "resume", "json", "quiet", NULL};

struct sought {
    const char *name; /* of a long option, or a single letter */
    size_t length;
    bool letter;
    const struct option_spec *found;
};

static void look_at(void *context, const struct option_spec *spec)
{
    struct sought *sought = context;
    if (sought->letter) {
        if (spec->letter == sought->name[0])
            sought->found = spec;
        return;
    }
    if (strncmp(spec->name, sought->name, sought->length) != 0)
        return;
    /* A beginning will do where no option is called just that. */
    if (!spec->name[sought->length] || !sought->found)
        sought->found = spec;
}

/* The option that a word names; NULL: it is none. */
static const struct option_spec *option_of(const struct command *command, const char *word)
{
    struct sought sought = {0};
    if (word[0] != '-' || !word[1])
        return NULL;
    sought.letter = word[1] != '-';
    sought.name = word + (sought.letter ? 1 : 2);
    sought.length = strcspn(sought.name, "=");
    if (!sought.length)
        return NULL;
    options_each(command, look_at, &sought);
    return sought.found;
}

/* Does the option's value stand in the next word? */
static bool value_follows(const struct option_spec *spec, const char *word)
{
    bool is_long = word[1] == '-';
    return spec->type != OPTION_FLAG && (is_long ? !strchr(word, '=') : !word[2]);
}

static bool is_dropped(const struct option_spec *spec)
{
    for (const char *const *name = dropped; *name; name++)
        if (strcmp(spec->name, *name) == 0)
            return true;
    return false;
}

static void put_word(struct text *out, const char *word)
{
    text_putc(out, ' ');
    text_put_shell(out, word);
}

static void note_seed(void *context, const struct option_spec *spec)
{
    *(bool *)context |= spec->type == OPTION_SEED;
}

static void put_words(const struct command *command, const json_t *list, const char *seed,
                      struct text *out)
{
    bool open = true; /* options may follow */
    bool seeded = false;
    options_each(command, note_seed, &seeded);
    bool wanted = seed && seeded;
    AUTO_TEXT struct text rest = {0};
    for (size_t i = 2; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        const char *next = json_string_value(json_array_get(list, i + 1));
        const struct option_spec *spec = word && open ? option_of(command, word) : NULL;
        if (!word)
            continue;
        bool takes_next = spec && value_follows(spec, word) && next;
        i += takes_next ? 1 : 0;
        if (spec && is_dropped(spec))
            continue;
        if (spec && spec->type == OPTION_SEED)
            wanted = false;
        if (!spec && (command->passes_on || strcmp(word, "--") == 0))
            open = false;
        struct text *to = open ? out : &rest;
        put_word(to, word);
        if (takes_next)
            put_word(to, next);
    }
    if (wanted)
        text_printf(out, " --seed %s", seed);
    text_puts(out, text_string(&rest));
}

void reproduce_put(const char *argv, const char *seed, struct text *out)
{
    json_t *list = json_loads(argv ? argv : "", 0, NULL);
    const char *name = json_string_value(json_array_get(list, 1));
    const struct command *command = name ? command_find(name) : NULL;
    if (command) {
        text_printf(out, "assay %s", command->name);
        put_words(command, list, seed, out);
    }
    json_decref(list);
}
