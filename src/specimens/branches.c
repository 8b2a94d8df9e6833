/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N times sixteen transfers of control of one kind: conditional and taken, conditional and not,
 * jumps, calls with their returns, indirect jumps, indirect calls with their returns. */
#include "specimens/framed.h"

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
        SPECIMEN_CODE_OF(specimen_##symbol##_code),                                                \
        SPECIMEN_TRIPS(taken_how_often),                                                           \
        .min_n = 1,                                                                                \
        .max_n = 100000000000u,                                                                    \
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
