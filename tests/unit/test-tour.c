/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a tour: what a text means, and a sentence for every kind of text that means
 * nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "case.h"
#include "wire/cell.h"

TEST(calls_are_read_in_order)
{
    AUTO_FREE struct tour_call *calls = NULL;
    size_t count = 0;
    assert_int_equal(
        tour_parse("perf-read.start,perf-read.read*8,timer.nothing,a.b*1024", &calls, &count, NULL),
        0);
    static const struct tour_call wanted[] = {
        {"perf-read.start", 1}, {"perf-read.read", 8}, {"timer.nothing", 1}, {"a.b", 1024}};
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(calls[i].operation, wanted[i].operation);
        assert_int_equal(calls[i].times, wanted[i].times);
    }
}

TEST(a_name_may_be_as_long_as_there_is_room)
{
    struct tour_call *calls = NULL;
    size_t count = 0;
    char name[2 * TOUR_NAME] = "";
    memset(name, 'p', TOUR_NAME - 3);
    strcat(name, ".k*12");
    assert_int_equal(tour_parse(name, &calls, &count, NULL), 0);
    assert_int_equal(strlen(calls[0].operation), TOUR_NAME - 1);
    assert_int_equal(calls[0].times, 12);
    free(calls);
}

static void expect_refusal(const char *text, const char *words)
{
    struct tour_call *calls = NULL;
    struct failure failure = {0};
    size_t count = 7;
    int status = tour_parse(text, &calls, &count, &failure);
    if (status != -EINVAL || !strstr(failure.text, words))
        fail_msg("'%.80s': %d '%s' instead of '%s'", text ? text : "(none)", status, failure.text,
                 words);
    assert_null(calls);
    assert_int_equal(count, 0);
    assert_int_equal(failure.code, -EINVAL);
}

TEST(each_kind_of_wrong_text_has_its_sentence)
{
    static const char *const bad[][2] = {
        {"", "without a call"},
        {",", "call 1 of a tour is empty"},
        {"a.b,", "call 2 of a tour is empty"},
        {"a.b,,a.b", "call 2 of a tour is empty"},
        {"read", "call 1 of a tour, 'read', has no dot"},
        {"a.b,read*3", "call 2 of a tour, 'read*3', has no dot"},
        {".read", "lacks its path"},
        {".", "lacks its path"},
        {".*3", "lacks its path"},
        {"perf.", "lacks its kind"},
        {"perf.*2", "lacks its kind"},
        {"*2", "no dot"},
        {"a.b.c", "character that no operation has"},
        {"a b.c", "character that no operation has"},
        {"A.read", "character that no operation has"},
        {"a.re\xc3\xa9", "character that no operation has"},
        {"a.b*", "a number from 1 to 1024"},
        {"a.b*0", "a number from 1 to 1024"},
        {"a.b*01", "a number from 1 to 1024"},
        {"a.b*-1", "a number from 1 to 1024"},
        {"a.b*+1", "a number from 1 to 1024"},
        {"a.b*1025", "a number from 1 to 1024"},
        {"a.b*4294967297", "a number from 1 to 1024"},
        {"a.b*99999999999999999999999", "a number from 1 to 1024"},
        {"a.b*2*2", "a number from 1 to 1024"},
        {"a.b*2 ", "a number from 1 to 1024"},
        {"a.b* 2", "a number from 1 to 1024"},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        expect_refusal(bad[i][0], bad[i][1]);
    expect_refusal(NULL, "without a call");
    char name[2 * TOUR_NAME] = "";
    memset(name, 'p', TOUR_NAME - 2);
    strcat(name, ".k");
    expect_refusal(name, "a name of more than 63 characters");
}

TEST(a_tour_has_an_end)
{
    AUTO_TEXT struct text text = {0};
    for (unsigned i = 0; i < TOUR_MOST_CALLS; i++)
        text_puts(&text, i ? ",a.b" : "a.b");
    struct tour_call *calls = NULL;
    size_t count = 0;
    assert_int_equal(tour_parse(text_string(&text), &calls, &count, NULL), 0);
    assert_int_equal(count, TOUR_MOST_CALLS);
    free(calls);
    text_puts(&text, ",a.b");
    expect_refusal(text_string(&text), "4097 calls, more than the 4096");
}

static char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

TEST(tours_are_the_same_when_all_of_them_is)
{
    const struct cell none = {0};
    const struct cell tour = {.tour = {word("a.b,c.d"), word("cycles"), 2, false}};
    struct cell others[] = {tour, tour, tour, tour, none};
    others[0].tour.calls = word("a.b");
    others[1].tour.counted = word("instructions");
    others[2].tour.open = 3;
    others[3].tour.cold = true;
    assert_true(cell_same_tour(&none, &none));
    assert_true(cell_same_tour(&tour, &tour));
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        assert_false(cell_same_tour(&tour, &others[i]));
        assert_false(cell_same_tour(&others[i], &tour));
    }
    assert_int_equal(cell_tour_length(&none.tour), 0);
    assert_int_equal(cell_tour_length(&tour.tour), 2);
    assert_int_equal(cell_tour_length(&others[0].tour), 1);
}
