/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Quotes words for the shell. */
#include "show/shell.h"

#include <string.h>

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_-./:=+,@%";

void text_put_shell(struct text *text, const char *word)
{
    if (*word && !word[strspn(word, plain)]) {
        text_puts(text, word);
        return;
    }
    text_putc(text, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_puts(text, "'\\''");
        else
            text_putc(text, *word);
    }
    text_putc(text, '\'');
}
