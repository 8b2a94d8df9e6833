/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The doctor's findings, between judging and showing them. */
#pragma once

#include "machine/check.h"

struct opinion {
    const struct check *check;
    struct advice advice;
};

struct opinions {
    struct opinion *list; /* in the order of advice: bad, warn, ok, absent */
    size_t count;
};

/* What the checks of these names (count 0: all) say of the facts. */
void opinions_judge(const struct facts *facts, int count, char **names, struct opinions *findings);
/* What results and analysis are made of. */
extern const struct fields opinion_table, facts_table;
