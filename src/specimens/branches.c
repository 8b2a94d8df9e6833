/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Transfers of control: those whose way is the same every time, and those that are hard to predict.
 */
#include <string.h>
#include <sys/auxv.h>

#include "specimens/framed.h"

/* ----------------------------------------------------------------------------------------------
 * N times sixteen transfers of control of one kind: conditional and taken, conditional and not,
 * jumps, calls with their returns, indirect jumps, indirect calls with their returns. */

#define SIXTEEN INT64_C(16)

/* Where each goes is the same every time; so many branches an iteration. */
#define TRUTH_PREDICTABLE(each)                                                                    \
    TRUTH_BETWEEN("branch-misses", 0, 0, FRAME_BRANCHES, each,                                     \
                  "predictors usually learn branches that never change in the first iterations "   \
                  "and miss some tens in all, but none has to; more than there are branches it "   \
                  "cannot miss")

/* What is taken leads over a no-op that is never executed. */
SPECIMEN_ASSEMBLY(specimen_taken_code,
                  CODE_COUNT CODE_LOOP(CODE_CONDITION CODE_TIMES(16, CODE_BRANCH_IF("2f") CODE_NOP
                                                                 "2:\n")) CODE_RETURN);
/* What is not taken would leave the loop. */
SPECIMEN_ASSEMBLY(specimen_not_taken_code, CODE_COUNT CODE_LOOP(CODE_CONDITION CODE_TIMES(
                                               16, CODE_BRANCH_IF_NOT("2f"))) "2:\n" CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_jumps_code, CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_JUMP("2f") CODE_NOP
                                                                       "2:\n")) CODE_RETURN);
/* The function that is called stands behind the return and does nothing but return. */
SPECIMEN_ASSEMBLY(specimen_calls_code,
                  CODE_COUNT CODE_KEEP_RETURN CODE_LOOP(CODE_TIMES(16, CODE_CALL("9f")))
                      CODE_TAKE_RETURN CODE_RETURN "9:\n" CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_indirect_code,
                  CODE_COUNT CODE_LOOP(CODE_TIMES(16, CODE_JUMP_INDIRECT)) CODE_RETURN);

SPECIMEN_ASSEMBLY(specimen_indirect_calls_code,
                  CODE_COUNT CODE_KEEP_RETURN CODE_LOOP(CODE_TIMES(16, CODE_CALL_INDIRECT("9f")))
                      CODE_TAKE_RETURN CODE_RETURN "9:\n" CODE_RETURN);

/* Four branches that are taken so often in an iteration. */
#define FOUR(each)                                                                                 \
    {0, each}, {0, each}, {0, each},                                                               \
    {                                                                                              \
        0, each                                                                                    \
    }
static const struct trip taken_trips[] = {FOUR(1), FOUR(1), FOUR(1), FOUR(1), TRIP_LOOP};
static const struct trip not_taken_trips[] = {FOUR(0), FOUR(0), FOUR(0), FOUR(0), TRIP_LOOP};
static const struct trip loop_trips[] = {TRIP_LOOP};

/* One specimen; its rows tell of the code's own instructions and branches, so many an iteration
 * with the loop's own. */
#define TRANSFERS(symbol, label, words, stressed, taken_how_often, branches_each, ...)             \
    static const struct truth symbol##_truths[] = {__VA_ARGS__, TRUTH_PREDICTABLE(branches_each),  \
                                                   TRUTH_QUIET, TRUTH_END};                        \
    const struct specimen specimen_##symbol = {                                                    \
        .name = (label),                                                                           \
        .summary = (words),                                                                        \
        .stresses = (stressed),                                                                    \
        SPECIMEN_REPEATS(specimen_##symbol##_code, taken_how_often, 100000000000u),                \
        .truth = symbol##_truths,                                                                  \
    };

TRANSFERS(taken, "taken", "N times sixteen conditional branches that are taken",
          "conditional branches, taken", taken_trips, 17, TRUTH_FRAMED(0, 0, 17, 0, 0),
          TRUTH_BODY_BRANCHES(16, 0, 0, 0, 0))

