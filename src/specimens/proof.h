/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which sources have confirmed a truth, and whether they suffice to call it proven. The record is
 * proof.table; the rows of this ISA are built in. */
#pragma once

#include <stdbool.h>

#include "specimens/specimen.h"

/* One row: sources is a list separated by commas. */
struct proof {
    const char *specimen, *class, *sources;
};
extern const struct proof proof_records[]; /* generated; sorted by specimen, then class */
extern const size_t proof_record_count;

/* "" when nothing has confirmed it. */
const char *proof_sources(const char *specimen, const char *class);

/* Are there two among these sources that share no code where they count this class? */
bool proof_suffices(const char *class, const char *sources);

/* Has this source a place in the rule above? What has none proves nothing. */
bool proof_knows(const char *source, size_t length);

/* The grade under which a truth may be told, and why (printed into words, "" when there is nothing
 * to say): what is claimed exact and not proven is a model. */
enum truth_grade proof_grade(const struct specimen *specimen, const struct truth *truth,
                             char *words, size_t size);
