/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind's tools wrote, read: recorded output of 3.19, and what no tool would write. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "probe/command/detail.h"
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

/* --- valgrind's log of a whole program --- */

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

/* --- lackey's trace, summed by instruction --- */

/* At 0x1000 a string instruction that repeats, at 0x3000 nothing, elsewhere nop. */
static bool look(void *context, uint64_t address, uint8_t *bytes, size_t length)
{
    (void)context;
    memset(bytes, 0x90, length);
    if (address == 0x1000 && length == 2) {
        bytes[0] = 0xf3;
        bytes[1] = 0xa4;
    }
    return address != 0x3000;
}

static struct summed feed(const char *trace)
{
    struct summed summed = {.look = look};
    /* In pieces, as a pipe gives it. */
    for (; *trace; trace++)
        assert_int_equal(summed_feed(&summed, trace, 1), 0);
    return summed;
}

static void expect_sums(struct summed *summed, uint64_t instructions, uint64_t repetitions)
{
    uint64_t sums[2];
    summed_sum(summed, &sums[0], &sums[1]);
    assert_int_equal(sums[0], instructions);
    assert_int_equal(sums[1], repetitions);
    summed_free(summed);
}

#define ENTERS(thread)                                                                             \
    "--7--   SCHED[" thread "]:  acquired lock (thread_wrapper(starting new thread))\n"            \
    "--7--   SCHED[" thread "]: entering VG_(scheduler)\n"
#define GOES_ON(thread) "--7--   SCHED[" thread "]:  acquired lock (VG_(scheduler):timeslice)\n"
#define LEAVES(thread)  "--7--   SCHED[" thread "]: exiting VG_(scheduler)\n"

/* As 3.19 writes with --trace-syscalls=yes. */
TEST(what_valgrind_answers_itself_is_told_from_what_the_kernel_answers)
{
    static const char *const lines[] = {
        "SYSCALL[7,1](334) unimplemented (by the kernel) syscall: 334! (ni_syscall)",
        " --> [pre-fail] Failure(0x26) ",
        "SYSCALL[7,1](9) sys_mmap ( 0x0, 64, 0, 34, -1, 0 ) --> [pre-success] Success(0x4000000)",
        "SYSCALL[7,2](425) sys_io_uring_setup ( 4, 0x402000 )[sync] --> Failure(0x26) ",
        "SYSCALL[7,1](435) unimplemented (by the kernel) syscall: 435! (ni_syscall)",
        " --> [pre-fail] Failure(0x26) ",
        "SYSCALL[7,1](435) unimplemented (by the kernel) syscall: 435! (ni_syscall)",
        " --> [pre-fail] Failure(0x26) ",
    };
    struct valgrind_calls calls = {0};
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
        assert_true(valgrind_calls_take(&calls, lines[i]));
    assert_int_equal(calls.count, 2);
    assert_int_equal(calls.refused[0], 334);
    assert_int_equal(calls.refused[1], 435);
    assert_false(calls.starved);
    /* A library that asks for clone3 first makes a clone then. */
    assert_true(valgrind_calls_take(&calls, "SYSCALL[7,1](56) sys_clone ( 3d0f00, 0x1ffe ) --> "
                                            "[pre-success] Success(0x1a1)"));
    assert_int_equal(calls.count, 1);
    assert_true(valgrind_calls_take(&calls, "SYSCALL[7,1](9) sys_mmap ( 0x0, 268435456, 0, 34, -1, "
                                            "0 ) --> [pre-fail] Failure(0xc) "));
    assert_true(calls.starved);
    assert_false(valgrind_calls_take(&calls, "==7== out of memory"));
    assert_false(valgrind_calls_take(&calls, "I  00401013,5"));
}

TEST(a_string_instruction_after_itself_is_repeated)
{
    struct summed summed =
        feed(ENTERS("1") "I  00001000,2\n L 1ffe,1\n S 2ffe,1\nI  00001000,2\nI  "
                         "00001000,2\nI  00002000,1\nI  00001000,2\n");
    expect_sums(&summed, 3, 2);
}

TEST(what_only_jumps_to_itself_is_executed_again)
{
    struct summed summed = feed("I  00002000,2\nI  00002000,2\n");
    expect_sums(&summed, 2, 0);
}

TEST(a_thread_goes_on_with_its_own_repetition)
{
    struct summed summed =
        feed(ENTERS("1") "I  00001000,2\n" ENTERS("2") "I  00002000,1\nI  00001000,2\n" GOES_ON(
            "1") "I  00001000,2\n" GOES_ON("2") "I  00001000,2\n");
    expect_sums(&summed, 3, 2);
}

TEST(it_ended_when_all_threads_did)
{
    struct summed summed = feed(ENTERS("1") "I  00002000,1\n" ENTERS("2") LEAVES("2"));
    assert_false(summed_ended(&summed));
    summed_free(&summed);
    summed = feed(ENTERS("1") "I  00002000,1\n" ENTERS("2") LEAVES("2") LEAVES("1"));
    assert_true(summed_ended(&summed));
    summed_free(&summed);
}

static int check(const char *trace)
{
    struct failure failure = {0};
    struct summed summed = feed(trace);
    int result = summed_check(&summed, &failure);
    summed_free(&summed);
    assert_true(!result == !failure.text[0]);
    return result;
}

TEST(what_is_no_trace_is_refused)
{
    assert_int_equal(check("I  00002000,1\n"), 0);
    static const char *const damaged[] = TABLE(
        "I  \n", "I  00002000\n", "I  00002000,0\n", "I  00002000,16\n", "I  00002000,1x\n",
        "I  0x2000,1\n", "I  1123456789abcdef01,1\n", "--7--   SCHED[99999999999999999999]: a\n",
        "--7--   SCHED[]: entering VG_(scheduler)\n");
    for (size_t index = 0; index < sizeof(damaged) / sizeof(*damaged); index++)
        assert_int_equal(check(damaged[index]), -EBADMSG);
}

TEST(code_that_changes_or_is_gone_is_refused)
{
    assert_int_equal(check("I  00002000,1\nI  00002000,3\n"), -ENOTSUP);
    assert_int_equal(check("I  00003000,1\n"), -ENOTSUP);
}

/* Its memory is another program's by then, which is told as such. */
TEST(one_that_came_to_no_end_is_not_accused)
{
    assert_int_equal(check(ENTERS("1") "I  00002000,1\nI  00003000,1\n"), 0);
    assert_int_equal(check(ENTERS("1") "I  00002000,1\nI  00003000,1\n" LEAVES("1")), -ENOTSUP);
}

TEST(many_instructions_are_found_again)
{
    struct summed summed = {.look = look};
    char line[32];
    for (int pass = 0; pass < 2; pass++)
        for (unsigned at = 0; at < 30000; at++) {
            snprintf(line, sizeof(line), "I  %08x,4\n", 0x400000 + 4 * at);
            assert_int_equal(summed_feed(&summed, line, strlen(line)), 0);
        }
    assert_int_equal(summed.count, 30000);
    for (size_t index = 0; index < summed.count; index++)
        assert_int_equal(summed.list[index].executions, 2);
    expect_sums(&summed, 60000, 0);
}
