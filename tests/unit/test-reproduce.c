/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From a recorded command line to one that makes the run again. */
#include "case.h"
#include "commands/reported.h"
#include "engine/command.h"

struct options {
    struct common_options common;
    const char *store, *report;
    struct seed seed;
    bool resume;
};

static const struct option_spec specs[] = {
    OPTION_ROW_STORE(offsetof(struct options, store)),
    {0, "report", OPTION_STRING, "FILE", "", offsetof(struct options, report), NULL},
    OPTION_ROW_RESUME(offsetof(struct options, resume)),
    {'s', "seed", OPTION_SEED, "N", "", offsetof(struct options, seed), NULL},
    {0},
};
static const struct command measures = {
    .name = "measure", .options = specs, .options_size = sizeof(struct options)};
static const struct command counts = {
    .name = "stat", .options = specs, .options_size = sizeof(struct options), .passes_on = true};
static const struct option_spec none[] = {{0}};
static const struct command draws_nothing = {
    .name = "doctor", .options = none, .options_size = sizeof(struct options)};
const struct command *const command_registry[] = {&measures, &counts, &draws_nothing, NULL};

/* Valid until the next call. */
static const char *made_again(const char *argv, const char *seed)
{
    static struct text text;
    text_clear(&text);
    reproduce_put(argv, seed, &text);
    assert_false(text.failed);
    return text_string(&text);
}

TEST(the_drawn_seed_is_added)
{
    assert_string_equal(made_again("[\"/usr/bin/assay\",\"measure\"]", "17"),
                        "assay measure --seed 17");
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--seed\",\"5\"]", "5"),
                        "assay measure --seed 5");
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--seed=0x5\"]", "5"),
                        "assay measure --seed=0x5");
    assert_string_equal(made_again("[\"assay\",\"measure\",\"-s5\"]", "5"), "assay measure -s5");
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--see\",\"5\"]", "5"),
                        "assay measure --see 5");
    assert_string_equal(made_again("[\"assay\",\"measure\"]", NULL), "assay measure");
    assert_string_equal(made_again("[\"assay\",\"doctor\"]", "5"), "assay doctor");
}

TEST(where_the_result_went_is_not)
{
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--store\",\"/home/me/x\",\"-o\","
                                   "\"page\",\"-oother\",\"--report=p\",\"--json\",\"-q\","
                                   "\"--via\",\"ssh:there\"]",
                                   "1"),
                        "assay measure --via ssh:there --seed 1");
    /* A value that looks like an option is a value. */
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--via\",\"--json\"]", "1"),
                        "assay measure --via --json --seed 1");
}

TEST(words_of_another_command_stay)
{
    assert_string_equal(made_again("[\"assay\",\"stat\",\"--json\",\"ls\",\"--json\",\"-o\","
                                   "\"a b\"]",
                                   "9"),
                        "assay stat --seed 9 ls --json -o 'a b'");
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--\",\"--json\",\"it's\"]", "9"),
                        "assay measure --seed 9 -- --json 'it'\\''s'");
}

TEST(what_is_no_command_line_gives_none)
{
    static const char *const odd[] = {
        NULL,          "",    "{}", "[]", "[\"assay\"]", "[1,2]", "[\"assay\",\"unheard-of\"]",
        "[\"assay\",", "null"};
    for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
        assert_string_equal(made_again(odd[i], "1"), "");
    assert_string_equal(made_again("[\"assay\",\"measure\",3,\"--\",null,\"x\",\"--store\"]", "1"),
                        "assay measure --seed 1 -- x --store");
    assert_string_equal(made_again("[\"assay\",\"measure\",\"--store\"]", "1"),
                        "assay measure --seed 1");
}
