/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What perf stat writes: the one count that was asked for is read, everything else is refused. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "probe/sources/program.h"

#define HEAD "# started on Sun Nov 15 22:40:13 2026\n\n"

/* In memory that ends with the text, so that a sanitizer sees a byte too many. */
static int read_text(const char *text, const char *event, struct perf_stat_count *count,
                     struct failure *failure)
{
    size_t length = strlen(text);
    char *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    for (size_t i = 0; i < length; i++)
        exact[i] = text[i];
    int result = perf_stat_read(exact, length, event, count, failure);
    free(exact);
    return result;
}

TEST(counts_are_read)
{
    static const struct {
        const char *text, *event;
        uint64_t value, enabled, running;
    } cases[] = {
        {HEAD "33;;page-faults;615429;100.00;;\n", "page-faults", 33, 615429, 615429},
        {"33;;page-faults;615429;100.00", "page-faults", 33, 615429, 615429},
        {HEAD "0;;page-faults:u;1;100.00;53.1;K/sec\n\n", "page-faults:u", 0, 1, 1},
        {HEAD "18446744073709551615;;r0c0;9;100.00;;\n", "r0c0", UINT64_MAX, 9, 9},
        {HEAD "0.58;msec;task-clock;576156;100.00;0.096;CPUs utilized\n", "task-clock", 580000,
         576156, 576156},
        {HEAD "12;msec;cpu-clock;12;100.00;;\n", "cpu-clock", 12000000, 12, 12},
        {HEAD "7;ns;duration_time;7;100.00;;\n", "duration_time", 7, 7, 7},
        {HEAD "50;;instructions:u;1000;25.00;;\n", "instructions:u", 50, 4000, 1000},
        {HEAD "5;;cpu/event=0xc0,umask=0x1/u;8;100.00;;\n", "cpu/event=0xc0,umask=0x1/u", 5, 8, 8},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct perf_stat_count count;
        struct failure failure = {0};
        if (read_text(cases[i].text, cases[i].event, &count, &failure) < 0)
            fail_msg("%s: %s", cases[i].text, failure.text);
        assert_true(count.value == cases[i].value);
        assert_true(count.enabled == cases[i].enabled);
        assert_true(count.running == cases[i].running);
    }
}

TEST(what_is_no_such_count_is_refused)
{
    static const struct {
        const char *text;
        int error;
        const char *words;
    } cases[] = TABLE(
        {HEAD "<not supported>;;page-faults;0;100.00;;\n", -ENOENT, "not supported"},
        {HEAD "<not counted>;;page-faults;0;0.00;;\n", -EBUSY, "no counter"},
        {HEAD "5;;page-faults;0;100.00;;\n", -EBUSY, "no counter"},
        {HEAD "5;;page-faults;9;0.00;;\n", -EBUSY, "no counter"},
        {HEAD "5;;page-faults:u;9;100.00;;\n", -EACCES, "may not count the kernel"},
        {HEAD "5;;minor-faults;9;100.00;;\n", -EBADMSG, "something else"},
        {HEAD "5;;page-faults:k;9;100.00;;\n", -EBADMSG, "something else"},
        {HEAD "5;Joules;page-faults;9;100.00;;\n", -ENOTSUP, "Joules"},
        {HEAD, -EBADMSG, "no count"}, {"", -EBADMSG, "no count"}, {"\n\n\n", -EBADMSG, "no count"},
        {HEAD "5;;page-faults;9;100.00;;\n6;;page-faults;9;100.00;;\n", -EBADMSG, "more than"},
        {"rubbish", -EBADMSG, "cannot be read"}, {"5;;page-faults;9", -EBADMSG, "cannot be read"},
        {"5,,page-faults,9,100.00,,", -EBADMSG, "cannot be read"},
        {"-5;;page-faults;9;100.00;;", -EBADMSG, "a count that is none: '-5'"},
        {";;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"5.5;;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"5e3;;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"18446744073709551616;;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"18446744073709551615;msec;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"0.1234567;msec;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"1.;msec;page-faults;9;100.00;;", -EBADMSG, "a count that is none"},
        {"5;;page-faults;-9;100.00;;", -EBADMSG, "a time that is none"},
        {"5;;page-faults;9.5;100.00;;", -EBADMSG, "a time that is none"},
        {"5;;page-faults;18446744073709551615;0.01;;", -EBADMSG, "a time that is none"},
        {"5;;page-faults;9;100.01;;", -EBADMSG, "a share that is none"},
        {"5;;page-faults;9;nan;;", -EBADMSG, "a share that is none"},
        {"5;;page-faults;9;;", -EBADMSG, "a share that is none"});
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct perf_stat_count count;
        struct failure failure = {0};
        int result = read_text(cases[i].text, "page-faults", &count, &failure);
        if (result != cases[i].error || !strstr(failure.text, cases[i].words))
            fail_msg("%s: %d, %s", cases[i].text, result, failure.text);
    }
}

TEST(foreign_bytes_do_not_reach_the_message)
{
    struct perf_stat_count count;
    struct failure failure = {0};
    assert_int_equal(
        read_text("\033[2J\a\xff;;page-faults;9;100.00;;", "page-faults", &count, &failure),
        -EBADMSG);
    for (const char *at = failure.text; *at; at++)
        assert_in_range(*at, ' ', '~');
}
