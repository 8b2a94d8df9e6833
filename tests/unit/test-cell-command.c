/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands on the wire: what one side asks for the other understands, all fields or none, and what
 * makes no sense is refused; words that are joined come apart again. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/words.h"
#include "sent-cell.h"

static struct cell full(void)
{
    return (struct cell){
        .id = 9,
        .events = {words("step/instructions/"), words(RUN_STATUS), words("step/instructions-raw/"),
                   words(RUN_INTERRUPTS)},
        .counters = 4,
        .path = words("command"),
        .pattern = PATTERN_RR,
        .specimen = words("null"),
        .opt = words("O2"),
        .link = words("static"),
        .runs = 1,
        .cpu = 1,
        .command = {.words = words("perl -e 'print 1\n' \"\""),
                    .name = words("perl"),
                    .directory = words("{brought}"),
                    .input = words("{brought}/in put"),
                    .keep = words("HOME,_x9"),
                    .controls = CONTROL_BIT(CONTROL_ASLR) | CONTROL_BIT(CONTROL_LAYOUT),
                    .sweep = SWEEP_STACK,
                    .swept = SWEEP_MOST,
                    .timeout = COMMAND_MOST_MS,
                    .detail = DETAIL_CALLS,
                    .shown = true}};
}

/* What there need not be, is not there. */
static struct cell bare(void)
{
    struct cell cell = full();
    cell.events[0] = words("instructions:u");
    cell.events[2] = words("page-faults");
    cell.cpu = -1;
    cell.command = (struct cell_command){.words = words("true"), .name = words("true")};
    return cell;
}

TEST(commands_come_back_whole)
{
    const struct cell cells[] = {full(), bare()};
    for (size_t i = 0; i < 2; i++) {
        struct cell got, copy;
        struct failure why = {0};
        if (send(&cells[i], NULL, NULL, &got, &why) < 0)
            fail_msg("%s", why.text);
        assert_int_equal(cell_copy(&copy, &got), 0);
        cell_release(&got);
        assert_null(got.command.words);
        assert_true(cell_same_command(&copy, &cells[i]));
        assert_int_equal(!copy.command.input, !cells[i].command.input);
        assert_int_equal(!copy.command.directory, !cells[i].command.directory);
        assert_int_equal(!copy.command.keep, !cells[i].command.keep);
        cell_release(&copy);
    }
}

TEST(all_fields_are_there_or_none)
{
    static const char *const changes[] = TABLE(
        "words", "words=", "words=  ", "words='' x", "words=perl 'open", "words=perl \\", "name",
        "name=", "name=two\nlines", "name=\177", "directory", "directory=a\tb", "input",
        "input=a\nb", "keep", "keep=,", "keep=HOME,", "keep=A=B", "keep=9A", "keep=A B", "controls",
        "controls=1024", "controls=-1", "controls=all", "sweep", "sweep=", "sweep=?", "sweep=heap",
        "swept", "swept=65537", "swept=-1", "timeout", "timeout=604800001", "detail", "detail=?",
        "detail=all", "shown", "shown=4", "runs=2", "path=perf-read", "path=watch", "pattern=ar",
        "specimen=loop", "n=1", "event0=qemu/instructions/", "event2=instructions:u",
        "event2=step/instructions/", "event3=" RUN_STATUS, "event1=run/", "event1=run/shoes/");
    const struct cell cell = full();
    expect_changes_refused(&cell, changes, sizeof(changes) / sizeof(*changes));
}

static void expect_refusal(const struct cell *cell, const char *said)
{
    struct failure why = {0};
    if (cell_check_command(cell, &why) != -EINVAL || !strstr(why.text, said))
        fail_msg("'%s' does not say '%s'", why.text, said);
}

static void fill(char *text, size_t length)
{
    memset(text, 'x', length);
    text[length] = '\0';
}

TEST(what_is_too_long_is_refused)
{
    AUTO_FREE char *text = malloc(COMMAND_MOST_BYTES + 2);
    assert_non_null(text);
    struct cell cell = bare();
    cell.command.words = text;
    fill(text, COMMAND_MOST_BYTES);
    assert_int_equal(cell_check_command(&cell, NULL), 0);
    fill(text, COMMAND_MOST_BYTES + 1);
    expect_refusal(&cell, "longer than");
    cell = bare();
    cell.command.name = text;
    fill(text, COMMAND_NAME - 1);
    assert_int_equal(cell_check_command(&cell, NULL), 0);
    fill(text, COMMAND_NAME);
    expect_refusal(&cell, "name");
    cell = bare();
    cell.command.input = text;
    fill(text, COMMAND_PLACE - 1);
    assert_int_equal(cell_check_command(&cell, NULL), 0);
    fill(text, COMMAND_PLACE);
    expect_refusal(&cell, "input");
    cell = bare();
    cell.command.keep = text;
    expect_refusal(&cell, "keeps");
}

TEST(names_of_brought_files_are_plain)
{
    char longest[BROUGHT_NAME + 1];
    fill(longest, BROUGHT_NAME - 1);
    assert_true(brought_name_is_plain(longest));
    fill(longest, BROUGHT_NAME);
    assert_false(brought_name_is_plain(longest));
    static const char *const good[] = {"a", "words.txt", "x86_64+sse2-1.0", "-rf"};
    static const char *const bad[] = {"",    ".",        "..", ".arriving", "a/b",    "/etc", "a b",
                                      "a\n", "\xc3\xa4", "a%", "../up",     "a\x01b", "{kit}"};
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
        assert_true(brought_name_is_plain(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
        assert_false(brought_name_is_plain(bad[i]));
}

TEST(joined_words_come_apart_as_they_were)
{
    static const char *const lists[][5] = {{"true"},
                                           {"perl", "-e", "print \"a\\n\" if $x > 'y';"},
                                           {"", " ", "'", "\"", "\\"},
                                           {"a\tb", "c\nd", "e\vf", "''", "\\'"},
                                           {"$HOME", "*", ";", "#x", "--"},
                                           {"\xc3\xa4", "\x01", "a'b'c", "'a", "b\\"}};
    for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        size_t count = 0;
        while (count < 5 && lists[i][count])
            count++;
        AUTO_FREE char *line = words_join(lists[i], count);
        AUTO_WORDS char **again = NULL;
        assert_non_null(line);
        assert_int_equal(words_split(line, &again, NULL), count);
        for (size_t word = 0; word < count; word++)
            assert_string_equal(again[word], lists[i][word]);
    }
    const char *const plain[] = {"ls", "-l", "/tmp"};
    AUTO_FREE char *line = words_join(plain, 3);
    assert_string_equal(line, "ls -l /tmp"); /* nothing is quoted that need not be */
    AUTO_FREE char *none = words_join(plain, 0);
    assert_string_equal(none, "");
}

TEST(settings_have_names_that_mean_them)
{
    char name[256];
    for (uint32_t controls = 0; controls <= CONTROLS_ALL; controls++) {
        setting_name(controls, name, sizeof(name));
        if (setting_from_name(name) != (int64_t)controls)
            fail_msg("%s is not %u", name, controls);
    }
    static const char *const none[] = {"",      "aslr+",         "+aslr",         "aslr+aslr",
                                       "only-", "only-aslr+cpu", "without-shoes", "all"};
    for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
        assert_int_equal(setting_from_name(none[i]), -1);
    assert_string_equal(setting_name(0, name, sizeof(name)), "as-is");
    assert_string_equal(setting_name(CONTROLS_ALL, name, sizeof(name)), "controlled");
}
