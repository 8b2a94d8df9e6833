/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * A pull scanner for JSON. Invariants: nothing is allocated; at most SCAN_MOST bytes are read and
 * SCAN_DEPTH levels descended; once error is set no byte is taken any more, so every loop ends. */
#include "lib/trust.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define END            (-1) /* no further byte; also after a failure */
#define NUMBER_LONGEST 64   /* bytes: no number of a passport comes near */
#define LARGEST_POWER  308  /* of ten that a double holds */

void scan_begin_file(struct trust_scan *scan, const char *name, int fd, struct failure *failure)
{
    memset(scan, 0, offsetof(struct trust_scan, buffer));
    scan->name = name;
    scan->fd = fd;
    scan->failure = failure;
    scan->bytes = scan->buffer;
    scan->line = scan->column = 1;
}

void scan_begin_bytes(struct trust_scan *scan, const char *name, const char *bytes, size_t size,
                      struct failure *failure)
{
    scan_begin_file(scan, name, -1, failure);
    scan->bytes = bytes;
    scan->size = size;
    if (size > SCAN_MOST)
        scan_fail(scan, "longer than %u bytes", SCAN_MOST);
}

int scan_fail(struct trust_scan *scan, const char *format, ...)
{
    if (scan->error)
        return scan->error;
    char words[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof(words), format, arguments);
    va_end(arguments);
    scan->error = fail_with(scan->failure, -EINVAL, "%.400s, line %u, column %u: %s", scan->name,
                            scan->line, scan->column, words);
    return scan->error;
}

/* --- bytes --- */

static void fill(struct trust_scan *scan)
{
    if (scan->fd < 0)
        return;
    ssize_t got;
    do
        got = read(scan->fd, scan->buffer, sizeof(scan->buffer));
    while (got < 0 && errno == EINTR);
    scan->taken += scan->at;
    scan->at = 0;
    scan->size = got > 0 ? (size_t)got : 0;
    if (got < 0)
        scan->error =
            fail_with(scan->failure, -EIO, "cannot read %.400s: %s", scan->name, strerror(errno));
    else if (scan->taken + scan->size > SCAN_MOST)
        scan_fail(scan, "longer than %u bytes", SCAN_MOST);
}

/* The next byte, 0 … 255, or END. */
static int peek(struct trust_scan *scan)
{
    if (!scan->error && scan->at == scan->size)
        fill(scan);
    return scan->error || scan->at == scan->size ? END : (unsigned char)scan->bytes[scan->at];
}

static int take(struct trust_scan *scan)
{
    int byte = peek(scan);
    if (byte == END)
        return END;
    scan->at++;
    scan->column++;
    if (byte == '\n') {
        scan->line++;
        scan->column = 1;
    }
    return byte;
}

static int skip_space(struct trust_scan *scan)
{
    int byte = peek(scan);
    for (; byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; byte = peek(scan))
        take(scan);
    return byte;
}

/* What was met instead of what belongs here. */
static int unexpected(struct trust_scan *scan, const char *expected)
{
    int byte = peek(scan);
    if (byte == END)
        return scan_fail(scan, "it ends where %s should stand", expected);
    if (byte > ' ' && byte < 0x7f)
        return scan_fail(scan, "'%c' where %s should stand", byte, expected);
    return scan_fail(scan, "byte 0x%02x where %s should stand", (unsigned)byte, expected);
}

static int expect(struct trust_scan *scan, char byte, const char *expected)
{
    if (skip_space(scan) != byte)
        return unexpected(scan, expected);
    take(scan);
    return 0;
}

static int expect_word(struct trust_scan *scan, const char *word)
{
    for (; *word; word++) {
        if (peek(scan) != (unsigned char)*word)
            return unexpected(scan, "true, false or null");
        take(scan);
    }
    return 0;
}

/* --- strings --- */

struct sink {
    char *out;
    size_t size, length; /* length < size, unless size is 0 */
    bool full;
};

/* The bytes of one character; all of them or none. */
static void put(struct sink *sink, const char *bytes, size_t count)
{
    if (sink->full || sink->length + count >= sink->size) {
        sink->full = true;
        return;
    }
    memcpy(sink->out + sink->length, bytes, count);
    sink->length += count;
}

