/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Growable strings. Invariant: bytes is NULL or bytes[length] == 0 and length < capacity. */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
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

/* Makes foreign words printable. */

/* Length of the valid, visible UTF-8 character of more than one byte at `byte`; 0: none. */
static size_t character_length(const unsigned char *byte, size_t left)
{
    static const struct {
        unsigned char mask, start;
        uint32_t lowest; /* smaller code points have a shorter spelling */
    } forms[] = {{0xe0, 0xc0, 0xa0 /* below: control characters */},
                 {0xf0, 0xe0, 0x800},
                 {0xf8, 0xf0, 0x10000}};
    for (size_t extra = 1; extra <= 3; extra++) {
        if ((byte[0] & forms[extra - 1].mask) != forms[extra - 1].start)
            continue;
        if (extra >= left)
            return 0;
        uint32_t point = byte[0] & (unsigned char)~forms[extra - 1].mask;
        for (size_t i = 1; i <= extra; i++) {
            if ((byte[i] & 0xc0) != 0x80)
                return 0;
            point = point << 6 | (byte[i] & 0x3f);
        }
        bool surrogate = point >= 0xd800 && point <= 0xdfff;
        return point < forms[extra - 1].lowest || point > 0x10ffff || surrogate ? 0 : extra + 1;
    }
    return 0;
}

size_t printable_copy(char *out, size_t size, const char *bytes, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        const unsigned char *byte = (const unsigned char *)bytes + i;
        size_t taken = *byte >= 0x80 ? character_length(byte, length - i) : 0;
        size_t room = size > used ? size - used - 1 : 0;
        if (room < (taken ? taken : 1))
            break;
        if (taken) {
            memcpy(out + used, byte, taken);
            used += taken;
        } else if (*byte != '\r') {
            bool visible = *byte == '\n' || (*byte >= 0x20 && *byte < 0x7f);
            out[used++] = *byte == '\t' ? ' ' : visible ? (char)*byte : '?';
        }
        i += taken ? taken : 1;
    }
    if (size)
        out[used] = '\0';
    return used;
}
