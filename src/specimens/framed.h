/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What specimens are written with: the frame most of them share, the zeros that hold for those that
 * are quiet, and what stands in the place of one whose instructions an ISA lacks.
 *
 * Their code is an assembly function from the macros of arch code.h:
 *
 *     load N · setup · N × (body · decrement · branch back) · return
 *
 * and the window calls it with two instructions. The rows below add what the frame itself executes
 * to what a specimen says of its setup and body. Where body holds branches, a specimen states its
 * rows of branches itself. */
#pragma once

#include <errno.h>
#include <stdint.h>

#include "code.h"
#include "specimens/specimen.h"
#include "window.h"

/* ----------------------------------------------------------------------------------------------
 * The zeros that hold for every specimen that neither touches memory of its own nor enters the
 * operating system: what is counted there was added by measuring, or by somebody else. */

#define TRUTH_ZERO(class) TRUTH_EXACT(class, 0, 0)

#define TRUTH_NO_FAULTS                                                                            \
    TRUTH_ZERO("page-faults"), TRUTH_ZERO("minor-faults"), TRUTH_ZERO("major-faults")

#define TRUTH_NO_SYSCALLS TRUTH_ZERO("syscalls"), TRUTH_ZERO("getppid-calls")

/* What the code itself asks of the scheduler: nothing. It is no promise that nothing happens; a run
 * that lasts longer than a time slice is interrupted by others now and then. The operating system's
 * account of the run then shows more than this, and the run is called disturbed: neither the truth
 * nor the event is wrong. */
#define TRUTH_NO_SCHEDULING TRUTH_ZERO("context-switches"), TRUTH_ZERO("cpu-migrations")

/* Integer code. */
#define TRUTH_NO_FP                                                                                \
    TRUTH_ZERO("fp-instructions"), TRUTH_ZERO("fp-operations"), TRUTH_ZERO("fp-adds"),             \
        TRUTH_ZERO("fp-muls"), TRUTH_ZERO("fp-divs"), TRUTH_ZERO("fp-sqrts"),                      \
        TRUTH_ZERO("fp-fmas"), TRUTH_ZERO("fp-scalar-single"), TRUTH_ZERO("fp-scalar-double"),     \
        TRUTH_ZERO("fp-packed-single"), TRUTH_ZERO("fp-packed-double")

/* What neither computes with fractions nor enters the operating system. */
#define TRUTH_QUIET TRUTH_NO_FP, TRUTH_NO_FAULTS, TRUTH_NO_SYSCALLS, TRUTH_NO_SCHEDULING

/* --- The frame, and what it counts --- */

/* What stands in front of every specimen's text: nothing, but in broken copies (tests/broken). */
#ifndef SPECIMEN_DEFECT
#define SPECIMEN_DEFECT ""
#endif

/* The function `symbol` made of `text`, and where it ends. */
#define SPECIMEN_ASSEMBLY(symbol, text) SPECIMEN_TEXT(symbol, SPECIMEN_DEFECT text)

/* The same for text that is no specimen's own code: the same in broken copies. */
#define SPECIMEN_TEXT(symbol, text)                                                                \
    void symbol(struct specimen_state *state);                                                     \
    extern const char symbol##_end[];                                                              \
    __asm__(".text\n"                                                                              \
            "\t.p2align 6\n"                                                                       \
            "\t.globl " #symbol ", " #symbol "_end\n"                                              \
            "\t.hidden " #symbol ", " #symbol "_end\n"                                             \
            "\t.type " #symbol ", %function\n" #symbol ":\n" text #symbol "_end:\n"                \
            "\t.size " #symbol ", . - " #symbol "\n")

/* Fields of a specimen whose code is `symbol`. */
#define SPECIMEN_CODE_OF(symbol)                                                                   \
    .form = SPECIMEN_CALLED, .code = (symbol), .text_begin = (const char *)(const void *)(symbol), \
    .text_end = symbol##_end

/* The window's call, the load of N, the return; then what an iteration adds. */
#define FRAME_INSTRUCTIONS      (WINDOW_CALL_INSTRUCTIONS + 2)
#define FRAME_LOADS             (1 + CODE_RETURN_LOADS)
#define FRAME_STORES            WINDOW_CALL_STORES
#define FRAME_BRANCHES          2 /* call and return */
#define FRAME_LOOP_INSTRUCTIONS 2 /* decrement, branch */

#define TRUTH_EXACT(class, base, each)                                                             \
    {                                                                                              \
        class, (base), (each), TRUTH_PROVEN, 0, 0, NULL                                            \
    }
#define TRUTH_BETWEEN(class, low_base, low_each, high_base, high_each, why)                        \
    {                                                                                              \
        class, (low_base), (low_each), TRUTH_BOUNDED, (high_base), (high_each), why                \
    }
#define TRUTH_MODELLED(class, base, each, why)                                                     \
    {                                                                                              \
        class, (base), (each), TRUTH_MODEL, 0, 0, why                                              \
    }
#define TRUTH_END TRUTH_EXACT(NULL, 0, 0)

/* Instructions and memory accesses of a framed specimen: setup once, body in every iteration. */
#define TRUTH_FRAMED(setup, setup_loads, body, body_loads, body_stores)                            \
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + (setup), FRAME_LOOP_INSTRUCTIONS + (body)),   \
        TRUTH_EXACT("loads", FRAME_LOADS + (setup_loads), body_loads),                             \
        TRUTH_EXACT("stores", FRAME_STORES, body_stores)

