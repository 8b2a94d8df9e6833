/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a command found, kept instead of shown: report, compare and run show several of them
 * together. */
#pragma once

#include <jansson.h>

#include "base/text.h"

struct common_options;

struct retold {
    json_t *envelope;  /* the object that --json writes; NULL: the command did not get that far */
    json_t *figures;   /* an array of them (show/figure.h); NULL: none */
    struct text words; /* the report for people, plain and 100 columns wide */
};
void retold_release(struct retold *retold);

/* Runs a command in this process as `assay WORDS...` would (words[0] is its name) and keeps what it
 * would show; what it has to say on standard error is said. The exit code. */
int retell(const char *const *words, size_t count, struct retold *retold);
