/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What studies say of themselves to reports, runs and comparisons (struct study_told), and the
 * words that all of them say it with. */
#pragma once

#include <jansson.h>

#include "base/reason.h"
#include "base/text.h"
#include "engine/compared.h"
#include "engine/study.h"
#include "output/json.h"
#include "output/table.h"

/* --- sentences --- */

/* One more, copied. */
void told_add(struct string_list *sentences, const char *sentence);
/* What begins a section: a few things, each said in a sentence, or in several (reasons: all of
 * them, and the first alone). What is too much is left out. */
struct lead {
    struct string_list whole, first;
};
void told_say(struct lead *lead, const char *sentence);
void told_say_reasons(struct lead *lead, const struct reasons *reasons);
json_t *told_json(const struct string_list *sentences);

/* --- lines of a summary --- */

#define TOLD_LABEL 11u /* columns */

/* Label, words (cleaned), wrapped, not longer than `most` lines. */
void told_put_line(const char *label, const char *words, size_t most, const struct style *style,
                   struct text *out);
/* "a, b, c and 12 more", in one line of so many columns. */
void told_put_names(const struct string_list *names, size_t columns, struct text *out);

/* How many there are of each kind, and which kind came first. */
struct tally {
    size_t of[16], all;
    unsigned came[16]; /* [kinds] */
    size_t kinds;      /* of which there are any */
};
void tally_add(struct tally *tally, unsigned kind);
/* {"bad": 2, "warn": 5}, as they came. */
json_t *tally_json(const struct tally *tally, const char *const *names);
/* "2 bad, 5 warn", in this order, which names `count` kinds. */
void tally_put(const struct tally *tally, const char *const *names, const unsigned *order,
               size_t count, struct text *out);

/* --- words of a comparison --- */

/* What is said of the subject. */
void told_word(const struct compared *compared, const char *subject,
               const struct compare_word *word);