static int take_hex(struct trust_scan *scan, uint32_t *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++) {
        int byte = peek(scan);
        int digit = byte >= '0' && byte <= '9'   ? byte - '0'
                    : byte >= 'a' && byte <= 'f' ? byte - 'a' + 10
                    : byte >= 'A' && byte <= 'F' ? byte - 'A' + 10
                                                 : -1;
        if (digit < 0)
            return unexpected(scan, "a hexadecimal digit");
        take(scan);
        *code = *code << 4 | (uint32_t)digit;
    }
    return 0;
}

/* \uD83D\uDE00 is one character; half of one is none, and NUL ends strings here. */
static int take_unicode(struct trust_scan *scan, struct sink *sink)
{
    uint32_t code, low;
    if (take_hex(scan, &code) < 0)
        return scan->error;
    if (code >= 0xd800 && code < 0xdc00) {
        int backslash = take(scan), letter = backslash == '\\' ? take(scan) : END;
        if (letter != 'u')
            return scan_fail(scan, "half of a character");
        if (take_hex(scan, &low) < 0)
            return scan->error;
        if (low < 0xdc00 || low > 0xdfff)
            return scan_fail(scan, "half of a character");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
        return scan_fail(scan, "half of a character");
    }
    if (!code)
        return scan_fail(scan, "a string with a NUL in it");
    char bytes[4];
    size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = count; i-- > 1; code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(lead[count] | code);
    put(sink, bytes, count);
    return 0;
}

static int take_escape(struct trust_scan *scan, struct sink *sink)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    int letter = peek(scan);
    if (letter == 'u') {
        take(scan);
        return take_unicode(scan, sink);
    }
    const char *found = letter > 0 ? strchr(letters, letter) : NULL;
    if (!found)
        return unexpected(scan, "an escaped character");
    take(scan);
    put(sink, &meant[found - letters], 1);
    return 0;
}

/* One character of UTF-8 beyond ASCII: no longer than it must be, no half, none beyond the last. */
static int take_utf8(struct trust_scan *scan, struct sink *sink)
{
    int lead = peek(scan);
    size_t more = lead >= 0xc2 && lead <= 0xdf   ? 1
                  : lead >= 0xe0 && lead <= 0xef ? 2
                  : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                 : 0;
    if (!more)
        return unexpected(scan, "a character of UTF-8");
    char bytes[4] = {(char)take(scan)};
    for (size_t i = 1; i <= more; i++) {
        int byte = peek(scan);
        int low = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        int high = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (byte < low || byte > high)
            return unexpected(scan, "the rest of a character of UTF-8");
        bytes[i] = (char)take(scan);
    }
    put(sink, bytes, more + 1);
    return 0;
}

static int take_character(struct trust_scan *scan, struct sink *sink, int byte)
{
    if (byte == END || byte < 0x20)
        return unexpected(scan, "the rest of a string");
    if (byte >= 0x80)
        return take_utf8(scan, sink);
    take(scan);
    if (byte == '\\')
        return take_escape(scan, sink);
    const char plain = (char)byte;
    put(sink, &plain, 1);
    return 0;
}

int scan_string(struct trust_scan *scan, char *out, size_t size, bool *cut)
{
    struct sink sink = {.out = out, .size = size};
    int byte;
    expect(scan, '"', "a string");
    while (!scan->error && (byte = peek(scan)) != '"')
        take_character(scan, &sink, byte);
    take(scan);
    if (size)
        out[sink.length] = '\0';
    if (cut)
        *cut = sink.full;
    return scan->error;
}

int scan_string_or_null(struct trust_scan *scan, char *out, size_t size, bool *present)
{
    *present = skip_space(scan) != 'n';
    if (*present)
        return scan_string(scan, out, size, NULL);
    out[0] = '\0';
    return expect_word(scan, "null");
}

/* --- numbers --- */