TRANSFERS(not_taken, "not-taken", "N times sixteen conditional branches that are not taken",
          "conditional branches, not taken", not_taken_trips, 17, TRUTH_FRAMED(0, 0, 17, 0, 0),
          TRUTH_BODY_BRANCHES(0, 16, 0, 0, 0))

TRANSFERS(jumps, "jumps", "N times sixteen unconditional jumps", "unconditional branches",
          loop_trips, 17, TRUTH_FRAMED(0, 0, 16, 0, 0), TRUTH_BODY_BRANCHES(0, 0, 16, 0, 0))

TRANSFERS(calls, "calls", "N times sixteen calls of a function that returns at once",
          "calls and returns", loop_trips, 33,
          TRUTH_FRAMED(CODE_KEEP_INSTRUCTIONS, 0, 32, SIXTEEN *CODE_RETURN_LOADS,
                       SIXTEEN *CODE_CALL_STORES),
          TRUTH_BODY_BRANCHES(0, 0, 0, 16, 0))

TRANSFERS(indirect, "indirect", "N times sixteen jumps to an address in a register",
          "indirect branches", loop_trips, 17,
          TRUTH_FRAMED(0, 0, SIXTEEN *CODE_JUMP_INDIRECT_INSTRUCTIONS, 0, 0),
          TRUTH_BODY_BRANCHES(0, 0, 0, 0, 16))

/* Each is a call and an indirect branch, but one transfer of control; its return is another. */
TRANSFERS(indirect_calls, "indirect-calls",
          "N times sixteen calls, through a register, of a function that returns at once",
          "indirect calls and returns", loop_trips, 33,
          TRUTH_FRAMED(CODE_KEEP_INSTRUCTIONS, 0, SIXTEEN *(CODE_CALL_INDIRECT_INSTRUCTIONS + 1),
                       SIXTEEN *CODE_RETURN_LOADS, SIXTEEN *CODE_CALL_STORES),
          TRUTH_EXACT("branches", FRAME_BRANCHES, 33), TRUTH_BRANCHES_BY_KIND(0, 0, 0, 16, 16))

/* ----------------------------------------------------------------------------------------------
 * Branches that are hard to predict: N loops of ten, whose end older predictors miss every time,
 * and branches on random bits, which nobody can predict.
 *
 * The random bits come in bytes, each followed by its complement. So every branch is taken exactly
 * once in two bytes, N times in all, whatever the bits are, and all counts but the misses are
 * exact. */

SPECIMEN_ASSEMBLY(specimen_nested_code, CODE_COUNT CODE_LOOP(CODE_LOOP_OF_TEN) CODE_RETURN);
SPECIMEN_ASSEMBLY(specimen_random_branches_code,
                  CODE_COUNT CODE_MEMORY CODE_DOUBLE_COUNT
                      CODE_LOOP(CODE_NEXT_BITS CODE_BRANCH_ON_BITS) CODE_RETURN);

static const struct trip nested_trips[] = {{0, 9}, TRIP_LOOP};

