/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Lackey's trace, summed by instruction. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "probe/command/detail.h"

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
    static const char *const damaged[] = {
        "I  \n",
        "I  00002000\n",
        "I  00002000,0\n",
        "I  00002000,16\n",
        "I  00002000,1x\n",
        "I  0x2000,1\n",
        "I  1123456789abcdef01,1\n",
        "--7--   SCHED[99999999999999999999]: a\n",
        "--7--   SCHED[]: entering VG_(scheduler)\n",
    };
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

TEST(valgrinds_own_words_are_kept)
{
    struct summed summed = feed("==7== Lackey\nI  00002000,1\nvex: unhandled instruction bytes\n");
    assert_string_equal(text_string(&summed.said),
                        "==7== Lackey\nvex: unhandled instruction bytes\n");
    summed_free(&summed);
}
