/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader sees: numbers, tables, JSON, files, and nothing a terminal would obey. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "case.h"
#include "output/json.h"
#include "output/output.h"
#include "output/table.h"

TEST(counts_are_exact_and_grouped)
{
    char text[NUMBER_SIZE];
    number_count(0, text, sizeof(text));
    assert_string_equal(text, "0");
    number_count(999, text, sizeof(text));
    assert_string_equal(text, "999");
    number_count(UINT64_MAX, text, sizeof(text));
    assert_string_equal(text, "18,446,744,073,709,551,615");
    number_signed(INT64_MIN, text, sizeof(text));
    assert_string_equal(text, "-9,223,372,036,854,775,808");
    number_signed(1, text, sizeof(text));
    assert_string_equal(text, "+1");
    number_signed(0, text, sizeof(text));
    assert_string_equal(text, "0");
}

TEST(quantities_keep_significant_digits)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {{1234567, 3, "1,230,000"}, {0.012345, 2, "0.012"},
                 {-1500.4, 5, "-1,500.4"},  {0, 3, "0.00"},
                 {99.96, 3, "100.0"},       {1e300, 3, "1.00e+300"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[NUMBER_SIZE];
        number_significant(cases[i].value, cases[i].digits, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
}

static const char *clean(const char *string)
{
    static struct text text;
    text_clear(&text);
    text_put_clean(&text, string);
    return text_string(&text);
}

TEST(a_terminal_finds_nothing_to_obey)
{
    assert_string_equal(clean("ok \xc3\xa9 \xe2\x9c\x93"), "ok \xc3\xa9 \xe2\x9c\x93");
    assert_string_equal(clean("\033[2J"), "\\x1b[2J");
    assert_string_equal(clean("a\r\nb\tc"), "a\\x0d b c");
    assert_string_equal(clean("\xc2\x9b"
                              "31m"),
                        "\\x9b31m");                               /* C1 control introducer */
    assert_string_equal(clean("\x9b\xff\xc3"), "\\x9b\\xff\\xc3"); /* no UTF-8 at all */
    assert_string_equal(clean("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80"); /* overlong */
    assert_string_equal(clean("\xe2\x80\xae"
                              "abc"),
                        "\\u202eabc"); /* right-to-left override */
}

TEST(columns_are_aligned_by_what_is_seen)
{
    static const struct column columns[] = {{.title = "name"},
                                            {.title = "empty"},
                                            {.title = "count", .right = true},
                                            {.title = "note"}};
    struct table table = {.columns = columns, .column_count = 4};
    static const char *const cells[] = {"caf\xc3\xa9", "", "7", "x", "b", "", "1,000", ""};
    for (size_t i = 0; i < 8; i++)
        table_add(&table, TONE_GOOD, cells[i]);
    AUTO_TEXT struct text out = {0};
    struct style plain = {.width = 80};
    table_put(&table, &plain, &out);
    assert_string_equal(text_string(&out), "name  count  note\n"
                                           "caf\xc3\xa9      7  x\n"
                                           "b     1,000\n");
    text_clear(&out);
    struct style colour = {.colour = true, .width = 80};
    table_put(&table, &colour, &out);
    assert_non_null(strstr(text_string(&out), "\033[32m1,000\033[0m"));
    table_free(&table);
}

TEST(the_locale_says_whether_utf8_is_expected)
{
    unsetenv("LC_ALL");
    unsetenv("LC_CTYPE");
    setenv("LANG", "de_DE.utf8", 1);
    assert_true(utf8_is_expected());
    setenv("LC_CTYPE", "POSIX", 1);
    assert_false(utf8_is_expected());
    setenv("LC_ALL", "C.UTF-8", 1);
    assert_true(utf8_is_expected());
}

TEST(counts_beyond_doubles_are_strings)
{
    json_t *small = json_count(UINT64_C(1) << 53), *large = json_count((UINT64_C(1) << 53) + 1);
    assert_true(json_is_integer(small));
    assert_string_equal(json_string_value(large), "9007199254740993");
    json_t *negative = json_difference(INT64_MIN);
    assert_string_equal(json_string_value(negative), "-9223372036854775808");
    json_decref(small);
    json_decref(large);
    json_decref(negative);
}

TEST(the_envelope_has_every_key_and_survives_foreign_bytes)
{
    struct facts facts = {0};
    char *argv[] = {(char *)(uintptr_t) "assay", (char *)(uintptr_t) "x\xff\033"};
    json_t *results = json_array();
    json_t *result = json_object();
    json_absent(result, "truth", "no class");
    json_array_append_new(results, result);
    struct envelope envelope = {.command = "measure",
                                .argc = 2,
                                .argv = argv,
                                .facts = &facts,
                                .fingerprint = "0123456789abcdef",
                                .results = results};
    char *bytes = NULL;
    size_t length;
    FILE *stream = open_memstream(&bytes, &length);
    struct failure failure = {0};
    assert_int_equal(json_envelope_write(&envelope, stream, &failure), 0);
    fclose(stream);
    json_error_t problem;
    json_t *parsed = json_loads(bytes, 0, &problem);
    assert_non_null(parsed);
    static const char *const keys[] = {"schema",  "version", "command",  "argv",    "seed",
                                       "machine", "results", "analysis", "skipped", "findings"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_non_null(json_object_get(parsed, keys[i]));
    assert_string_equal(json_string_value(json_object_get(parsed, "schema")), "assay/1");
    json_t *first = json_array_get(json_object_get(parsed, "results"), 0);
    assert_true(json_is_null(json_object_get(first, "truth")));
    assert_string_equal(json_string_value(json_object_get(first, "truth_reason")), "no class");
    json_decref(parsed);
    free(bytes);
}

static void read_whole(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bytes[fread(bytes, 1, size - 1, file)] = '\0';
    fclose(file);
}

TEST(a_file_appears_whole_or_not_at_all)
{
    char folder[] = "/tmp/assay-output-XXXXXX", path[64], content[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/result", folder);
    struct output output;
    struct failure failure = {0};
    assert_int_equal(output_open(&output, path, &failure), 0);
    fputs("first", output.stream);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(output_commit(&output, &failure), 0);
    read_whole(path, content, sizeof(content));
    assert_string_equal(content, "first");

    assert_int_equal(output_open(&output, path, &failure), 0);
    fputs("second", output.stream);
    output_discard(&output);
    read_whole(path, content, sizeof(content));
    assert_string_equal(content, "first");
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing temporary was left */
}

TEST(a_database_is_never_written_over)
{
    static const char content[] = "SQLite format 3";
    char path[] = "/tmp/assay-output-XXXXXX", again[32];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, content, sizeof(content)), sizeof(content));
    close(fd);
    struct output output;
    struct failure failure = {0};
    assert_int_equal(output_open(&output, path, &failure), -EEXIST);
    assert_non_null(strstr(failure.text, path));
    read_whole(path, again, sizeof(again));
    assert_string_equal(again, content);
    unlink(path);
}

TEST(json_that_cannot_be_written_says_why)
{
    FILE *full = fopen("/dev/full", "w");
    struct failure failure = {0};
    assert_non_null(full);
    setvbuf(full, NULL, _IONBF, 0);
    struct envelope envelope = {.command = "doctor"};
    assert_int_equal(json_envelope_write(&envelope, full, &failure), -ENOSPC);
    assert_non_null(strstr(failure.text, "No space left"));
    fclose(full);
}

TEST(what_cannot_be_written_is_said)
{
    struct output output;
    struct failure failure = {0};
    assert_int_equal(output_open(&output, "/nonexistent/x", &failure), -ENOENT);
    assert_non_null(strstr(failure.text, "/nonexistent/x"));
    assert_int_equal(output_open(&output, "/tmp", &failure), -EISDIR);
    assert_int_equal(output_open(&output, "/dev/full", &failure), 0);
    fputs("much", output.stream);
    assert_int_equal(output_commit(&output, &failure), -ENOSPC);
}

TEST(progress_tells_rate_and_time_left)
{
    struct progress progress = {.what = "processes", .done = 5, .total = 20, .samples = 20000};
    char line[128];
    progress_line(&progress, 10000, line, sizeof(line));
    assert_string_equal(line, "5 of 20 processes, 20,000 samples, 2,000/s, 30 s left");
    progress = (struct progress){.what = "events", .total = 20};
    progress_line(&progress, 0, line, sizeof(line));
    assert_string_equal(line, "0 of 20 events");
    /* The pace of a part says nothing of those that follow. */
    progress = (struct progress){
        .what = "processes", .part = "duration", .done = 5, .total = 20, .ends_ms = 80000};
    progress_line(&progress, 10000, line, sizeof(line));
    assert_string_equal(line, "duration: 5 of 20 processes, 70 s left in all");
}

TEST(brief_numbers_have_digits_that_tell)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{37, "37"},        {80.5, "80.5"},    {0.001234, "0.00123"},
                 {1234.6, "1,235"}, {-1234, "-1,234"}, {123.46, "123.5"},
                 {NAN, "-"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[NUMBER_SIZE];
        number_brief(cases[i].value, text, sizeof(text));
        assert_string_equal(text, cases[i].text);
    }
}

TEST(numbers_in_sentences_are_written_as_people_write_them)
{
    assert_string_equal(FIGURE(81863), "81,863");
    static const struct {
        double value;
        int digits;
        const char *told;
    } rounded[] = {{194.32, 2, "194"},      {-1234.6, 2, "-1,235"},      {0.1568, 2, "0.16"},
                   {12.345, 3, "12.3"},     {0.0123, 2, "0.012"},        {0, 2, "0"},
                   {1.96, 2, "2"},          {0.03125, 4, "0.03125"},     {0.5678, 4, "0.5678"},
                   {-0.0625, 3, "-0.0625"}, {0.00001234, 3, "1.23e-05"}, {1e15, 3, "1e+15"}};
    for (size_t i = 0; i < sizeof(rounded) / sizeof(*rounded); i++)
        assert_string_equal(ROUNDED(rounded[i].value, rounded[i].digits), rounded[i].told);
}
