/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How often each instruction of a piece of code is executed, and what that makes per class. Counts
 * are linear in N, as truths are: base + each * N, so that a truth is compared for all N at once.
 */
#pragma once

#include "base/failure.h"
#include "decode/decode.h"

struct linear {
    int64_t base, each;
};

/* How often each conditional branch, in order of addresses, is taken, for every N from least on. */
struct trips {
    const struct linear *list;
    size_t count;
    uint64_t least;
};

/* Spreads counts over the code: its first instruction is entered once; conditional branches go as
 * trips says; direct jumps and calls are followed; where the code ends, or returns from its
 * outermost call, control leaves it. counts: one for each instruction. -ENOTSUP with the reason
 * where the counts do not follow: an indirect jump or call that is not resolved, a target outside,
 * a loop that no conditional branch closes, an unknown instruction that is executed; -EBADMSG where
 * trips contradict the code (one more or fewer, more taken than executed). */
int walk_counts(const struct instructions *code, const struct trips *trips, struct linear *counts,
                struct failure *failure);

/* Sums of a class over some code. */
struct tally {
    const char *class;
    bool known; /* false: cannot be told from the code (memory accesses of repeated strings) */
    struct linear count;
};

#define TALLY_CLASSES 23
struct tallies {
    struct tally list[TALLY_CLASSES];
};

/* All classes that decoding can see, with zeros. */
void tallies_begin(struct tallies *tallies);
/* Adds code with the counts that walk_counts made, and how often its branches were taken. -ERANGE
 * when a sum leaves 64 bits. */
int tallies_add(struct tallies *tallies, const struct instructions *code,
                const struct linear *counts, const struct trips *trips, struct failure *failure);
/* Adds one instruction that was executed so often, where nobody knows which way branches went:
 * classes of branches that were taken, or not, are no longer known. -ERANGE as above. */
int tallies_add_executed(struct tallies *tallies, const struct instruction *instruction,
                         uint64_t executions, struct failure *failure);
/* NULL: decoding cannot see this class. */
const struct tally *tallies_find(const struct tallies *tallies, const char *class);

/* base + each * n; false when it leaves 64 bits. */
bool linear_at(struct linear count, uint64_t n, int64_t *value);
