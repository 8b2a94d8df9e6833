/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Foreign words in messages. */
#include <string.h>

#include "base/text.h"
#include "case.h"

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
