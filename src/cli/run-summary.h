/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of a run say together, on one screen. From the report's object (docs/report.md)
 * alone, so that it needs no machine. */
#pragma once

#include <jansson.h>

#include "base/text.h"
#include "output/table.h"

/* As data; a part that is not there has null. NULL: out of memory. */
json_t *run_summary(const json_t *report);
/* The same as lines for people; each of them begins with what it is about. */
void run_summary_put(const json_t *summary, const struct style *style, struct text *out);

/* One more line of that form: label, words (cleaned), wrapped, not longer than `most` lines. */
void run_summary_put_line(const char *label, const char *words, size_t most,
                          const struct style *style, struct text *out);
