/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind's tools wrote, read: recorded output of 3.19, and what no tool would write. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "probe/sources/valgrind-output.h"

/* A program that copies five bytes with `rep movsb` ten times. */
static const char cachegrind[] = "desc: I1 cache:         32768 B, 64 B, 8-way associative\n"
                                 "desc: D1 cache:         32768 B, 64 B, 8-way associative\n"
                                 "desc: LL cache:         268435456 B, 64 B, direct-mapped\n"
                                 "cmd: ./t\n"
                                 "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim \n"
                                 "fl=???\n"
                                 "fn=???\n"
                                 "0 114 1 1 50 1 1 50 1 1 59 20 0 0\n"
                                 "summary: 114 1 1 50 1 1 50 1 1 59 20 3 4\n";

#define TYPE_ROW(name, loads, stores) "==7==    " name "  " #loads "   " #stores "   3\n"
#define LACKEY_HEAD                                                                                \
    "==7== Lackey, an example Valgrind tool\n"                                                     \
    "==7== Command: ./t\n"                                                                         \
    "==7== Counted 0 calls to main()\n"                                                            \
    "==7== Jccs:\n"                                                                                \
    "==7==   total:         1,059\n"                                                               \
    "==7==   taken:         49 (83%)\n"                                                            \
    "==7== Executed:\n"                                                                            \
    "==7==   SBs entered:   22\n"                                                                  \
    "==7==   guest instrs:  114\n"                                                                 \
    "==7== Ratios:\n"                                                                              \
    "==7==   guest instrs : SB entered  = 51 : 10\n"
#define LACKEY_TYPES                                                                               \
    TYPE_ROW("I1", 0, 0)                                                                           \
    TYPE_ROW("I8", 50, 50)                                                                         \
    TYPE_ROW("I16", 0, 0)                                                                          \
    TYPE_ROW("I32", 2, 0)                                                                          \
    TYPE_ROW("I64", 0, 1)                                                                          \
    TYPE_ROW("I128", 0, 0)                                                                         \
    TYPE_ROW("F32", 0, 0)                                                                          \
    TYPE_ROW("F64", 0, 0)                                                                          \
    TYPE_ROW("F128", 0, 0)                                                                         \
    TYPE_ROW("V128", 0, 0) TYPE_ROW("V256", 0, 0)
static const char lackey[] = LACKEY_HEAD LACKEY_TYPES "==7== Exit code:       0\n";

static const char bbv[] = "\n\n# Thread 1\n"
                          "#   Total intervals: 0 (Interval Size 100000000)\n"
                          "#   Total instructions: 64\n"
                          "#   Total reps: 60\n"
                          "#   Unique reps: 10\n"
                          "#   Total fldcw instructions: 0\n\n";

typedef int reader(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
                   struct failure *failure);

static void read_well(reader *read, const char *text, uint64_t counts[VALGRIND_COLUMN_COUNT])
{
    struct failure failure = {0};
    memset(counts, 0xff, VALGRIND_COLUMN_COUNT * sizeof(*counts));
    int result = read(text, strlen(text), counts, &failure);
    if (result < 0)
        print_message("# %s\n", failure.text);
    assert_int_equal(result, 0);
}

static void refused(reader *read, const char *text, size_t length, const char *why)
{
    struct failure failure = {0};
    uint64_t counts[VALGRIND_COLUMN_COUNT] = {0};
    /* Exactly so many bytes: a reader that looks behind them is found by the sanitizer. */
    char *copy = malloc(length ? length : 1);
    memcpy(copy, text, length);
    assert_int_equal(read(copy, length, counts, &failure), -EBADMSG);
    free(copy);
    print_message("# %s\n", failure.text);
    assert_non_null(strstr(failure.text, why));
}

