/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Facts as a list and as text: what is written is read again, and what is no facts is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "case.h"
#include "machine/facts.h"

static int read_bytes(struct facts *facts, const char *bytes, size_t length,
                      struct failure *failure)
{
    AUTO_FILE FILE *file = fmemopen((void *)(uintptr_t)bytes, length ? length : 1, "r");
    if (length == 0)
        fgetc(file);
    return facts_read(facts, file, failure);
}

static int read_string(struct facts *facts, const char *string, struct failure *failure)
{
    return read_bytes(facts, string, strlen(string), failure);
}

TEST(setting_replaces_and_keeps_the_order)
{
    AUTO_FACTS struct facts facts = {0};
    assert_int_equal(facts_set(&facts, "b", "1", 0), 0);
    assert_int_equal(facts_set(&facts, "a", "2", 0), 0);
    assert_int_equal(facts_set(&facts, "b", NULL, EACCES), 0);
    assert_int_equal(facts.count, 2);
    assert_string_equal(facts.list[0].key, "b");
    assert_null(facts_get(&facts, "b"));
    assert_int_equal(facts_error(&facts, "b"), EACCES);
    assert_int_equal(facts_setf(&facts, "b", "%d%%", 7), 0);
    assert_string_equal(facts_get(&facts, "b"), "7%");
    assert_int_equal(facts_error(&facts, "b"), 0);
    assert_int_equal(facts_error(&facts, "unknown"), ENODATA);
}

TEST(a_missing_value_always_has_an_errno)
{
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "a", NULL, 0);
    assert_int_equal(facts_error(&facts, "a"), ENODATA);
    facts_set(&facts, "a", "x", ENOENT);
    assert_int_equal(facts_error(&facts, "a"), 0);
}

TEST(numbers_are_whole_or_not_at_all)
{
    AUTO_FACTS struct facts facts = {0};
    static const struct {
        const char *value;
        long long number;
    } cases[] = {{"2", 2},  {"-1", -1}, {" 516 ", 516}, {"", -9},
                 {"x", -9}, {"2x", -9}, {"2 3", -9},    {"99999999999999999999", -9}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        facts_set(&facts, "n", cases[i].value, 0);
        assert_int_equal(facts_number(&facts, "n", -9), cases[i].number);
    }
    assert_int_equal(facts_number(&facts, "none", 5), 5);
}

TEST(malformed_keys_are_refused)
{
    AUTO_FACTS struct facts facts = {0};
    char longer[FACTS_MAX_KEY + 2];
    memset(longer, 'k', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    const char *const keys[] = {"", "a b", "a\nb", "a=b", "\xc3\xa4", "a/b", longer};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_int_equal(facts_set(&facts, keys[i], "x", 0), -EINVAL);
    longer[FACTS_MAX_KEY] = '\0';
    assert_int_equal(facts_set(&facts, longer, "x", 0), 0);
}

TEST(the_list_and_its_values_do_not_grow_without_end)
{
    AUTO_FACTS struct facts facts = {0};
    char key[16];
    for (unsigned i = 0; i < FACTS_MAX; i++) {
        snprintf(key, sizeof(key), "k%u", i);
        assert_int_equal(facts_set(&facts, key, "x", 0), 0);
    }
    assert_int_equal(facts_set(&facts, "one-more", "x", 0), -E2BIG);
    assert_int_equal(facts_set(&facts, "k7", "still", 0), 0);
    AUTO_FREE char *value = malloc((size_t)3 * FACTS_MAX_VALUE);
    memset(value, 'v', 3 * FACTS_MAX_VALUE - 1);
    value[3 * FACTS_MAX_VALUE - 1] = '\0';
    assert_int_equal(facts_set(&facts, "k7", value, 0), 0);
    assert_int_equal(strlen(facts_get(&facts, "k7")), FACTS_MAX_VALUE);
}

TEST(text_form_round_trips)
{
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "plain", "tsc kvm-clock", 0);
    facts_set(&facts, "empty", "", 0);
    facts_set(&facts, "lines", "one\ntwo\\n\r\\", 0);
    facts_set(&facts, "spaces", "  = ! # ", 0);
    facts_set(&facts, "bytes", "\xff\x1b[31m", 0);
    facts_set(&facts, "absent", NULL, ENOSYS);
    facts_set(&facts, "strange", NULL, 3999);

    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    assert_int_equal(facts_write(&facts, out), 0);
    fclose(out);

    AUTO_FACTS struct facts again = {0};
    struct failure failure = {0};
    assert_int_equal(read_bytes(&again, written, size, &failure), 0);
    assert_int_equal(again.count, facts.count);
    for (size_t i = 0; i < facts.count; i++) {
        assert_string_equal(again.list[i].key, facts.list[i].key);
        assert_int_equal(again.list[i].error, facts.list[i].error);
        if (facts.list[i].value)
            assert_string_equal(again.list[i].value, facts.list[i].value);
        else
            assert_null(again.list[i].value);
    }
    assert_non_null(strstr(written, "absent ! ENOSYS\n"));
    free(written);
}

