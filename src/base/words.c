/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * The words of a command, as in exec:ARGV…: only what is needed to write a word with white space in
 * it. */
#include "base/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool is_space(char character)
{
    return character != '\0' && strchr(" \t\n\r\v\f", character) != NULL;
}

/* Appends the quoted stretch that begins behind its opening quote; NULL when it does not end. */
static const char *take_quoted(const char *cursor, char quote, struct text *word)
{
    for (; *cursor && *cursor != quote; cursor++) {
        bool escapes = quote == '"' && *cursor == '\\' && (cursor[1] == '"' || cursor[1] == '\\');
        if (escapes)
            cursor++;
        text_putc(word, *cursor);
    }
    return *cursor ? cursor + 1 : NULL;
}

/* Appends one word and returns what follows it; NULL with a text when it is malformed. */
static const char *take_word(const char *cursor, struct text *word, struct failure *failure)
{
    while (*cursor && !is_space(*cursor)) {
        if (*cursor == '\'' || *cursor == '"') {
            char quote = *cursor;
            cursor = take_quoted(cursor + 1, quote, word);
            if (!cursor) {
                fail_with(failure, -EINVAL, "the quote %c is opened but never closed", quote);
                return NULL;
            }
            continue;
        }
        if (*cursor == '\\' && !*++cursor) {
            fail_with(failure, -EINVAL, "a backslash at the very end quotes nothing");
            return NULL;
        }
        text_putc(word, *cursor++);
    }
    return cursor;
}

static int append_word(char ***words, size_t count, char *word)
{
    char **grown = word ? realloc(*words, (count + 2) * sizeof(**words)) : NULL;
    if (!grown) {
        free(word);
        return -ENOMEM;
    }
    grown[count] = word;
    grown[count + 1] = NULL;
    *words = grown;
    return 0;
}

int words_split(const char *text, char ***words, struct failure *failure)
{
    char **list = NULL;
    size_t count = 0;
    int status = 0;
    *words = NULL;
    for (const char *cursor = text; status == 0;) {
        while (is_space(*cursor))
            cursor++;
        if (!*cursor)
            break;
        struct text word = {0};
        const char *behind = take_word(cursor, &word, failure);
        if (!behind) {
            text_free(&word);
            status = -EINVAL;
        } else if (append_word(&list, count, text_take(&word)) < 0) {
            status = fail_with(failure, -ENOMEM, "no memory for the words of '%.100s'", text);
        } else {
            count++;
            cursor = behind;
        }
    }
    if (status < 0) {
        words_free(list);
        return status;
    }
    *words = list;
    return (int)count;
}

/* In single quotes, which hold anything but themselves; those stand between, after a backslash. */
static void put_quoted(struct text *line, const char *word)
{
    text_putc(line, '\'');
    for (; *word; word++)
        if (*word == '\'')
            text_puts(line, "'\\''");
        else
            text_putc(line, *word);
    text_putc(line, '\'');
}

char *words_join(const char *const *words, size_t count)
{
    struct text line = {0};
    text_puts(&line, "");
    for (size_t i = 0; i < count; i++) {
        if (i)
            text_putc(&line, ' ');
        if (*words[i] && !words[i][strcspn(words[i], " \t\n\r\v\f'\"\\")])
            text_puts(&line, words[i]);
        else
            put_quoted(&line, words[i]);
    }
    return text_take(&line);
}

void words_free(char **words)
{
    for (size_t i = 0; words && words[i]; i++)
        free(words[i]);
    free(words);
}
