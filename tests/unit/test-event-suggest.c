/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The nearest names. */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "events/event.h"

TEST(distance_counts_single_edits)
{
    static const struct {
        const char *one, *other;
        size_t distance;
    } cases[] = {
        {"", "", 0},        {"abc", "", 3},           {"", "abc", 3},
        {"abc", "abc", 0},  {"abc", "abd", 1},        {"abc", "ab", 1},
        {"abc", "xabc", 1}, {"abc", "acb", 1},        {"cycels", "cycles", 1},
        {"ABC", "abc", 0},  {"kitten", "sitting", 3}, {"page-faults", "page-fualts", 1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(suggest_distance(cases[i].one, cases[i].other), cases[i].distance);
        assert_int_equal(suggest_distance(cases[i].other, cases[i].one), cases[i].distance);
    }
}

static const char *sentence_for(const char *wanted, const char *const *candidates)
{
    static char sentence[512];
    struct suggestions suggestions = {.wanted = wanted};
    for (; *candidates; candidates++)
        suggest_consider(&suggestions, *candidates);
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    return sentence;
}

TEST(the_best_three_come_first)
{
    static const char *const candidates[] = {"branch-loads",  "branches", "instructions",
                                             "branch-misses", "branchez", NULL};
    assert_string_equal(sentence_for("branch", candidates),
                        "; did you mean branches, branchez or branch-loads?");
    assert_string_equal(sentence_for("instructoins", candidates), "; did you mean instructions?");
}

TEST(a_beginning_or_a_part_is_near)
{
    static const char *const candidates[] = {"instructions", "msr/tsc/", NULL};
    assert_string_equal(sentence_for("instr", candidates), "; did you mean instructions?");
    assert_string_equal(sentence_for("tsc", candidates), "; did you mean msr/tsc/?");
}

TEST(nothing_near_suggests_nothing)
{
    static const char *const candidates[] = {"instructions", "page-faults", NULL};
    assert_string_equal(sentence_for("zzzzzzzzzz", candidates), "");
    assert_string_equal(sentence_for("x", candidates), "");
}

TEST(names_too_long_to_compare_are_left_out)
{
    char longest[4000];
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    const char *candidates[] = {longest, longest + 3900, NULL};
    assert_string_equal(sentence_for(longest, candidates), "");
    longest[3999 - 1] = '\0';
    assert_int_equal(suggest_distance(longest, "a"), strlen(longest));
}

TEST(a_small_buffer_cuts_the_sentence)
{
    struct suggestions suggestions = {.wanted = "cycles"};
    char sentence[8];
    suggest_consider(&suggestions, "cycles");
    suggest_sentence(&suggestions, sentence, sizeof(sentence));
    assert_int_equal(strlen(sentence), 7);
}
