/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Breaks prose into lines for help texts and remarks. */
#include "show/wrap.h"

#include <string.h>

/* Columns of UTF-8 text, taking every code point as one. */
static size_t columns(const char *bytes, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)bytes[i] & 0xc0) != 0x80;
    return count;
}

static void new_line(struct text *out, size_t indent)
{
    text_printf(out, "\n%*s", (int)indent, "");
}

void wrap(struct text *out, const char *words, size_t at, size_t indent, size_t width)
{
    bool first = true;
    for (;;) {
        size_t newlines = 0;
        for (; *words == ' ' || *words == '\n'; words++)
            newlines += *words == '\n';
        size_t length = strcspn(words, " \n");
        if (!length)
            break;
        size_t wide = columns(words, length);
        if (!first && newlines > 1) {
            text_putc(out, '\n');
            new_line(out, indent);
            at = indent;
        } else if (!first && at + 1 + wide > width) {
            new_line(out, indent);
            at = indent;
        } else if (!first) {
            text_putc(out, ' ');
            at++;
        }
        text_append(out, words, length);
        at += wide;
        words += length;
        first = false;
    }
    text_putc(out, '\n');
}