TEST(recorded_output_is_read)
{
    uint64_t counts[VALGRIND_COLUMN_COUNT];
    read_well(cachegrind_read, cachegrind, counts);
    assert_int_equal(counts[VALGRIND_INSTRUCTIONS_RAW], 114);
    assert_int_equal(counts[VALGRIND_CONDITIONAL], 59);
    assert_int_equal(counts[VALGRIND_INDIRECT], 3);
    assert_int_equal(counts[VALGRIND_MISPREDICTED], 24);
    assert_int_equal(counts[VALGRIND_D1_LOAD_MISSES], 1);
    read_well(lackey_read, lackey, counts);
    assert_int_equal(counts[VALGRIND_INSTRUCTIONS_RAW], 114);
    assert_int_equal(counts[VALGRIND_CONDITIONAL], 1059);
    assert_int_equal(counts[VALGRIND_TAKEN], 49);
    assert_int_equal(counts[VALGRIND_LOADS], 52);
    assert_int_equal(counts[VALGRIND_STORES], 51);
    read_well(bbv_read, bbv, counts);
    assert_int_equal(counts[VALGRIND_INSTRUCTIONS], 64);
    assert_int_equal(counts[VALGRIND_INSTRUCTIONS_RAW], 114);
}

TEST(output_cut_short_anywhere_is_refused)
{
    struct failure failure;
    uint64_t counts[VALGRIND_COLUMN_COUNT];
    for (size_t length = 0; length + 8 < strlen(cachegrind); length++)
        assert_int_equal(cachegrind_read(cachegrind, length, counts, &failure), -EBADMSG);
    for (size_t length = 0; length + 140 < strlen(lackey); length++)
        assert_int_equal(lackey_read(lackey, length, counts, &failure), -EBADMSG);
    for (size_t length = 0; length + 40 < strlen(bbv); length++)
        assert_int_equal(bbv_read(bbv, length, counts, &failure), -EBADMSG);
}

TEST(cachegrind_must_have_counted_what_was_asked)
{
#define EVENTS "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim\n"
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"events: Ir\nsummary: 1\n", "other events"},
        {EVENTS "summary: 1 2 3\n", "missing"},
        {EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n", "too many"},
        {EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 -13\n", "missing"},
        {EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 99999999999999999999999\n", "missing"},
        {EVENTS "summary: 1 2 3 4 5 6 7 8 9 10 11 12 13\nsummary: 1 2 3 4 5 6 7 8 9 10 11 12 13\n",
         "exactly one"},
        {"summary: 1 2 3 4 5 6 7 8 9 10 11 12 13\n", "exactly one"},
    };
    for (size_t index = 0; index < sizeof(wrong) / sizeof(*wrong); index++)
        refused(cachegrind_read, wrong[index].text, strlen(wrong[index].text), wrong[index].why);
    static const char zeros[64];
    refused(cachegrind_read, zeros, sizeof(zeros), "exactly one");
}

TEST(a_forged_or_contradictory_log_is_refused)
{
    static const char twice[] = LACKEY_HEAD LACKEY_HEAD LACKEY_TYPES;
    static const char halved[] = LACKEY_HEAD TYPE_ROW("I8", 50, 50);
    static const char taken[] = "==7==   total:         1\n"
                                "==7==   taken:         2 (200%)\n"
                                "==7==   guest instrs:  9\n" LACKEY_TYPES;
    refused(lackey_read, twice, strlen(twice), "exactly one");
    refused(lackey_read, halved, strlen(halved), "not whole");
    refused(lackey_read, taken, strlen(taken), "more branches");
    static const char threads[] = "# Thread 1\n#   Total instructions: 64\n#   Total reps: 60\n"
                                  "#   Unique reps: 10\n# Thread 2\n#   Total instructions: 1\n";
    static const char unique[] =
        "#   Total instructions: 64\n#   Total reps: 6\n#   Unique reps: 10\n";
    refused(bbv_read, threads, strlen(threads), "exactly one thread");
    refused(bbv_read, unique, strlen(unique), "contradict");
}
