/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * UTF-8: decoding, width on a terminal, and making foreign text harmless. */
#include "show/utf8.h"

#include <stdlib.h>
#include <string.h>

/* The least code point each length may encode: a shorter form exists for anything below. */
static const int least[] = {0, 0, 0x80, 0x800, 0x10000};

static int sequence_length(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 2;
    if (lead >= 0xe0 && lead <= 0xef)
        return 3;
    return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

int utf8_next(const char **bytes)
{
    const unsigned char *at = (const unsigned char *)*bytes;
    int length = sequence_length(*at);
    (*bytes)++;
    if (length == 0)
        return -1;
    int point = length == 1 ? *at : *at & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return -1;
        point = point << 6 | (at[i] & 0x3f);
    }
    if (point < least[length] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return -1;
    *bytes += length - 1;
    return point;
}

struct range {
    int first, last;
};

static bool within(int point, const struct range *ranges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (point >= ranges[i].first && point <= ranges[i].last)
            return true;
    }
    return false;
}

#define WITHIN(point, ranges) within(point, ranges, sizeof(ranges) / sizeof((ranges)[0]))

int utf8_width(int point)
{
    static const struct range nothing[] = {
        {0x300, 0x36f}, {0x200b, 0x200d}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}};
    static const struct range wide[] = {{0x1100, 0x115f},  {0x2e80, 0xa4cf},   {0xac00, 0xd7a3},
                                        {0xf900, 0xfaff},  {0xfe30, 0xfe6f},   {0xff00, 0xff60},
                                        {0xffe0, 0xffe6},  {0x1f300, 0x1f64f}, {0x1f900, 0x1f9ff},
                                        {0x20000, 0x3fffd}};
    return WITHIN(point, nothing) ? 0 : WITHIN(point, wide) ? 2 : 1;
}

size_t utf8_columns(const char *string)
{
    size_t columns = 0;
    while (*string) {
        int point = utf8_next(&string);
        columns += point < 0 ? 1 : (size_t)utf8_width(point);
    }
    return columns;
}

static bool is_obeyed(int point)
{
    static const struct range obeyed[] = {{0, 0x1f},        {0x7f, 0x9f},      {0x200e, 0x200f},
                                          {0x2028, 0x202e}, {0x2066, 0x2069},  {0xfeff, 0xfeff},
                                          {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};
    return WITHIN(point, obeyed);
}

void text_put_clean(struct text *text, const char *string)
{
    while (*string) {
        const char *start = string;
        int point = utf8_next(&string);
        if (point == '\n' || point == '\t')
            text_putc(text, ' ');
        else if (point < 0)
            text_printf(text, "\\x%02x", (unsigned char)*start);
        else if (is_obeyed(point))
            text_printf(text, point < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)point);
        else
            text_append(text, start, (size_t)(string - start));
    }
}

void text_put_utf8(struct text *text, const char *string)
{
    while (*string) {
        const char *start = string;
        if (utf8_next(&string) < 0)
            text_puts(text, "\xef\xbf\xbd");
        else
            text_append(text, start, (size_t)(string - start));
    }
}

bool utf8_is_expected(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
    }
    return false;
}
