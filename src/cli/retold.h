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
