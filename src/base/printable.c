/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Makes foreign words printable. */
#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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
