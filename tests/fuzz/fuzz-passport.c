/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A passport from anywhere, as libassay reads it: refused with a sentence, or an answer that can be
 * printed. Jansson is the second opinion: the library's scanner takes what it takes, but for limits
 * of its own, and reads the same strings. */
#include "fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "lib/trust.h"

static int skip_all(const uint8_t *bytes, size_t size, struct failure *failure)
{
    struct trust_scan scan;
    scan_begin_bytes(&scan, "input", (const char *)bytes, size, failure);
    scan_skip(&scan);
    return scan_end(&scan);
}

static bool is_own_limit(const char *sentence)
{
    return strstr(sentence, "levels") || strstr(sentence, "digits") ||
           strstr(sentence, "out of range") || strstr(sentence, "longer than");
}

static void compare_strings(const uint8_t *bytes, size_t size, const json_t *value)
{
    if (!json_is_string(value))
        return;
    char *out = malloc(size + 1);
    assert(out);
    struct trust_scan scan;
    bool cut;
    scan_begin_bytes(&scan, "input", (const char *)bytes, size, NULL);
    assert(scan_string(&scan, out, size + 1, &cut) == 0 && !cut);
    assert(strcmp(out, json_string_value(value)) == 0);
    free(out);
}

static void check_printable(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    assert(length < size);
    for (size_t i = 0; i < length; i++)
        assert((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
    json_t *valid = json_stringn(text, length);
    assert(valid);
    json_decref(valid);
}

static bool check_passport(const uint8_t *bytes, size_t size)
{
    static struct passport passport;
    struct trust_scan scan;
    struct failure failure = {0};
    scan_begin_bytes(&scan, "input", (const char *)bytes, size, &failure);
    if (passport_read(&scan, "page-faults", &passport) < 0) {
        assert(failure.text[0]);
        return false;
    }
    const struct passport_entry *entry = &passport.entry;
    if (entry->found) {
        check_printable(entry->trust.note, sizeof(entry->trust.note));
        check_printable(entry->trust.event, sizeof(entry->trust.event));
        check_printable(entry->trust.verdict, sizeof(entry->trust.verdict));
        check_printable(entry->trust.cause, sizeof(entry->trust.cause));
        check_printable(entry->trust.path, sizeof(entry->trust.path));
        assert(entry->validated >= 0 && entry->trust.verdict[0]);
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct failure failure = {0};
    int error = skip_all(bytes, size, &failure);
    assert(error == 0 || failure.text[0]);
    json_t *value =
        json_loadb((const char *)bytes, size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    /* Jansson passes over a NUL behind a number. */
    bool nul = size && memchr(bytes, 0, size);
    assert(error == 0 ? value != NULL : !value || nul || is_own_limit(failure.text));
    bool passport = check_passport(bytes, size);
    assert(!passport || error == 0);
    if (error == 0)
        compare_strings(bytes, size, value);
    json_decref(value);
    return 0;
}
