/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A command that a person wrote on one line, as the words of its argument vector. No shell ever
 * sees them, so `$`, `*` and `;` mean nothing. */
#pragma once

#include <stddef.h>

#include "base/failure.h"

/* Splits text into words as a shell would, but expands nothing: white space separates, '…', "…" and
 * backslash quote. *words ends with NULL; words_free frees. Returns their number, or -EINVAL. */
int words_split(const char *text, char ***words, struct failure *failure);
void words_free(char **words);
/* The words as one line that words_split takes apart again, quoted only where that is needed; the
 * caller frees it. NULL: out of memory. */
char *words_join(const char *const *words, size_t count);
static inline void cleanup_words(char ***words)
{
    words_free(*words);
}
#define AUTO_WORDS __attribute__((cleanup(cleanup_words)))
