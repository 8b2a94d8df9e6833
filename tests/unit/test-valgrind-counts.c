/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Valgrind's log of a whole program: all threads are summed, and what is not as expected is no
 * count. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "probe/command/detail.h"

#define SUMMARY(thread, total, reps, unique)                                                       \
    "==7== # Thread " thread "\n==7== #   Total intervals: 0 (Interval Size 100000000)\n"          \
    "==7== #   Total instructions: " total "\n==7== #   Total reps: " reps                         \
    "\n==7== #   Unique reps: " unique "\n==7== #   Total fldcw instructions: 0\n==7== \n"
#define HEAD "==7== exp-bbv\n==7== Command: /bin/true\n==7== \n"

static int reading(const char *text, struct valgrind_counts *counts)
{
    struct failure failure = {0};
    int result = valgrind_counts_read(text, strlen(text), counts, &failure);
    assert_true(result == 0 || failure.text[0]);
    return result;
}

TEST(test_threads_are_summed_and_repetitions_told_apart)
{
    struct valgrind_counts counts;
    assert_int_equal(
        reading(HEAD SUMMARY("1", "100", "40", "2") SUMMARY("2", "7", "0", "0"), &counts), 0);
    assert_int_equal(counts.instructions, 107);
    assert_int_equal(counts.repetitions, 38);
    assert_int_equal(counts.threads, 2);
}

TEST(test_a_log_without_a_summary_has_no_thread)
{
    struct valgrind_counts counts;
    assert_int_equal(reading(HEAD, &counts), 0);
    assert_int_equal(counts.threads, 0);
    assert_int_equal(reading("", &counts), 0);
    assert_int_equal(counts.threads, 0);
}

TEST(test_what_is_damaged_is_refused)
{
    static const char *const damaged[] = {
        SUMMARY("1", "100", "1", "2"),                  /* more unique than reps */
        SUMMARY("1", "1", "9", "2"),                    /* more than executed */
        SUMMARY("1", "99999999999999999999", "0", "0"), /* no such number */
        SUMMARY("1", "-1", "0", "0"),
        SUMMARY("", "1", "0", "0"),
        SUMMARY("1", "18446744073709551615", "0", "0") SUMMARY("2", "1", "0", "0"),
        "==7== # Thread 1\n==7== #   Total instructions: 5\n",
        "==7== # Thread 1\n",
    };
    struct valgrind_counts counts;
    for (size_t index = 0; index < sizeof(damaged) / sizeof(*damaged); index++)
        assert_int_equal(reading(damaged[index], &counts), -EBADMSG);
}

TEST(test_a_summary_that_is_cut_off_is_refused)
{
    static const char whole[] = SUMMARY("1", "100", "40", "2");
    struct valgrind_counts counts;
    struct failure failure = {0};
    size_t begin = strlen("==7== # Thread "), end = strlen(whole) - strlen("\n==7== \n");
    for (size_t length = begin; length <= end; length++)
        assert_int_equal(valgrind_counts_read(whole, length, &counts, &failure), -EBADMSG);
}

TEST(test_trouble_of_valgrind_is_not_the_programs)
{
    struct failure failure = {0};
    static const char unknown[] = "==7== vex amd64->IR: unhandled instruction bytes: 0x62 0xF1\n";
    static const char impossible[] = "valgrind: the 'impossible' happened:\n";
    static const char crash[] = "==7== Process terminating with default action of signal 11\n";
    assert_int_equal(valgrind_log_check(unknown, strlen(unknown), &failure), -ENOTSUP);
    assert_non_null(strstr(failure.text, "qemu"));
    assert_int_equal(valgrind_log_check(impossible, strlen(impossible), &failure), -EIO);
    assert_int_equal(valgrind_log_check(crash, strlen(crash), &failure), 0);
}