static const struct truth nested_truths[] = {
    TRUTH_FRAMED(0, 0, 21, 0, 0),
    TRUTH_BODY_BRANCHES(9, 1, 0, 0, 0),
    TRUTH_BETWEEN("branch-misses", 0, 0, FRAME_BRANCHES, 11,
                  "a predictor may miss the end of every loop of ten, N in all, or have learnt its "
                  "length and miss none; more than there are branches it cannot"),
    TRUTH_BETWEEN("cond-branch-misses", 0, 0, 0, 11,
                  "a predictor may miss the end of every loop of ten, N in all, or have learnt its "
                  "length and miss none; more than there are branches it cannot"),
    TRUTH_ISSUED(FRAME_INSTRUCTIONS, FRAME_LOOP_INSTRUCTIONS + 21, FRAME_BRANCHES, 11),
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_nested = {
    .name = "nested",
    .summary = "N times an empty loop of ten iterations",
    .stresses = "mispredictions where a loop ends",
    SPECIMEN_REPEATS(specimen_nested_code, nested_trips, 100000000000u),
    .truth = nested_truths,
};

/* What one byte costs, and what two do: in these every branch once does not skip what stands behind
 * it. */
#define BITS                INT64_C(8)
#define BYTE_INSTRUCTIONS   (2 + BITS * CODE_BIT_INSTRUCTIONS + FRAME_LOOP_INSTRUCTIONS)
#define SKIPPED             INT64_C(2) /* instructions; one is a store */
#define RANDOM_INSTRUCTIONS (INT64_C(2) * BYTE_INSTRUCTIONS + SKIPPED * BITS)
#define RANDOM_BRANCHES     (INT64_C(2) * (BITS + 1))

/* Half of the 8N bits of fresh bytes are missed on average, whoever guesses. By Hoeffding's bound
 * fewer than 4N - t are missed with a probability of at most exp(-2t²/8N); with t = N + 32 that is
 * exp(-(N/4 + 16 + 256/N)), which is exp(-32) at most, at N = 32. */
#define RANDOM_MISSES                                                                              \
    "8N of the bits are fresh, and half of them are guessed wrongly on average by whatever "       \
    "predictor, fewer than 3N - 32 less than once in 10^13 runs; more than there are branches it " \
    "cannot miss; with seed= the bits are the same in every process, and what is the same may be " \
    "learnt"

static const struct trip random_trips[] = {
    {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}, {-1, 2},
};

static const struct truth random_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2, RANDOM_INSTRUCTIONS),
    TRUTH_EXACT("loads", FRAME_LOADS + 1, 2),
    TRUTH_EXACT("stores", FRAME_STORES, BITS),
    TRUTH_EXACT("branches", FRAME_BRANCHES, RANDOM_BRANCHES),
    TRUTH_EXACT("cond-branches", 0, RANDOM_BRANCHES),
    TRUTH_EXACT("cond-branches-taken", -1, BITS + 2),
    TRUTH_EXACT("cond-branches-not-taken", 1, BITS),
    TRUTH_ZERO("jumps"),
    TRUTH_EXACT("calls", 1, 0),
    TRUTH_EXACT("returns", 1, 0),
    TRUTH_EXACT("indirect-branches", 1, 0),
    TRUTH_BETWEEN("branch-misses", -32, 3, FRAME_BRANCHES, RANDOM_BRANCHES, RANDOM_MISSES),
    TRUTH_BETWEEN("cond-branch-misses", -32, 3, 0, RANDOM_BRANCHES, RANDOM_MISSES),
    TRUTH_ISSUED(FRAME_INSTRUCTIONS + 2, RANDOM_INSTRUCTIONS, FRAME_BRANCHES, RANDOM_BRANCHES),
    TRUTH_QUIET,
    TRUTH_END,
};

/* The next 64 random bits: a counter, well stirred. */
static uint64_t next_random(uint64_t *counter)
{
    uint64_t value = *counter += UINT64_C(0x9e3779b97f4a7c15);
    value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 31;
}

/* Without a seed the operating system's own randomness, new in every process: a predictor that
 * outlives processes must not have seen the bits. */
static uint64_t first_counter(const struct specimen_state *state)
{
    const void *fresh = (const void *)getauxval(AT_RANDOM); /* NOLINT(performance-no-int-to-ptr) */
    uint64_t counter = state->parameters.seed;
    if (!counter && fresh)
        memcpy(&counter, fresh, sizeof(counter));
    return next_random(&counter);
}

/* operands[0] counts on from run to run, so that no two runs of a process have the same bits. */
static int prepare_random(struct specimen_state *state, struct failure *failure)
{
    int result = scratch_map(state, 2 * (size_t)state->n, failure);
    unsigned char *byte = state->memory;
    if (result < 0)
        return result;
    if (!state->operands[0])
        state->operands[0] = first_counter(state);
    for (size_t index = 0; index < state->bytes; index += 2) {
        byte[index] = (unsigned char)next_random(&state->operands[0]);
        byte[index + 1] = (unsigned char)~byte[index];
    }
    return 0;
}

const struct specimen specimen_random_branches = {
    .name = "random-branches",
    .summary = "N times eight branches on random bits, and eight on their complements",
    .stresses = "mispredictions that no predictor avoids",
    .parameters = "seed",
    SPECIMEN_REPEATS(specimen_random_branches_code, random_trips, 1000000000u),
    .truth = random_truths,
    .prepare = prepare_random,
    .restore = scratch_unmap,
};
