/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The walk through decoded code, on code written down as what its instructions are: counts follow
 * from the flow, and what does not follow is refused. */
#include <errno.h>
#include <string.h>

#include "case.h"
#include "decode/decode.h"

#define MOST 32

/* Every instruction is one byte long and stands at its index. */
struct code {
    struct instruction list[MOST];
    size_t count;
};

static struct instruction plain(void)
{
    return (struct instruction){.length = 1, .known = true, .text = "plain"};
}

static struct instruction to(enum flow flow, uint64_t target)
{
    return (struct instruction){
        .length = 1, .known = true, .flow = flow, .target = target, .text = "transfer"};
}

static void put(struct code *code, struct instruction instruction)
{
    instruction.address = code->count;
    code->list[code->count++] = instruction;
}

static int walk(struct code *code, const struct linear *trips, size_t trip_count,
                struct linear *counts, struct failure *failure)
{
    struct instructions instructions = {.list = code->list, .count = code->count};
    return walk_counts(&instructions, &(struct trips){trips, trip_count, 1}, counts, failure);
}

static void assert_count(struct linear count, int64_t base, int64_t each)
{
    if (count.base != base || count.each != each)
        fail_msg("%lld + %lld N instead of %lld + %lld N", (long long)count.base,
                 (long long)count.each, (long long)base, (long long)each);
}

static void assert_refused(struct code *code, const struct linear *trips, size_t trip_count,
                           int expected, const char *words)
{
    struct linear counts[MOST];
    struct failure failure = {0};
    int status = walk(code, trips, trip_count, counts, &failure);
    if (status != expected || !strstr(failure.text, words))
        fail_msg("%d instead of %d: %s", status, expected, failure.text);
}

static const struct linear loop_trip = {-1, 1};

TEST(a_loop_is_executed_as_often_as_its_branch_says)
{
    struct code code = {0};
    struct linear counts[MOST];
    put(&code, plain());
    put(&code, plain());
    put(&code, plain());
    put(&code, to(FLOW_CONDITIONAL, 1));
    put(&code, to(FLOW_RETURN, 0));
    assert_int_equal(walk(&code, &loop_trip, 1, counts, NULL), 0);
    assert_count(counts[0], 1, 0);
    assert_count(counts[1], 0, 1);
    assert_count(counts[3], 0, 1);
    assert_count(counts[4], 1, 0);
}

TEST(branches_within_a_loop_share_its_iterations)
{
    struct code code = {0};
    struct linear counts[MOST];
    const struct linear trips[] = {{0, 1}, {0, 0}, {-1, 1}};
    put(&code, plain());                 /* 0 */
    put(&code, to(FLOW_CONDITIONAL, 3)); /* 1: the loop; always taken */
    put(&code, plain());                 /* 2: never reached */
    put(&code, to(FLOW_CONDITIONAL, 0)); /* 3: never taken */
    put(&code, to(FLOW_CONDITIONAL, 1)); /* 4 */
    put(&code, to(FLOW_RETURN, 0));      /* 5 */
    assert_int_equal(walk(&code, trips, 3, counts, NULL), 0);
    assert_count(counts[1], 0, 1);
    assert_count(counts[2], 0, 0);
    assert_count(counts[3], 0, 1);
    assert_count(counts[5], 1, 0);
}

TEST(nested_loops_multiply)
{
    struct code code = {0};
    struct linear counts[MOST];
    const struct linear trips[] = {{0, 9}, {-1, 1}}; /* ten times, N times */
    put(&code, plain());
    put(&code, to(FLOW_CONDITIONAL, 0));
    put(&code, to(FLOW_CONDITIONAL, 0));
    assert_int_equal(walk(&code, trips, 2, counts, NULL), 0);
    assert_count(counts[0], 0, 10);
    assert_count(counts[1], 0, 10);
    assert_count(counts[2], 0, 1);
}

