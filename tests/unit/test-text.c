/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growable strings and failures. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "case.h"

TEST(grows_past_every_capacity)
{
    AUTO_TEXT struct text text = {0};
    for (int i = 0; i < 10000; i++)
        text_printf(&text, "%d,", i % 10);
    assert_int_equal(text.length, 20000);
    assert_string_equal(text_string(&text) + 19998, "9,");
}

TEST(memory_goes_with_its_scope)
{
    struct memory_scope outer, inner;
    memory_scope_begin(&outer);
    char *kept = memory_copy("kept");
    memory_scope_begin(&inner);
    uint64_t *numbers = NULL;
    size_t count = 0;
    for (size_t i = 0; i < 1000; i++) {
        uint64_t *number = memory_add(numbers, count);
        assert_int_equal(*number, 0);
        *number = i;
    }
    assert_int_equal(numbers[999], 999);
    /* In the middle of a scope, larger, and before its end. */
    char *middle = memory_format("%d", 42);
    char *last = memory_new(1, 1);
    middle = memory_resize(middle, 100000, 1);
    assert_string_equal(middle, "42");
    memory_give_back(middle);
    memory_give_back(NULL);
    last[0] = 1;
    memory_scope_end(&inner);
    assert_string_equal(kept, "kept");
    struct text text = {0};
    text_puts(&text, "text");
    assert_string_equal(memory_text(&text), "text");
    assert_null(text.bytes);
    assert_string_equal(memory_text(&text), "");
    assert_null(memory_copy(NULL));
    memory_scope_end(&outer);
}

TEST(an_empty_text_is_an_empty_string)
{
    struct text text = {0};
    assert_string_equal(text_string(&text), "");
    char *taken = text_take(&text);
    assert_string_equal(taken, "");
    free(taken);
}

TEST(bytes_keep_their_zeros)
{
    AUTO_TEXT struct text text = {0};
    text_append(&text, "a\0b", 3);
    assert_int_equal(text.length, 3);
    assert_memory_equal(text_string(&text), "a\0b", 4);
}

TEST(a_failure_keeps_code_and_cuts_long_text)
{
    struct failure failure = {0};
    char longer[3000];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    assert_int_equal(fail_with(&failure, -EINVAL, "%s", longer), -EINVAL);
    assert_int_equal(strlen(failure.text), sizeof(failure.text) - 1);
    assert_int_equal(fail_with(NULL, -EIO, "nobody listens"), -EIO);
}

/* --- foreign words in messages --- */

static void assert_becomes(const char *bytes, size_t length, const char *expected)
{
    char out[100];
    assert_int_equal(printable_copy(out, sizeof(out), bytes, length), strlen(expected));
    assert_string_equal(out, expected);
}

#define BECOMES(literal, expected) assert_becomes(literal, sizeof(literal) - 1, expected)

TEST(words_in_any_language_stay)
{
    BECOMES("", "");
    BECOMES("plain ~ words", "plain ~ words");
    BECOMES("déjà vu 日本 🙂", "déjà vu 日本 🙂");
    BECOMES("two\nlines\r\nand\ttab", "two\nlines\nand tab");
}

TEST(what_could_act_on_a_terminal_is_shown_as_a_question)
{
    BECOMES("\033[2Jbell\a\0nul\x7f", "?[2Jbell??nul?");
    BECOMES("\xc2\x9b"
            "31m",
            "??31m"); /* the one-byte CSI in UTF-8 */
}

TEST(bytes_that_are_no_utf8_are_shown_as_questions)
{
    BECOMES("a\xff\x80z", "a??z");
    BECOMES("\xc3", "?");                     /* cut short */
    BECOMES("\xe2\x82", "??");                /* cut short */
    BECOMES("\xc0\xaf\xe0\x80\xaf", "?????"); /* longer than needed */
    BECOMES("\xed\xa0\x80", "???");           /* half of a pair */
    BECOMES("\xf5\x80\x80\x80", "????");      /* beyond the last */
}

TEST(a_character_that_does_not_fit_is_left_out_whole)
{
    char out[4];
    assert_int_equal(printable_copy(out, sizeof(out), "abé", 4), 2);
    assert_string_equal(out, "ab");
    assert_int_equal(printable_copy(out, sizeof(out), "abcdef", 6), 3);
    assert_string_equal(out, "abc");
    assert_int_equal(printable_copy(out, 1, "abc", 3), 0);
    assert_string_equal(out, "");
}
