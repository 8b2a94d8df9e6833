/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads lists of short words. */
#include "study/word-list.h"

#include <string.h>

bool word_list_next(const char **list, char word[WORD_LIST_WORD])
{
    while (**list) {
        size_t length = strcspn(*list, ",");
        bool fits = length > 0 && length < WORD_LIST_WORD;
        if (fits) {
            memcpy(word, *list, length);
            word[length] = '\0';
        }
        *list += length + ((*list)[length] == ',');
        if (fits)
            return true;
    }
    return false;
}

bool word_list_has(const char *list, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = list; *at;) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, wanted, length) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

const char *word_list_prefer(const char *list, const char *preferred, char word[WORD_LIST_WORD])
{
    if (word_list_has(list, preferred) || !word_list_next(&list, word))
        strcpy(word, preferred);
    return word;
}