/* One digit after the other; how many. */
static unsigned take_digits(struct trust_scan *scan, unsigned *length, unsigned *value)
{
    unsigned count = 0;
    for (int byte; (byte = peek(scan)) >= '0' && byte <= '9'; count++) {
        if (++*length > NUMBER_LONGEST) {
            scan_fail(scan, "a number of more than %u digits", NUMBER_LONGEST);
            return 0;
        }
        *value = *value < 100000 ? *value * 10 + (unsigned)(byte - '0') : *value;
        take(scan);
    }
    if (!count)
        unexpected(scan, "a digit");
    return count;
}

static int skip_number(struct trust_scan *scan)
{
    unsigned length = 0, value = 0, power = 0;
    bool negative = false;
    if (peek(scan) == '-')
        take(scan);
    bool zero = peek(scan) == '0';
    unsigned digits = take_digits(scan, &length, &value);
    if (zero && digits > 1)
        return scan_fail(scan, "a number that begins with 0");
    if (peek(scan) == '.') {
        take(scan);
        take_digits(scan, &length, &value);
    }
    if (peek(scan) == 'e' || peek(scan) == 'E') {
        take(scan);
        negative = peek(scan) == '-';
        if (negative || peek(scan) == '+')
            take(scan);
        take_digits(scan, &length, &power);
    }
    if (power + (negative ? 0 : digits) > LARGEST_POWER)
        return scan_fail(scan, "a number out of range");
    return scan->error;
}

/* --- structure --- */

static int descend(struct trust_scan *scan, char open, const char *expected)
{
    if (expect(scan, open, expected) < 0)
        return scan->error;
    if (scan->depth == SCAN_DEPTH)
        return scan_fail(scan, "more than %d levels", SCAN_DEPTH);
    scan->depth++;
    return 0;
}

/* Behind a member or an element: is there another? */
static bool goes_on(struct trust_scan *scan, char close, const char *expected)
{
    int byte = skip_space(scan);
    if (byte == ',' || byte == close)
        take(scan);
    else
        unexpected(scan, expected);
    return !scan->error && byte == ',';
}

static bool is_empty(struct trust_scan *scan, char close)
{
    if (skip_space(scan) != close)
        return false;
    take(scan);
    return true;
}

int scan_object(struct trust_scan *scan, scan_member *member, void *context)
{
    if (descend(scan, '{', "an object") < 0)
        return scan->error;
    if (!is_empty(scan, '}')) {
        do {
            char key[SCAN_KEY];
            bool cut;
            if (scan_string(scan, key, sizeof(key), &cut) < 0 || expect(scan, ':', "':'") < 0)
                return scan->error;
            if ((cut ? scan_skip(scan) : member(scan, context, key)) < 0)
                return scan->error;
        } while (goes_on(scan, '}', "',' or '}'"));
    }
    scan->depth--;
    return scan->error;
}

int scan_array(struct trust_scan *scan, scan_element *element, void *context)
{
    if (descend(scan, '[', "an array") < 0)
        return scan->error;
    if (!is_empty(scan, ']')) {
        do {
            if (element(scan, context) < 0)
                return scan->error;
        } while (goes_on(scan, ']', "',' or ']'"));
    }
    scan->depth--;
    return scan->error;
}

static int skip_member(struct trust_scan *scan, void *context, const char *key)
{
    (void)context;
    (void)key;
    return scan_skip(scan);
}

static int skip_element(struct trust_scan *scan, void *context)
{
    (void)context;
    return scan_skip(scan);
}

int scan_skip(struct trust_scan *scan)
{
    int byte = skip_space(scan);
    switch (byte) {
    case '{':
        return scan_object(scan, skip_member, NULL);
    case '[':
        return scan_array(scan, skip_element, NULL);
    case '"':
        return scan_string(scan, NULL, 0, NULL);
    case 't':
        return expect_word(scan, "true");
    case 'f':
        return expect_word(scan, "false");
    case 'n':
        return expect_word(scan, "null");
    default:
        return byte == '-' || (byte >= '0' && byte <= '9') ? skip_number(scan)
                                                           : unexpected(scan, "a value");
    }
}

int scan_end(struct trust_scan *scan)
{
    if (skip_space(scan) != END)
        return scan_fail(scan, "something follows behind its end");
    return scan->error;
}