/* Its branches, where each iteration of the body executes so many of every kind: conditional ones
 * taken and not, direct jumps, direct calls and as many returns, indirect jumps. */
#define TRUTH_BODY_BRANCHES(taken, not_taken, jumps, calls, indirect)                              \
    TRUTH_EXACT("branches", FRAME_BRANCHES,                                                        \
                1 + (taken) + (not_taken) + (jumps) + INT64_C(2) * (calls) + (indirect)),          \
        TRUTH_BRANCHES_BY_KIND(taken, not_taken, jumps, calls, indirect)
#define TRUTH_BRANCHES_BY_KIND(taken, not_taken, jumps, calls, indirect)                           \
    TRUTH_EXACT("cond-branches", 0, 1 + (taken) + (not_taken)),                                    \
        TRUTH_EXACT("cond-branches-taken", -1, 1 + (taken)),                                       \
        TRUTH_EXACT("cond-branches-not-taken", 1, not_taken), TRUTH_EXACT("jumps", 0, jumps),      \
        TRUTH_EXACT("calls", 1, calls), TRUTH_EXACT("returns", 1, calls),                          \
        TRUTH_EXACT("indirect-branches", 1, indirect)

/* Its branches where the body has none. */
#define TRUTH_FRAMED_BRANCHES TRUTH_BODY_BRANCHES(0, 0, 0, 0, 0)

/* Its branches where each iteration makes so many system calls and has no other branch. */
#define TRUTH_CALLING_BRANCHES(system_calls)                                                       \
    TRUTH_BETWEEN("branches", FRAME_BRANCHES, 1, FRAME_BRANCHES, 1 + (system_calls),               \
                  "some CPUs count the instruction of a system call as a branch and others do "    \
                  "not, and neither is wrong"),                                                    \
        TRUTH_BRANCHES_BY_KIND(0, 0, 0, 0, 0)

/* The branches of code that is called, does not loop and returns. */
#define TRUTH_STRAIGHT_BRANCHES                                                                    \
    TRUTH_EXACT("branches", FRAME_BRANCHES, 0), TRUTH_ZERO("cond-branches"),                       \
        TRUTH_ZERO("cond-branches-taken"), TRUTH_ZERO("cond-branches-not-taken"),                  \
        TRUTH_ZERO("jumps"), TRUTH_EXACT("calls", 1, 0), TRUTH_EXACT("returns", 1, 0),             \
        TRUTH_EXACT("indirect-branches", 1, 0)

/* Instructions that were begun, from those that were completed and the branches among them. */
#define ISSUED_AHEAD                                                                               \
    INT64_C(1024) /* instructions: more than any CPU of today begins ahead of a branch */
#define TRUTH_ISSUED(base, each, branches_base, branches_each)                                     \
    TRUTH_BETWEEN("instructions-issued", base, each, (base) + ISSUED_AHEAD * (branches_base),      \
                  (each) + ISSUED_AHEAD * (branches_each),                                         \
                  "what is completed was begun, and behind each branch a CPU may begin as much "   \
                  "as it has room for and give it up again")

/* The branch back: taken but for the last time. */
#define TRIP_LOOP                                                                                  \
    {                                                                                              \
        -1, 1                                                                                      \
    }

#define SPECIMEN_TRIPS(list) .trips = (list), .trip_count = sizeof(list) / sizeof((list)[0])

