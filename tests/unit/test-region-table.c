/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The table of regions, to the letter, from planted counts. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.h"
#include "planted-calipers.h"
#include "written-alone.h"

static const char *const events[] = {"apples", "pears:u"};

static void show_golden(int descriptor)
{
    static struct assay_region parse = ASSAY_REGION("parse"), solve = ASSAY_REGION("solve it"),
                               own = ASSAY_REGION("");
    struct assay_calipers *calipers = planted_calipers(2, events);
    calipers->events[0].null[ASSAY_NULL_ALONE] = (struct null_figures){
        .middle = 7, .low = 5, .high = 11, .mean = 7, .spread = 2, .error = 0.25, .odd = 1};
    calipers->events[1].kind = CALIPER_ABSENT;
    calipers->events[1].reason = strdup("there are no\npears here");
    planted_region(calipers, &own, (uint64_t[PLANTED_MOST]){999, 0}, 0, 0);
    planted_region(calipers, &parse, (uint64_t[PLANTED_MOST]){1234574, 0}, 0, 0);
    planted_region(calipers, &solve, (uint64_t[PLANTED_MOST]){17, 0}, 0, 0);
    planted_begin(calipers)->noticed = ASSAY_SAW_DISTURBED;
    assay_ended_in(&solve);
    planted_region(calipers, &solve, (uint64_t[PLANTED_MOST]){18, 0}, 0, 0);
    assay_table(descriptor);
}

TEST(the_table_is_as_it_should_be)
{
    char words[200], expected[2000];
    assay_noticed_words(ASSAY_SAW_DISTURBED, words, sizeof(words));
    snprintf(
        expected, sizeof(expected),
        "region    regions  event      corrected     ±       mean    minimum    maximum  "
        "noticed\n"
        "parse           1  apples     1,234,567     4  1,234,567  1,234,567  1,234,567\n"
        "                   pears:u  unsupported\n"
        "solve it        3  apples            31  7.34      10.33         10         11  in 1: "
        "%s\n"
        "                   pears:u  unsupported\n"
        "pears:u: there are no pears here\n"
        "path: none, calipers: 1\n",
        words);
    char *text = written_alone(show_golden);
    assert_string_equal(text, expected);
    free(text);
}

static void show_hostile(int descriptor)
{
    char endless[5000] = "";
    memset(endless, 'e', sizeof(endless) - 1);
    const char *const names[] = {
        "\033[2J\033[H", "two\nlines\tand\ra bell\a", "\xff\xfe stray", "grüße\xc2\x9b[31m", "\r",
        endless,
        /* 61 bytes, then one of two: cut off between the two it would be no character */
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeüüüü"};
    struct assay_calipers *calipers = planted_calipers(2, events);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct assay_region region = {names[i], 0};
        planted_region(calipers, &region, (uint64_t[PLANTED_MOST]){1, 2}, 0, 0);
    }
    assay_table(descriptor);
}

/* Lines end where rows do, in no column stands anything but characters, and none is cut in two. */
TEST(hostile_names_are_made_harmless)
{
    char *text = written_alone(show_hostile);
    size_t lines = 0;
    for (const char *at = text; *at; at++) {
        lines += *at == '\n';
        assert_true(*at == '\n' || (unsigned char)*at >= 0x20);
        assert_int_not_equal((unsigned char)*at, 0x7f);
    }
    assert_int_equal(lines, 1 + 7 * 2 + 1);
    assert_null(strstr(text, "\xc2\x9b"));
    assert_null(strstr(text, "\xff"));
    assert_non_null(strstr(text, "grüße??[31m"));
    assert_non_null(strstr(text, "two lines anda bell?"));
    assert_non_null(strstr(text, "eee...  "));
    assert_null(strstr(text, "\xc3..."));
    assert_non_null(strstr(text, "(nothing to see)"));
    free(text);
}

static void show_closed_and_open(int descriptor)
{
    static struct assay_region region = ASSAY_REGION("work");
    static const char *const others[] = {"plums"};
    for (int i = 0; i < 3; i++) {
        struct assay_calipers *closed = planted_calipers(2, events);
        planted_region(closed, &region, (uint64_t[PLANTED_MOST]){10, 100 + (uint64_t)i}, 0, 0);
        assay_calipers_close(closed);
    }
    struct assay_calipers *open = planted_calipers(2, events);
    planted_region(open, &region, (uint64_t[PLANTED_MOST]){2, 7}, 0, 0);
    planted_region(planted_calipers(1, others), &region, (uint64_t[PLANTED_MOST]){5}, 0, 0);
    assay_table(descriptor);
    assay_table(descriptor); /* asking changes nothing */
}

TEST(closed_and_open_calipers_are_one_table_by_events)
{
    const char *once = "region  regions  event    corrected  ±  mean  minimum  maximum  noticed\n"
                       "work          4  apples          32  0     8        2       10\n"
                       "                 pears:u        310  0  77.5        7      102\n"
                       "path: none, calipers: 4\n"
                       "\n"
                       "region  regions  event  corrected  ±  mean  minimum  maximum  noticed\n"
                       "work          1  plums          5  0     5        5        5\n"
                       "path: none, calipers: 1\n";
    char expected[3000];
    snprintf(expected, sizeof(expected), "%s%s", once, once);
    char *text = written_alone(show_closed_and_open);
    assert_string_equal(text, expected);
    free(text);
}

static void ask_and_end(int descriptor)
{
    static struct assay_region region = ASSAY_REGION("end");
    assert_int_equal(assay_table_at_exit(descriptor), 0);
    assert_int_equal(assay_table_at_exit(descriptor), 0); /* the last wish counts, once */
    close(descriptor);
    struct assay_calipers *calipers = planted_calipers(2, events);
    planted_region(calipers, &region, (uint64_t[PLANTED_MOST]){3, 4}, 0, 0);
    pid_t child = fork();
    if (child == 0)
        exit(0); /* it runs destructors, too, and has nothing to tell */
    waitpid(child, NULL, 0);
}

TEST(the_table_at_exit_is_written_once_by_who_asked_for_it)
{
    char *text = written_alone(ask_and_end);
    const char *found = strstr(text, "end ");
    assert_non_null(found);
    assert_null(strstr(found + 1, "end "));
    assert_null(strstr(text, "No region")); /* a child's table would be of nothing */
    assert_non_null(strstr(text, "path: none, calipers: 1\n"));
    free(text);
    assert_int_equal(assay_table_at_exit(-1), -EBADF);
}
