/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a study left out, for people: each reason once, with all that it keeps out. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "engine/skips.h"
#include "output/table.h"

struct omission {
    const char *what, *reason;
};

/* A list that takes what the plan skipped first, then what else is missing. Start from zeros. */
struct omissions {
    struct omission *list;
    size_t count;
    bool failed; /* out of memory */
    bool brief;  /* of each reason the first sentence */
};
void omissions_add_skips(struct omissions *omissions, const struct skips *skips);
/* Unless its reason was said before, by those added up to `known`. */
void omissions_add(struct omissions *omissions, size_t known, const char *what, const char *reason);
bool omissions_have(const struct omissions *omissions, const char *reason);
/* "instructions:u, cycles:u and 4 more: why"; all: every name. */
void omissions_put(const struct omissions *omissions, bool all, const struct style *style,
                   struct text *out);
void omissions_free(struct omissions *omissions);
