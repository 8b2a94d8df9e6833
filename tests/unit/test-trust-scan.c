/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The library's scanner takes JSON and nothing else, says where something else begins, and never
 * writes beyond what it was given. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "case.h"
#include "lib/trust.h"

static int scan_all(const char *text, size_t size, struct failure *failure)
{
    struct trust_scan scan;
    scan_begin_bytes(&scan, "it", text, size, failure);
    scan_skip(&scan);
    return scan_end(&scan);
}

TEST(json_is_taken)
{
    static const char *const good[] =
        TABLE("null", " true\n", "false", "0", "-0", "-12.5e-3", "1E+5", "9007199254740993", "\"\"",
              "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
              "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x7f\"", "[]", "{}", "[1,2 , [3], {\"a\":[]}]",
              "{\"a\":1,\"b\":{\"c\":null}}", "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]");
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        struct failure failure = {0};
        if (scan_all(good[i], strlen(good[i]), &failure) < 0)
            fail_msg("%s was refused: %s", good[i], failure.text);
    }
}

/* Each with the words that must be said of it. */
TEST(anything_else_is_refused_with_its_place)
{
    static const struct {
        const char *text, *words;
    } bad[] = TABLE(
        {"", "line 1, column 1: it ends where a value"},
        {" \n x", "line 2, column 2: 'x' where a value"},
        {"nul", "it ends where true, false or null"}, {"nulx", "'x' where true"},
        {"01", "begins with 0"}, {"-", "it ends where a digit"}, {"1.", "it ends where a digit"},
        {".5", "'.' where a value"}, {"1e", "it ends where a digit"}, {"+1", "'+' where a value"},
        {"1e309", "out of range"}, {"1e99999999999999999999", "out of range"},
        {"11111111111111111111111111111111111111111111111111111111111111111",
         "more than 64 digits"},
        {"\"", "the rest of a string"},
        {"\"a\nb\"", "column 3: byte 0x0a where the rest of a string"},
        {"\"\\x\"", "'x' where an escaped"}, {"\"\\u12g4\"", "'g' where a hexadecimal"},
        {"\"\\u0000\"", "NUL"}, {"\"\\ud800\"", "half of a character"},
        {"\"\\ud800\\n\"", "half of a character"}, {"\"\\ud800u0041\"", "half of a character"},
        {"\"\\ud800\\u0041\"", "half of a character"},
        {"\"\\ud800\\ud800\"", "half of a character"}, {"\"\\udc00\"", "half of a character"},
        {"\"\xff\"", "a character of UTF-8"}, {"\"\x80\"", "a character of UTF-8"},
        {"\"\xc0\x80\"", "a character of UTF-8"}, {"\"\xc3\"", "the rest of a character"},
        {"\"\xe0\x80\x80\"", "the rest of a character"},
        {"\"\xed\xa0\x80\"", "the rest of a character"},
        {"\"\xf4\x90\x80\x80\"", "the rest of a character"},
        {"\"\xf0\x80\x80\x80\"", "the rest of a character"}, {"[1 2]", "'2' where ',' or ']'"},
        {"[1,]", "']' where a value"}, {"[", "it ends where a value"},
        {"{\"a\" 1}", "'1' where ':'"}, {"{a:1}", "'a' where a string"},
        {"{\"a\":1,}", "'}' where a string"}, {"{\"a\":1", "it ends where ',' or '}'"},
        {"null null", "something follows"}, {"{}]", "something follows"},
        {"\xef\xbb\xbf{}", "byte 0xef where a value"},
        {"[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]", "more than 16 levels"},
        {"// no\n1", "'/' where a value"}, {"NaN", "'N' where a value"});
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct failure failure = {0};
        int error = scan_all(bad[i].text, strlen(bad[i].text), &failure);
        if (error != -EINVAL || !strstr(failure.text, bad[i].words))
            fail_msg("%s: %d, \"%s\" instead of \"%s\"", bad[i].text, error, failure.text,
                     bad[i].words);
    }
}

static int string_of(const char *text, char *out, size_t size, bool *cut)
{
    struct trust_scan scan;
    struct failure failure = {0};
    scan_begin_bytes(&scan, "it", text, strlen(text), &failure);
    return scan_string(&scan, out, size, cut);
}

