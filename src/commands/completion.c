/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which script a shell gets, and what can follow an option or stand as an argument, whatever the
 * shell. */
#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

const char *const completion_shells[] = {"bash", "zsh", "fish", NULL};

const struct completion_own completion_own[] = {
    {"--help", "print help", true, false},
    {"--version", "print the version", false, false},
    {"--man", "print a manual page in roff", true, false},
    {"--completion", "print a script for a shell", false, true},
    {0},
};

bool completion_put(const char *shell, struct text *out)
{
    void (*const puts[])(struct text *) = {completion_bash, completion_zsh, completion_fish};
    for (size_t i = 0; completion_shells[i]; i++)
        if (strcmp(completion_shells[i], shell) == 0) {
            puts[i](out);
            return true;
        }
    return false;
}

bool completion_is_plain(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "-_.:/+";
    return *word && word[strspn(word, plain)] == '\0';
}

bool completion_has_letter(const struct option_spec *spec)
{
    const char letter[] = {spec->letter, '\0'};
    return completion_is_plain(letter);
}

void completion_put_quoted(const char *sentence, struct text *out)
{
    text_putc(out, '\'');
    for (; *sentence; sentence++) {
        if (*sentence == '\'')
            text_puts(out, "'\\''");
        else
            text_putc(out, iscntrl((unsigned char)*sentence) ? ' ' : *sentence);
    }
    text_putc(out, '\'');
}

#define LEAST_BRIEF 12 /* bytes: what is said first in less is of what, "run: the CPU" */

void completion_put_brief(const char *sentence, struct text *out)
{
    const char *end = sentence;
    while (*end &&
           !((*end == ':' || *end == ';') && end[1] == ' ' && end - sentence >= LEAST_BRIEF))
        end++;
    text_append(out, sentence, (size_t)(end - sentence));
}

static bool is_file(const char *argument)
{
    static const char *const files[] = {"FILE", "STORE"};
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        if (strcmp(files[i], argument) == 0)
            return true;
    return false;
}

/* "on|off" names its words itself. */
static bool put_alternatives(const char *argument, struct text *words)
{
    AUTO_TEXT struct text all = {0};
    size_t count = 0;
    for (const char *at = argument; *at; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        AUTO_TEXT struct text word = {0};
        text_append(&word, at, length);
        if (!completion_is_plain(text_string(&word)))
            return false;
        text_printf(&all, "%s%s", count++ ? " " : "", text_string(&word));
        at += length;
    }
    if (count > 1)
        text_puts(words, text_string(&all));
    return count > 1;
}

enum completion_kind completion_of(const struct command *command, const struct option_spec *spec,
                                   struct text *words)
{
    if (!spec->argument)
        return COMPLETION_NOTHING;
    if (is_file(spec->argument))
        return COMPLETION_FILE;
    if (strcmp(spec->argument, "DIR") == 0)
        return COMPLETION_FOLDER;
    if (!put_alternatives(spec->argument, words) &&
        !completion_words(command, spec->argument, words))
        return COMPLETION_ANY;
    return spec->type == OPTION_LIST ? COMPLETION_LIST : COMPLETION_WORDS;
}

/* Words of a synopsis in small letters are to be typed as they are: "install [ISA] | list". */
static bool is_literal(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!islower((unsigned char)word[i]))
            return false;
    return length > 0;
}

/* "[STORE]" and "FILE..." are files. */
static bool names_file(const char *word)
{
    char name[32];
    size_t length = 0;
    word += strspn(word, "[");
    while (length < sizeof(name) - 1 && isupper((unsigned char)word[length]))
        length++;
    memcpy(name, word, length);
    name[length] = '\0';
    return is_file(name);
}

enum completion_kind completion_of_arguments(const struct command *command, struct text *words)
{
    bool file = false, option = false;
    for (const char *at = command->synopsis; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (is_literal(at, length))
            text_printf(words, "%s%.*s", words->length ? " " : "", (int)length, at);
        file |= !option && names_file(at);
        /* What follows an option is its own. */
        option = at[0] == '-' || (at[0] == '[' && at[1] == '-');
        at += length;
    }
    if (words->length)
        return COMPLETION_WORDS;
    return file ? COMPLETION_FILE : COMPLETION_NOTHING;
}
