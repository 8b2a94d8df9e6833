/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Breaks prose into lines. */
#pragma once

#include "base/text.h"

/* Appends words so that no line is longer than width columns (a longer word stands alone). The
 * text already stands at column `at`; further lines start with indent spaces. A newline in words
 * is a space, two are a paragraph. Ends with a newline. */
void wrap(struct text *out, const char *words, size_t at, size_t indent, size_t width);