TEST(comments_blank_lines_and_a_cut_last_line_are_read)
{
    AUTO_FACTS struct facts facts = {0};
    assert_int_equal(read_string(&facts, "# recorded\n\na = 1\nb =\nc = 3", NULL), 0);
    assert_int_equal(facts.count, 3);
    assert_string_equal(facts_get(&facts, "b"), "");
    assert_string_equal(facts_get(&facts, "c"), "3");
    AUTO_FACTS struct facts none = {0};
    assert_int_equal(read_bytes(&none, "", 0, NULL), 0);
    assert_int_equal(none.count, 0);
}

TEST(what_is_not_facts_is_refused_with_its_line)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"a = 1\nnonsense\n", "line 2"},
        {"\x7f"
         "ELF\x02\x01\n",
         "line 1"},
        {"a= 1\n", "expected"},
        {"a =1\n", "expected"},
        {" = 1\n", "a key is"},
        {"a\tb = 1\n", "a key is"},
        {"a = \\x\n", "backslash"},
        {"a = \\", "backslash"},
        {"a = 1\na = 2\n", "twice"},
        {"a ! NOTHING\n", "errno"},
        {"a ! E0\n", "errno"},
        {"a ! E99999999999999999999\n", "errno"},
        {"a ! \n", "errno"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        AUTO_FACTS struct facts facts = {0};
        struct failure failure = {0};
        assert_int_equal(read_string(&facts, cases[i].text, &failure), -EBADMSG);
        assert_non_null(strstr(failure.text, cases[i].said));
    }
}

TEST(endless_lines_nul_bytes_and_endless_files_are_refused)
{
    struct failure failure = {0};
    AUTO_FACTS struct facts facts = {0};
    assert_int_equal(read_bytes(&facts, "a = x\0y\n", 8, &failure), -EBADMSG);

    size_t size = 1u << 20;
    AUTO_FREE char *endless = malloc(size + 1);
    memset(endless, 'a', size);
    endless[size] = '\0';
    assert_int_equal(read_bytes(&facts, endless, size, &failure), -EBADMSG);
    assert_non_null(strstr(failure.text, "too long"));

    struct text many = {0};
    for (unsigned i = 0; i <= FACTS_MAX; i++)
        text_printf(&many, "key%u = 1\n", i);
    AUTO_FACTS struct facts full = {0};
    assert_int_equal(read_bytes(&full, many.bytes, many.length, &failure), -EBADMSG);
    text_free(&many);
}

TEST(a_full_disk_is_reported)
{
    AUTO_FACTS struct facts facts = {0};
    facts_set(&facts, "a", "1", 0);
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip_because("no /dev/full in this sandbox");
    assert_int_equal(facts_write(&facts, full), -ENOSPC);
    fclose(full);
}

TEST(errnos_have_names_and_back)
{
    char name[16];
    for (int error = 1; error < 200; error++)
        assert_int_equal(errno_from_name(errno_name(error, name, sizeof(name))), error);
    assert_string_equal(errno_name(ENOENT, name, sizeof(name)), "ENOENT");
}
