/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Command lines: the forms of values, defaults, and what is said of a wrong word. */
#include <errno.h>
#include <string.h>

#include "case.h"
#include "commands/help.h"
#include "engine/options.h"

struct sample_options {
    struct common_options common;
    struct string_list event, label, from;
    uint64_t n;
    int64_t cpu;
    uint64_t budget;
    struct seed seed;
};

static const struct option_spec sample_specs[] = {
    {'e', "event", OPTION_LIST, "EVENT", "what to count", offsetof(struct sample_options, event),
     "page-faults"},
    {0, "label", OPTION_FILES, "NAME", "its name", offsetof(struct sample_options, label), NULL},
    {0, "from", OPTION_FILES, "FILE", "what", offsetof(struct sample_options, from), NULL},
    {'n', "n", OPTION_U64, "N", "how often", offsetof(struct sample_options, n), "1e3"},
    {0, "cpu", OPTION_I64, "CPU", "where", offsetof(struct sample_options, cpu), "-1"},
    {0, "budget", OPTION_BUDGET, "TIME", "how long", offsetof(struct sample_options, budget), NULL},
    {0, "seed", OPTION_SEED, "N", "order", offsetof(struct sample_options, seed), NULL},
    {0},
};

static const struct command sample = {
    .name = "sample",
    .summary = "a command for tests",
    .synopsis = "[options]",
    .description = "First paragraph.\n\nSecond - paragraph\\ with .dots.",
    .examples = "# how\nassay sample -n 1",
    .options = sample_specs,
    .options_size = sizeof(struct sample_options),
};

const struct command *const command_registry[] = {&sample, NULL};

/* Parses the given words; the text of the failure stays in *failure. */
static int parse(struct sample_options *options, int *first, struct failure *failure, int argc,
                 const char *const *words)
{
    char *argv[16] = {(char *)(uintptr_t) "sample"};
    for (int i = 0; i < argc; i++)
        argv[i + 1] = (char *)(uintptr_t)words[i];
    *options = (struct sample_options){0};
    *failure = (struct failure){0};
    return options_parse(&sample, argc + 1, argv, options, first, failure);
}
#define PARSE(...)                                                                                 \
    parse(&options, &first, &failure,                                                              \
          (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)),                           \
          (const char *[]){__VA_ARGS__})

static void assert_u64(const char *text, uint64_t expected)
{
    uint64_t value = 0;
    if (value_u64(text, &value) != 0 || value != expected)
        fail_msg("'%s' read as %llu", text, (unsigned long long)value);
}

TEST(whole_numbers_have_many_forms)
{
    assert_u64("0", 0);
    assert_u64("1000000", 1000000);
    assert_u64("1e6", 1000000);
    assert_u64("1.5e3", 1500);
    assert_u64("1_000_000", 1000000);
    assert_u64("0x10", 16);
    assert_u64("0xFFFF_ffff_ffff_ffff", UINT64_MAX);
    assert_u64("18446744073709551615", UINT64_MAX);
    assert_u64("0e999999999", 0);
}

TEST(what_is_no_whole_number_is_refused)
{
    static const char *const wrong[] = {"",   " ",  "-1",   "+1",   "1.5", "1e",
                                        "e3", "0x", "1__0", "_1",   "1_",  "1k",
                                        "1 ", ".",  "0xg",  "1e-3", "nan", "1e3e3"};
    uint64_t value;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (value_u64(wrong[i], &value) != -EINVAL)
            fail_msg("'%s' was taken", wrong[i]);
    }
    static const char *const large[] = {"18446744073709551616", "1e20", "0x10000000000000000",
                                        "1e999999999999"};
    for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
        if (value_u64(large[i], &value) != -ERANGE)
            fail_msg("'%s' was taken", large[i]);
    }
    char endless[5000];
    memset(endless, '1', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    assert_true(value_u64(endless, &value) < 0);
    assert_true(value_duration(endless, &value) < 0);
}

TEST(durations_have_units)
{
    static const struct {
        const char *text;
        uint64_t milliseconds;
    } good[] = {{"500ms", 500}, {"60s", 60000},   {"60", 60000},  {"1.5s", 1500},
                {"5m", 300000}, {"5min", 300000}, {"1h", 3600000}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        uint64_t value = 0;
        assert_int_equal(value_duration(good[i].text, &value), 0);
        assert_int_equal(value, good[i].milliseconds);
    }
    static const char *const wrong[] = {"",    "s",     "1d",  "1mi",
                                        "-1s", "1.5ms", "1 s", "99999999999999999h"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint64_t value;
        assert_true(value_duration(wrong[i], &value) < 0);
    }
}

