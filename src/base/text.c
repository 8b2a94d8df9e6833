/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Growable strings. Invariant: bytes is NULL or bytes[length] == 0 and length < capacity. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*on_failure)(void);

void text_on_failure(void (*call)(void))
{
    on_failure = call;
}

static bool reserve(struct text *text, size_t extra)
{
    if (text->failed)
        return false;
    size_t needed = text->length + extra + 1;
    if (needed <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    char *grown = realloc(text->bytes, capacity);
    if (!grown) {
        if (on_failure)
            on_failure();
        text->failed = true;
        return false;
    }
    text->bytes = grown;
    text->capacity = capacity;
    return true;
}

void text_append(struct text *text, const char *bytes, size_t length)
{
    if (!reserve(text, length))
        return;
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void text_puts(struct text *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_putc(struct text *text, char character)
{
    text_append(text, &character, 1);
}

void text_printf(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && reserve(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void text_clear(struct text *text)
{
    text->length = 0;
    text->failed = false;
    if (text->bytes)
        text->bytes[0] = '\0';
}

void text_free(struct text *text)
{
    free(text->bytes);
    *text = (struct text){0};
}

const char *text_string(const struct text *text)
{
    return text->bytes ? text->bytes : "";
}

char *text_take(struct text *text)
{
    char *bytes = text->failed ? NULL : text->bytes ? text->bytes : strdup("");
    if (text->failed)
        free(text->bytes);
    *text = (struct text){0};
    return bytes;
}
