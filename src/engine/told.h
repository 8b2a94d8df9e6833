/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What studies say of themselves to reports, runs and comparisons (struct study_told), and the
 * words that all of them say it with. */
#pragma once

#include <jansson.h>

#include "base/text.h"
#include "engine/compared.h"
#include "engine/study.h"
#include "output/json.h"
#include "output/table.h"

/* --- sentences of a section --- */

/* One more, while there are few. */
void told_say(json_t *lead, const struct text *sentence);
/* Of studies that end in advice: that. */
void told_advice(const json_t *results, const json_t *analysis, json_t *lead);
/* NULL and 0 where there is none. */
const char *told_text(const json_t *object, const char *key);
double told_number(const json_t *row, const char *key);

/* --- lines of a summary --- */

#define TOLD_LABEL 11u /* columns */

/* Label, words (cleaned), wrapped, not longer than `most` lines. */
void told_put_line(const char *label, const char *words, size_t most, const struct style *style,
                   struct text *out);
/* "a, b, c and 12 more", in one line of so many columns. */
void told_put_names(const json_t *names, size_t columns, struct text *out);
/* "2 bad, 5 warn": in this order. */
void told_put_counts(const json_t *counts, const char *const *order, struct text *out);
/* One more under the key; NULL: nothing. */
void told_count(json_t *object, const char *key);
/* Some members as they are. */
json_t *told_picked(const json_t *from, const char *const *keys);

/* --- words of a comparison --- */

/* What is said of the subject, unless it says nothing. */
void told_word(const struct compared *compared, const char *subject,
               const struct compare_word *word);
/* The same of each of these objects, by its members: what it is of, what is said, and why. */
void told_words(const struct compared *compared, const json_t *rows, const char *name,
                const char *word, const char *detail);
/* Might this as well have come out otherwise? */
bool told_is_unsure(const char *word);
