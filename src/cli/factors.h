/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The values of every factor of a sweep, as words, after they were checked against what the
 * machine has. */
#pragma once

#include "studies/measure/study.h"

enum factor { PATH, PATTERN, SPECIMEN, COUNT_N, COUNTERS, OPT, LINK, FACTORS };

/* An empty list is one value, which each cell chooses by its path. */
struct factors {
    struct string_list values[FACTORS];
};

/* EXIT_DONE, or the exit code with its reason in failure. Values that are known but not to be had
 * here go to measuring->skips. Call factors_free in either case. */
int factors_resolve(struct factors *factors, struct measuring *measuring, struct failure *failure);
void factors_free(struct factors *factors);

/* Is word one of a list such as "ar,ao"? */
bool list_has(const char *list, const char *word);
