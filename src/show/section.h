/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a report for people is made of besides tables and plots: headings, paragraphs and lists. Any
 * name from a machine or a store may stand in them: a terminal obeys none of it. */
#pragma once

#include "output/table.h"

/* A heading in its own line, after an empty one. */
void section_put_heading(const char *words, const struct style *style, struct text *out);
/* A paragraph; its further lines stand a little in. */
void section_put_words(const char *words, const struct style *style, struct text *out);
/* One member of a list. */
void section_put_item(const char *words, const struct style *style, struct text *out);