TEST(escapes_become_what_they_mean)
{
    char out[64];
    bool cut;
    assert_int_equal(string_of("\"\\\"\\\\\\/\\b\\f\\n\\r\\t|\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"",
                               out, sizeof(out), &cut),
                     0);
    assert_string_equal(out, "\"\\/\b\f\n\r\t|A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_false(cut);
}

/* Every size: no byte beyond it, terminated, no character in halves, and said. */
TEST(what_does_not_fit_is_cut_between_characters)
{
    static const char whole[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80";
    static const size_t ends[] = {0, 1, 3, 6, 10};
    for (size_t size = 1; size <= sizeof(whole); size++) {
        char out[sizeof(whole) + 1];
        bool cut;
        memset(out, '#', sizeof(out));
        assert_int_equal(string_of("\"a\\u00e9\xe2\x82\xac\\ud83d\\ude00\"", out, size, &cut), 0);
        size_t expected = 0;
        for (size_t i = 0; i < 5; i++)
            expected = ends[i] < size ? ends[i] : expected;
        assert_int_equal(strlen(out), expected);
        assert_memory_equal(out, whole, expected);
        assert_int_equal(out[size], '#');
        assert_int_equal(cut, size < sizeof(whole));
    }
}

static int count_member(struct trust_scan *scan, void *context, const char *key)
{
    char *keys = context;
    strcat(strcat(keys, key), ";");
    return scan_skip(scan);
}

TEST(keys_are_handed_on_and_overlong_ones_are_not)
{
    char text[256], keys[256] = "", longest[SCAN_KEY + 1];
    memset(longest, 'k', SCAN_KEY);
    longest[SCAN_KEY] = '\0';
    snprintf(text, sizeof(text), "{\"a\":1,\"%s\":{\"x\":[2]},\"%s\":3,\"\\u0062\":\"4\"}", longest,
             longest + 1);
    struct trust_scan scan;
    struct failure failure = {0};
    scan_begin_bytes(&scan, "it", text, strlen(text), &failure);
    assert_int_equal(scan_object(&scan, count_member, keys), 0);
    assert_int_equal(scan_end(&scan), 0);
    char expected[256];
    snprintf(expected, sizeof(expected), "a;%s;b;", longest + 1);
    assert_string_equal(keys, expected);
}

/* From a pipe that gives few bytes at a time, and longer than what is read at once. */
TEST(a_file_is_read_to_its_end)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char text[20000];
    memset(text, ' ', sizeof(text));
    /* NOLINTBEGIN(bugprone-not-null-terminated-result): no string, but what a pipe brings */
    memcpy(text, "[1,", 3);
    memcpy(text + 4090, "\"abcdefghijkl\",", 15);
    memcpy(text + sizeof(text) - 2, "2]", 2);
    /* NOLINTEND(bugprone-not-null-terminated-result) */
    assert_int_equal(write(ends[1], text, sizeof(text)), sizeof(text));
    close(ends[1]);
    struct trust_scan scan;
    struct failure failure = {0};
    scan_begin_file(&scan, "pipe", ends[0], &failure);
    scan_skip(&scan);
    if (scan_end(&scan) < 0)
        fail_msg("%s", failure.text);
    close(ends[0]);
    scan_begin_file(&scan, "closed", ends[0], &failure);
    assert_int_equal(scan_skip(&scan), -EIO);
    assert_non_null(strstr(failure.text, "closed"));
}

TEST(what_is_too_long_is_not_read)
{
    AUTO_FREE char *text = malloc(SCAN_MOST + 1);
    AUTO_FILE FILE *file = tmpfile();
    assert_non_null(text);
    assert_non_null(file);
    memset(text, ' ', SCAN_MOST + 1);
    text[0] = '1';
    struct failure failure = {0};
    assert_int_equal(scan_all(text, SCAN_MOST, &failure), 0);
    assert_int_equal(scan_all(text, SCAN_MOST + 1, &failure), -EINVAL);
    assert_int_equal(fwrite(text, 1, SCAN_MOST + 1, file), SCAN_MOST + 1);
    assert_int_equal(fflush(file), 0);
    for (unsigned more = 0; more < 2; more++) {
        assert_int_equal(ftruncate(fileno(file), SCAN_MOST + more), 0);
        assert_int_equal(lseek(fileno(file), 0, SEEK_SET), 0);
        struct trust_scan scan;
        failure = (struct failure){0};
        scan_begin_file(&scan, "file", fileno(file), &failure);
        scan_skip(&scan);
        assert_int_equal(scan_end(&scan), more ? -EINVAL : 0);
    }
    assert_non_null(strstr(failure.text, "longer than"));
}
