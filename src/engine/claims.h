/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings of a paper, as judged on this machine: for people and for programs, the same way in
 * every study. */
#pragma once

#include <jansson.h>

#include "base/text.h"
#include "engine/findings.h"
#include "output/table.h"

struct fields;

struct claims {
    const struct finding *list; /* one without an id was not judged */
    size_t count;
    const char *paper; /* "the paper on microbenchmarks" is about … "microbenchmarks" */
    bool all;          /* each with its reason, also those that cannot be tested here */
    bool terse;        /* unless all: verdict and figure alone of what holds */
    bool brief;        /* and terse: of other reasons the first clause */
    bool curt;         /* and brief: the same of what cannot be tested */
    bool few;          /* only some events were asked for: what they cannot tell is no news */
};

/* A heading and a paragraph each; those that cannot be tested for like reasons once. */
void claims_put(const struct claims *claims, const struct style *style, struct text *out);
extern const struct fields finding_table; /* output/field.h */
json_t *claims_json(const struct finding *list, size_t count);