/* Fields of a specimen whose code is `symbol`, with those trips, for every N from 1 to `most`. */
#define SPECIMEN_REPEATS(symbol, list, most)                                                       \
    SPECIMEN_CODE_OF(symbol), SPECIMEN_TRIPS(list), .min_n = 1, .max_n = (most)

/* ----------------------------------------------------------------------------------------------
 * A specimen whose instructions this ISA does not have: it keeps its name, so that who asks for it
 * is told why it is not there. */

/* specimen_`symbol`, called `its_name` in front of the reason, a sentence without a full stop. */
#define SPECIMEN_ABSENT(symbol, its_name, its_summary, its_stresses, reason)                       \
    static int symbol##_is_absent(struct failure *failure)                                         \
    {                                                                                              \
        return fail_with(failure, -EOPNOTSUPP, "%s", reason);                                      \
    }                                                                                              \
    static const struct truth symbol##_truths[] = {{.class = NULL}};                               \
    const struct specimen specimen_##symbol = {                                                    \
        .name = (its_name),                                                                        \
        .summary = (its_summary),                                                                  \
        .stresses = (its_stresses),                                                                \
        .form = SPECIMEN_NULL,                                                                     \
        .truth = symbol##_truths,                                                                  \
        .available = symbol##_is_absent,                                                           \
    }

/* Where specimens go through memory: the order in which places (lines, blocks of code, pages) are
 * visited, where they lie, and rings of pointers that lead from one to the next. */

/* ----------------------------------------------------------------------------------------------
 * Cycles: every place is visited once before the first one is again, in random order, so that no
 * prefetcher guesses the next. */

/* Fills order[0 … count - 1]. The places 2k and 2k + 1 are half a cycle from each other: who
 * fetches a line's neighbour along with it has lost it again when it is visited. The order goes in
 * rounds in which every remainder of place modulo 64 comes once (but for the rest at the end): no
 * set of a cache is visited much more often than others, so what else is in it stays a while. From
 * one place to the next, and from the last to the first, it is at most reach places (0: any number;
 * else at least 6). */
void cycle_order(uint64_t *order, uint64_t count, uint64_t reach, uint64_t seed);

/* One place after the other. */
void cycle_in_sequence(uint64_t *order, uint64_t count);

/* ----------------------------------------------------------------------------------------------
 * Places of which a cache or a TLB cannot hold all: over twice what a cache holds, one in each
 * line; or in twice as many pages as a TLB has entries. */

struct places {
    struct region region;
    uint64_t count;
    uint64_t stride; /* bytes from one to the next */
    uint64_t spread; /* bytes each is moved on against the one before, within its stride */
    unsigned passes; /* over all of them before the window, for a cache to settle */
};

/* The place at `index`, in memory as region_map gave it. */
void *places_at(void *memory, const struct places *places, uint64_t index);

/* For whom, the parameter that says how much, and how much that is: bytes, or entries. */
struct places_of {
    const char *specimen, *key;
    uint64_t size;
};

/* 0, or negative errno with a sentence where the size or the line is not known. */
int places_require(const struct specimen_state *state, const struct places_of *of,
                   struct failure *failure);
/* One in each line of twice the cache; its line and size are known and sensible. */
void places_in_lines(struct places *places, const struct places_of *of, uint64_t line);
/* One in each of twice the entries' pages, or in `unknown` pages where that is 0; so far apart that
 * no entry serves two of them. */
void places_in_pages(struct places *places, const struct places_of *of, uint64_t unknown);

/* ----------------------------------------------------------------------------------------------
 * Rings of pointers through memory in random order: following one makes every load wait for the one
 * before, at an address that no prefetcher guesses. For specimens that need misses. */

/* Where the nodes of a ring lie. Node i stands at i * stride, moved on by (i * spread) mod stride;
 * with pair a second node stands that many bytes behind it and is followed right before it. The
 * order is random within clusters of so many bytes, and the order of clusters is: so that few pages
 * are in use at a time. cluster 0: all is one. */
struct chain_layout {
    uint64_t bytes, stride, spread, pair, cluster;
    uint64_t seed;
};

/* Links the ring in memory of layout->bytes and gives its first node; *nodes is how many it has.
 * -EINVAL with a sentence for a layout that makes none, -ENOMEM. */
int chain_link(char *memory, const struct chain_layout *layout, void **first, uint64_t *nodes,
               struct failure *failure);

/* Follows it for so many steps, outside of any window. */
void chain_follow(void *first, uint64_t steps);
