/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was asked for and is not in the results, each with its reason. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "base/text.h"
#include "output/table.h"

struct skip {
    char *what, *reason;
    int error;         /* positive errno, 0 when none is involved */
    bool for_programs; /* people are told it otherwise */
};

struct skips {
    struct skip *list;
    size_t count;
};

/* Copies both; one that is already listed is not listed again. 0 or -ENOMEM. */
int skips_add(struct skips *skips, const char *what, const char *reason, int error);
json_t *skips_json(const struct skips *skips);
/* A paragraph each, under "Left out:"; nothing when there is none. */
void skips_put(const struct skips *skips, const struct style *style, struct text *out);
void skips_free(struct skips *skips);
