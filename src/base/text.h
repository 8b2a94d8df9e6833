/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A growable, always terminated string. Running out of memory is remembered in `failed` and
 * reported once, by text_take or by the caller's check, instead of at every append. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct text {
    char *bytes; /* NULL until the first append */
    size_t length;
    size_t capacity;
    bool failed;
};

/* What is called then, instead; where nothing is, it is remembered. */
void text_on_failure(void (*call)(void));

void text_append(struct text *text, const char *bytes, size_t length);
void text_puts(struct text *text, const char *string);
void text_putc(struct text *text, char character);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forgets the content, keeps the memory. */
void text_clear(struct text *text);
void text_free(struct text *text);

/* The content, never NULL; valid until the next call on this text. */
const char *text_string(const struct text *text);

/* Hands the content to the caller (to be freed) and empties the text; NULL when out of memory. */
char *text_take(struct text *text);

static inline void cleanup_text(struct text *text)
{
    text_free(text);
}
#define AUTO_TEXT __attribute__((cleanup(cleanup_text)))

/* Foreign words made fit for a message: what another program or machine said must not move the
 * cursor, ring the bell or break JSON. */

/* Copies at most size - 1 bytes to out, terminated. Valid UTF-8 and newlines stay, tabs become
 * spaces, carriage returns vanish, any other control character and any stray byte becomes '?'. A
 * character that does not fit is left out whole. Returns the length of out. */
size_t printable_copy(char *out, size_t size, const char *bytes, size_t length);