TEST(jumps_and_calls_are_followed)
{
    struct code code = {0};
    struct linear counts[MOST];
    put(&code, to(FLOW_JUMP, 2));        /* 0 */
    put(&code, plain());                 /* 1: jumped over */
    put(&code, to(FLOW_CALL, 7));        /* 2: the loop */
    put(&code, to(FLOW_CALL, 7));        /* 3 */
    put(&code, to(FLOW_CONDITIONAL, 2)); /* 4 */
    put(&code, to(FLOW_RETURN, 0));      /* 5 */
    put(&code, plain());                 /* 6: padding */
    put(&code, to(FLOW_JUMP, 9));        /* 7: the function; padding falls into it */
    put(&code, plain());                 /* 8 */
    put(&code, to(FLOW_RETURN, 0));      /* 9 */
    assert_int_equal(walk(&code, &loop_trip, 1, counts, NULL), 0);
    assert_count(counts[1], 0, 0);
    assert_count(counts[2], 0, 1);
    assert_count(counts[7], 0, 2);
    assert_count(counts[8], 0, 0);
    assert_count(counts[9], 0, 2);
    assert_count(counts[5], 1, 0);
}

TEST(indirect_jumps_that_are_resolved_are_followed)
{
    struct code code = {0};
    struct linear counts[MOST];
    struct instruction jump = to(FLOW_INDIRECT_JUMP, 2);
    jump.resolved = true;
    put(&code, jump);
    put(&code, plain());
    put(&code, to(FLOW_RETURN, 0));
    assert_int_equal(walk(&code, NULL, 0, counts, NULL), 0);
    assert_count(counts[1], 0, 0);
    assert_count(counts[2], 1, 0);
    code.list[0].target = 55;
    assert_refused(&code, NULL, 0, -ENOTSUP, "leaves the code");
}

TEST(what_cannot_be_followed_is_refused)
{
    struct code code = {0};
    put(&code, to(FLOW_INDIRECT_JUMP, 0));
    assert_refused(&code, NULL, 0, -ENOTSUP, "only its execution tells");
    code.list[0] = to(FLOW_INDIRECT_CALL, 0);
    assert_refused(&code, NULL, 0, -ENOTSUP, "only its execution tells");
    code.list[0] = to(FLOW_JUMP, 77);
    assert_refused(&code, NULL, 0, -ENOTSUP, "leaves the code");
    code.list[0] = to(FLOW_CALL, 77);
    assert_refused(&code, NULL, 0, -ENOTSUP, "leaves the code");
    code.list[0] = to(FLOW_CONDITIONAL, 77);
    assert_refused(&code, &(struct linear){0, 1}, 1, -ENOTSUP, "leaves the code");
    code.list[0] = to(FLOW_JUMP, 0);
    assert_refused(&code, NULL, 0, -ENOTSUP, "no conditional branch closes");
    code.list[0] = (struct instruction){.length = 1, .text = "(bad)"};
    assert_refused(&code, NULL, 0, -ENOTSUP, "not known");
}

TEST(trips_that_contradict_the_code_are_refused)
{
    struct code code = {0};
    const struct linear two[] = {{-1, 1}, {0, 0}};
    put(&code, plain());
    put(&code, to(FLOW_CONDITIONAL, 0));
    assert_refused(&code, two, 2, -EBADMSG, "tells of 2 conditional branches");
    assert_refused(&code, NULL, 0, -EBADMSG, "does not say how often");
    code.list[1].target = 1;
    code.list[0] = to(FLOW_CONDITIONAL, 1); /* entered once, said to be taken N times */
    assert_refused(&code, (const struct linear[]){{0, 1}, {0, 0}}, 2, -EBADMSG, "more often than");
    code.list[0] = plain();
    assert_refused(&code, &(struct linear){-5, 1}, 1, -EBADMSG, "more often than");
    assert_refused(&code, &(struct linear){0, -1}, 1, -EBADMSG, "more often than");
    assert_refused(&code, &(struct linear){INT64_MAX, INT64_MAX}, 1, -ERANGE, "64 bits");
}

