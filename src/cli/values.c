/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The forms an option's value may have: whole numbers as people write them, durations, lists. */
#include "engine/options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Copies digits without the underscores that may stand between two of them. */
static int strip_underscores(const char *text, char *plain, size_t size)
{
    size_t length = 0;
    for (const char *at = text; *at; at++) {
        if (*at == '_') {
            if (at == text || !isxdigit((unsigned char)at[-1]) || !isxdigit((unsigned char)at[1]))
                return -EINVAL;
            continue;
        }
        if (length + 1 >= size)
            return -EINVAL;
        plain[length++] = *at;
    }
    plain[length] = '\0';
    return length ? 0 : -EINVAL;
}

static int append_digit(uint64_t *value, unsigned base, unsigned digit)
{
    if (__builtin_mul_overflow(*value, base, value) || __builtin_add_overflow(*value, digit, value))
        return -ERANGE;
    return 0;
}

static int hexadecimal(const char *digits, uint64_t *value)
{
    if (!*digits)
        return -EINVAL;
    *value = 0;
    for (; *digits; digits++) {
        if (!isxdigit((unsigned char)*digits))
            return -EINVAL;
        int lower = tolower((unsigned char)*digits);
        unsigned digit = (unsigned)(lower <= '9' ? lower - '0' : lower - 'a' + 10);
        int error = append_digit(value, 16, digit);
        if (error < 0)
            return error;
    }
    return 0;
}

/* digits[.digits][e[+]digits], which must come out whole: 1.5e3 is 1500, 1.5 is refused. */
static int decimal(const char *text, uint64_t *value)
{
    *value = 0;
    unsigned fraction = 0;
    bool point = false, digits = false;
    int error;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        digits = true;
        fraction += point;
        error = append_digit(value, 10, (unsigned)(*text - '0'));
        if (error < 0)
            return error;
    }
    unsigned exponent = 0;
    if (digits && (*text == 'e' || *text == 'E')) {
        text++;
        text += *text == '+';
        if (!isdigit((unsigned char)*text))
            return -EINVAL;
        for (; isdigit((unsigned char)*text); text++)
            exponent = exponent > 1000 ? exponent : exponent * 10 + (unsigned)(*text - '0');
    }
    if (!digits || *text || fraction > exponent)
        return -EINVAL;
    for (exponent -= fraction; exponent && *value; exponent--) {
        error = append_digit(value, 10, 0);
        if (error < 0)
            return error;
    }
    return 0;
}

int value_u64(const char *text, uint64_t *value)
{
    char plain[64] = "";
    int error = strip_underscores(text, plain, sizeof(plain));
    if (error < 0)
        return error;
    if (plain[0] == '0' && (plain[1] == 'x' || plain[1] == 'X'))
        return hexadecimal(plain + 2, value);
    return decimal(plain, value);
}

int value_i64(const char *text, int64_t *value)
{
    bool negative = *text == '-';
    uint64_t magnitude;
    int error = value_u64(text + (negative || *text == '+'), &magnitude);
    if (error < 0)
        return error;
    if (magnitude > (uint64_t)INT64_MAX)
        return -ERANGE;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return 0;
}

int value_duration(const char *text, uint64_t *milliseconds)
{
    static const struct {
        const char *unit;
        uint64_t milliseconds;
    } units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"min", 60000}, {"h", 3600000}, {"", 1000}};
    size_t length = strlen(text), digits = length;
    while (digits && isalpha((unsigned char)text[digits - 1]))
        digits--;
    char number[64];
    if (!digits || digits + sizeof("e3") > sizeof(number))
        return -EINVAL;
    memcpy(number, text, digits);
    number[digits] = '\0';
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(text + digits, units[i].unit) != 0)
            continue;
        uint64_t value;
        /* A fraction of a second (1.5s) is whole in milliseconds. */
        if (units[i].milliseconds == 1000)
            return value_u64(strcat(number, "e3"), milliseconds);
        int error = value_u64(number, &value);
        if (error == 0 && __builtin_mul_overflow(value, units[i].milliseconds, milliseconds))
            error = -ERANGE;
        return error;
    }
    return -EINVAL;
}

int value_budget(const char *text, uint64_t *milliseconds)
{
    const int error = value_duration(text, milliseconds);
    return error == 0 && *milliseconds == 0 ? -EINVAL : error;
}

/* The comma that ends the item at text, or the end of the text. */
static const char *item_end(const char *text)
{
    const char *at = text;
    while (isalnum((unsigned char)*at) || *at == '_' || *at == '-' || *at == '.')
        at++;
    if (at > text && *at == '/') {
        const char *close = strchr(at + 1, '/');
        at = close ? close : at + strlen(at);
    }
    return at + strcspn(at, ",");
}

int string_list_push(struct string_list *list, const char *item, size_t length)
{
    if (length == 0)
        return -EINVAL;
    const char **grown = realloc(list->items, (list->count + 1) * sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    list->items = grown;
    grown[list->count] = strndup(item, length);
    if (!grown[list->count])
        return -ENOMEM;
    list->count++;
    return 0;
}

int string_list_add(struct string_list *list, const char *text)
{
    for (;;) {
        const char *end = item_end(text);
        int error = string_list_push(list, text, (size_t)(end - text));
        if (error < 0 || !*end)
            return error;
        text = end + 1;
    }
}

void string_list_free(struct string_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free((void *)(uintptr_t)list->items[i]);
    free(list->items);
    *list = (struct string_list){0};
}