TEST(commas_split_but_not_inside_a_pmu)
{
    struct string_list list = {0};
    assert_int_equal(string_list_add(&list, "cpu/event=0xc0,umask=1/u,mem:0x10/4:rw,msr/tsc/,a:b"),
                     0);
    assert_int_equal(list.count, 4);
    assert_string_equal(list.items[0], "cpu/event=0xc0,umask=1/u");
    assert_string_equal(list.items[1], "mem:0x10/4:rw");
    assert_string_equal(list.items[2], "msr/tsc/");
    assert_string_equal(list.items[3], "a:b");
    static const char *const wrong[] = {"", ",", "a,", ",a", "a,,b"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(string_list_add(&list, wrong[i]), -EINVAL);
        list = (struct string_list){0};
    }
}

TEST(defaults_hold_until_something_is_given)
{
    struct sample_options options;
    struct failure failure;
    int first;
    assert_int_equal(PARSE("rest"), 0);
    assert_int_equal(options.n, 1000);
    assert_int_equal(options.cpu, -1);
    assert_int_equal(options.event.count, 1);
    assert_false(options.seed.given);
    assert_string_equal(options.common.via, "local");
    assert_int_equal(first, 1);

    assert_int_equal(PARSE("-e", "a,b", "x", "--event=c", "--seed", "0", "--cpu", "-1", "--json"),
                     0);
    assert_int_equal(options.event.count, 3);
    assert_string_equal(options.event.items[2], "c");
    assert_true(options.seed.given && options.common.json);
    assert_int_equal(first, 9);
}

TEST(wrong_words_are_answered_with_the_right_one)
{
#define REFUSED(said, ...)                                                                         \
    do {                                                                                           \
        assert_int_equal(PARSE(__VA_ARGS__), -EINVAL);                                             \
        assert_non_null(strstr(failure.text, said));                                               \
    } while (0)
    struct sample_options options;
    struct failure failure;
    int first;
    REFUSED("unknown option --evnet: did you mean --event?", "--evnet=x");
    REFUSED("unknown option --zzzzzz", "--zzzzzz");
    REFUSED("unknown option -Z", "-Z");
    REFUSED("--event needs EVENT", "--event");
    REFUSED("--event needs EVENT", "-e");
    REFUSED("--json takes no value", "--json=yes");
    REFUSED("--label '': expected a NAME, which cannot be empty", "--label", "");
    REFUSED("--from '': expected the name of a file", "--from", "");
    REFUSED("--n 'many': expected a whole number", "-n", "many");
    REFUSED("too large", "-n", "1e99");
}

TEST(a_budget_of_nothing_is_refused)
{
    struct sample_options options;
    struct failure failure;
    int first;
    static const char *const nothing[] = {"0", "0s", "0ms", "0.0s", "0h"};
    for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
        assert_int_equal(PARSE("--budget", nothing[i]), -EINVAL);
        assert_non_null(strstr(failure.text, ": expected a duration of 1ms or more, such as"));
    }
    assert_int_equal(PARSE("--budget", "1ms"), 0);
    assert_int_equal(options.budget, 1);
}

TEST(help_keeps_to_eighty_columns)
{
    AUTO_TEXT struct text out = {0};
    help_put(&sample, false, &out);
    assert_non_null(strstr(out.bytes, "-n, --n N"));
    assert_non_null(strstr(out.bytes, "(default: 1e3)"));
    for (const char *line = out.bytes; *line;) {
        size_t length = strcspn(line, "\n");
        assert_true(length <= HELP_WIDTH);
        line += length + (line[length] == '\n');
    }
}

TEST(man_pages_escape_what_roff_would_obey)
{
    AUTO_TEXT struct text out = {0};
    help_put(&sample, true, &out);
    assert_non_null(strstr(out.bytes, ".SH NAME\nassay\\-sample \\- a command for tests\n"));
    assert_non_null(strstr(out.bytes, "Second \\- paragraph\\e with .dots."));
    assert_null(strstr(out.bytes, "\n.dots"));
}