/* --- sums --- */
static void assert_class(const struct tallies *tallies, const char *class, int64_t base,
                         int64_t each)
{
    const struct tally *tally = tallies_find(tallies, class);
    assert_non_null(tally);
    assert_true(tally->known);
    assert_count(tally->count, base, each);
}

TEST(classes_are_sums_over_what_is_executed)
{
    struct code code = {0};
    struct linear counts[MOST];
    struct tallies tallies;
    struct instruction fma = plain(), load = plain(), both = plain(), add = plain();
    fma.fp = FP_FMA, fma.precision = FP_DOUBLE, fma.lanes = 4, fma.packed = true;
    add.fp = FP_ADD, add.precision = FP_SINGLE, add.lanes = 1;
    load.loads = true;
    both.loads = both.stores = true;
    put(&code, load);
    put(&code, fma);
    put(&code, add);
    put(&code, both);
    put(&code, to(FLOW_CONDITIONAL, 1));
    put(&code, to(FLOW_RETURN, 0));
    assert_int_equal(walk(&code, &loop_trip, 1, counts, NULL), 0);
    const struct trips trips = {&loop_trip, 1, 1};
    tallies_begin(&tallies);
    struct instructions instructions = {.list = code.list, .count = code.count};
    assert_int_equal(tallies_add(&tallies, &instructions, counts, &trips, NULL), 0);
    assert_class(&tallies, "instructions", 2, 4);
    assert_class(&tallies, "loads", 1, 1);
    assert_class(&tallies, "stores", 0, 1);
    assert_class(&tallies, "branches", 1, 1);
    assert_class(&tallies, "cond-branches", 0, 1);
    assert_class(&tallies, "cond-branches-taken", -1, 1);
    assert_class(&tallies, "cond-branches-not-taken", 1, 0);
    assert_class(&tallies, "returns", 1, 0);
    assert_class(&tallies, "calls", 0, 0);
    assert_class(&tallies, "fp-instructions", 0, 2);
    assert_class(&tallies, "fp-operations", 0, 9);
    assert_class(&tallies, "fp-fmas", 0, 1);
    assert_class(&tallies, "fp-adds", 0, 1);
    assert_class(&tallies, "fp-packed-double", 0, 1);
    assert_class(&tallies, "fp-scalar-single", 0, 1);
    assert_class(&tallies, "fp-scalar-double", 0, 0);
    assert_null(tallies_find(&tallies, "page-faults"));
}

TEST(accesses_of_repeated_strings_are_not_told)
{
    struct code code = {0};
    struct tallies tallies;
    struct instruction string = plain();
    string.repeated = string.stores = true;
    put(&code, string);
    struct linear counts[] = {{1, 0}};
    struct instructions instructions = {.list = code.list, .count = code.count};
    tallies_begin(&tallies);
    assert_int_equal(tallies_add(&tallies, &instructions, counts, &(struct trips){0}, NULL), 0);
    assert_false(tallies_find(&tallies, "stores")->known);
    assert_true(tallies_find(&tallies, "loads")->known);
    assert_class(&tallies, "instructions", 1, 0);
}

TEST(sums_that_leave_64_bits_are_refused)
{
    struct code code = {0};
    struct tallies tallies;
    struct failure failure = {0};
    int64_t value;
    put(&code, plain());
    put(&code, plain());
    struct linear counts[] = {{INT64_MAX, 0}, {1, 0}};
    struct instructions instructions = {.list = code.list, .count = code.count};
    tallies_begin(&tallies);
    assert_int_equal(tallies_add(&tallies, &instructions, counts, &(struct trips){0}, &failure),
                     -ERANGE);
    assert_false(linear_at((struct linear){0, 2}, UINT64_MAX, &value));
    assert_true(linear_at((struct linear){-1, 2}, 4, &value));
    assert_int_equal(value, 7);
}
