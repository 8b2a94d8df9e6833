/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Short words in a row, joined by commas, as the catalogue gives link modes, levels and sources. */
#pragma once

#include <stdbool.h>

#define WORD_LIST_WORD 16 /* with its end; longer ones are passed over */

/* The next word of the list, which moves on; false at its end. */
bool word_list_next(const char **list, char word[WORD_LIST_WORD]);
bool word_list_has(const char *list, const char *word);
/* The preferred one where the list has it or has none at all, else its first. */
const char *word_list_prefer(const char *list, const char *preferred, char word[WORD_LIST_WORD]);
