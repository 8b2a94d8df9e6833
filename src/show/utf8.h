/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Text that came from a machine is untrusted: it may hold escape sequences or no valid UTF-8. These
 * make it safe to show. */
#pragma once

#include "base/text.h"

/* Decodes the code point at *bytes and moves on; a byte that is no UTF-8 gives -1 and moves one. */
int utf8_next(const char **bytes);

/* Columns a code point takes on a terminal: 0, 1 or 2. */
int utf8_width(int point);
/* Columns of a clean string. */
size_t utf8_columns(const char *string);

/* Appends string so that a terminal shows it and obeys nothing: control characters, direction
 * overrides and broken UTF-8 become \xNN or \uNNNN. Newlines and tabs become spaces. */
void text_put_clean(struct text *text, const char *string);

/* Appends string as valid UTF-8: broken bytes become U+FFFD, everything else stays. */
void text_put_utf8(struct text *text, const char *string);

/* Does the environment's locale (LC_ALL, LC_CTYPE, LANG: the first that is set) say UTF-8? */
bool utf8_is_expected(void);
