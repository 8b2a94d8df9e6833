/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Accesses to memory of which nothing misses: one word over and over, loads across the border of
 * two lines, and accesses that several CPUs could see. */
#include <errno.h>

#include "specimens/framed.h"

static const struct trip trips[] = {TRIP_LOOP};

/* ----------------------------------------------------------------------------------------------
 * N times sixteen loads, sixteen stores, or sixteen copies made of a load and a store; always the
 * same word of memory, so that nothing but the access itself can differ. */

#define ACCESSES_CODE(body) CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_TIMES(16, body)) CODE_RETURN

SPECIMEN_ASSEMBLY(specimen_loads_code, ACCESSES_CODE(CODE_LOAD));
SPECIMEN_ASSEMBLY(specimen_stores_code, ACCESSES_CODE(CODE_STORE));
SPECIMEN_ASSEMBLY(specimen_copies_code, ACCESSES_CODE(CODE_LOAD CODE_STORE));

static const struct truth loads_truths[] = {
    TRUTH_FRAMED(1, 1, 16, 16, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth stores_truths[] = {
    TRUTH_FRAMED(1, 1, 16, 0, 16),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct truth copies_truths[] = {
    TRUTH_FRAMED(1, 1, 32, 16, 16),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_loads = {
    .name = "loads",
    .summary = "N times sixteen loads of a word of memory",
    .stresses = "loads",
    SPECIMEN_REPEATS(specimen_loads_code, trips, 100000000000u),
    .truth = loads_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

const struct specimen specimen_stores = {
    .name = "stores",
    .summary = "N times sixteen stores to a word of memory",
    .stresses = "stores",
    SPECIMEN_REPEATS(specimen_stores_code, trips, 100000000000u),
    .truth = stores_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

const struct specimen specimen_copies = {
    .name = "copies",
    .summary = "N times sixteen loads and sixteen stores of a word of memory, alternating",
    .stresses = "loads beside stores",
    SPECIMEN_REPEATS(specimen_copies_code, trips, 100000000000u),
    .truth = copies_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

/* --- N loads that lie half in one cache line and half in the next --- */

SPECIMEN_ASSEMBLY(specimen_misaligned_code,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_LOAD) CODE_RETURN);

static const struct truth misaligned_truths[] = {
    TRUTH_FRAMED(1, 1, 1, 1, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_MODELLED("split-loads", 0, 1,
                   "which loads are split follows from the size of a line "
                   "that the machine claims"),
#if CODE_MISALIGNED_IS_CPUS
    TRUTH_ZERO("alignment-faults"),
#else
    TRUTH_BETWEEN("alignment-faults", 0, 0, 0, 1,
                  "what the CPU does not do itself the firmware or the operating system does"),
#endif
    TRUTH_QUIET,
    TRUTH_END,
};

static int prepare_misaligned(struct specimen_state *state, struct failure *failure)
{
    int result = scratch_prepare_page(state, failure);
    if (result < 0)
        return result;
    state->own = state->memory;
    uint64_t line = state->parameters.line;
    if (line < 16 || line > state->bytes / 2 || line & (line - 1)) {
        scratch_unmap(state);
        return fail_with(failure, -EINVAL,
                         "line=%llu is no size of a cache line: a power of two from 16 to half a "
                         "page",
                         (unsigned long long)line);
    }
    state->memory = (char *)state->memory + line - 4; /* of eight bytes four lie beyond */
    return 0;
}

static void restore_misaligned(struct specimen_state *state)
{
    state->memory = state->own;
    scratch_unmap(state);
}

const struct specimen specimen_misaligned = {
    .name = "misaligned",
    .summary = "N loads that cross the border of a cache line",
    .stresses = "split loads, alignment faults",
    .parameters = "line",
    SPECIMEN_REPEATS(specimen_misaligned_code, trips, 100000000000u),
    .truth = misaligned_truths,
    .prepare = prepare_misaligned,
    .restore = restore_misaligned,
};

/* ----------------------------------------------------------------------------------------------
 * Accesses that several CPUs could see: locked and atomic additions, pairs of exclusive load and
 * store, barriers. Nobody else touches the memory. */

#define BODY_IN_MEMORY(body) CODE_COUNT CODE_MEMORY CODE_LOOP(body) CODE_RETURN

#define LOCKED_SUMMARY         "N times eight locked additions to memory"
#define LOCKED_STRESSES        "locked instructions, which read and write"
#define EXCLUSIVES_SUMMARY     "N times four exclusive loads and stores, without looking back"
#define EXCLUSIVES_STRESSES    "exclusive accesses"
#define EXCLUSIVE_LOOP_SUMMARY "N times an exclusive load and store, repeated until it succeeds"
#define EXCLUSIVE_LOOP_STRESSES                                                                    \
    "exclusive accesses that start again, which stepping never gets out of"

/* `additions` that read and write memory in each iteration. */
#define TRUTH_ADDITIONS(additions)                                                                 \
    TRUTH_FRAMED(1, 1, additions, additions, additions), TRUTH_FRAMED_BRANCHES, TRUTH_QUIET,       \
        TRUTH_END

SPECIMEN_ASSEMBLY(specimen_atomics_code, BODY_IN_MEMORY(CODE_TIMES(8, CODE_ATOMIC_ADD)));
static const struct truth atomics_truths[] = {TRUTH_ADDITIONS(8)};

static int atomics_available(struct failure *failure)
{
    const char *lack = CODE_ATOMIC_LACK; /* NULL where every CPU has them */
    return CODE_ATOMIC_HERE || !lack
               ? 0
               : fail_with(failure, -EOPNOTSUPP,
                           "this CPU has no %s; the specimen exclusives adds without them", lack);
}

const struct specimen specimen_atomics = {
    .name = "atomics",
    .summary = "N times eight atomic additions to memory",
    .stresses = "atomic instructions, which read and write",
    .needs = CODE_ATOMIC_LACK,
    SPECIMEN_REPEATS(specimen_atomics_code, trips, 10000000000u),
    .truth = atomics_truths,
    .available = atomics_available,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

SPECIMEN_ASSEMBLY(specimen_barriers_code, CODE_COUNT CODE_LOOP(CODE_BARRIERS) CODE_RETURN);
static const struct truth barriers_truths[] = {
    TRUTH_FRAMED(0, 0, CODE_BARRIER_INSTRUCTIONS, 0, 0),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_barriers = {
    .name = "barriers",
    .summary = "N times one barrier of each kind",
    .stresses = "barriers, which some CPUs count among the branches",
    SPECIMEN_REPEATS(specimen_barriers_code, trips, 10000000000u),
    .truth = barriers_truths,
};

#ifdef CODE_LOCKED_ADD

SPECIMEN_ASSEMBLY(specimen_locked_code, BODY_IN_MEMORY(CODE_TIMES(8, CODE_LOCKED_ADD)));
static const struct truth locked_truths[] = {TRUTH_ADDITIONS(8)};

const struct specimen specimen_locked = {
    .name = "locked",
    .summary = LOCKED_SUMMARY,
    .stresses = LOCKED_STRESSES,
    SPECIMEN_REPEATS(specimen_locked_code, trips, 10000000000u),
    .truth = locked_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

#else

SPECIMEN_ABSENT(
    locked, "locked", LOCKED_SUMMARY, LOCKED_STRESSES,
    "only x86 locks ordinary instructions; atomics and exclusives are what this ISA has");

#endif

#ifdef CODE_EXCLUSIVE

/* Whether the store succeeds does not change what is executed. */
SPECIMEN_ASSEMBLY(specimen_exclusives_code, BODY_IN_MEMORY(CODE_TIMES(4, CODE_EXCLUSIVE)));
static const struct truth exclusives_truths[] = {
    TRUTH_FRAMED(1, 1, 12, 4, 4),
    TRUTH_FRAMED_BRANCHES,
    TRUTH_QUIET,
    TRUTH_END,
};

const struct specimen specimen_exclusives = {
    .name = "exclusives",
    .summary = EXCLUSIVES_SUMMARY,
    .stresses = EXCLUSIVES_STRESSES,
    SPECIMEN_REPEATS(specimen_exclusives_code, trips, 10000000000u),
    .truth = exclusives_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

/* An undisturbed pair succeeds at once. At most one more attempt a pair on average, and some more
 * because few pairs have no average. */
#define SPURIOUS INT64_C(64)
#define WHY_REPEATED                                                                               \
    "an interrupt between load and store makes the store fail and the pair start again, and a "    \
    "CPU may let it fail for reasons of its own; mostly it succeeds at once, and more than one "   \
    "attempt in vain for each pair, or 64 for few of them, is nowhere known"
#define TRUTH_REPEATED(class, base, each, attempt)                                                 \
    TRUTH_BETWEEN(class, base, each, (base) + SPURIOUS * (attempt), (each) + (attempt),            \
                  WHY_REPEATED)

SPECIMEN_ASSEMBLY(specimen_exclusive_loop_code, BODY_IN_MEMORY(CODE_EXCLUSIVE_LOOP));
static const struct truth exclusive_loop_truths[] = {
    TRUTH_REPEATED("instructions", FRAME_INSTRUCTIONS + 1, FRAME_LOOP_INSTRUCTIONS + 4, 4),
    TRUTH_REPEATED("loads", FRAME_LOADS + 1, 1, 1),
    TRUTH_REPEATED("stores", FRAME_STORES, 1, 1),
    TRUTH_REPEATED("branches", FRAME_BRANCHES, 2, 1),
    TRUTH_REPEATED("cond-branches", 0, 2, 1),
    TRUTH_REPEATED("cond-branches-taken", -1, 1, 1),
    TRUTH_EXACT("cond-branches-not-taken", 1, 1),
    TRUTH_ZERO("jumps"),
    TRUTH_EXACT("calls", 1, 0),
    TRUTH_EXACT("returns", 1, 0),
    TRUTH_EXACT("indirect-branches", 1, 0),
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip exclusive_loop_trips[] = {{0, 0}, TRIP_LOOP};

const struct specimen specimen_exclusive_loop = {
    .name = "exclusive-loop",
    .summary = EXCLUSIVE_LOOP_SUMMARY,
    .stresses = EXCLUSIVE_LOOP_STRESSES,
    SPECIMEN_REPEATS(specimen_exclusive_loop_code, exclusive_loop_trips, 10000000000u),
    .truth = exclusive_loop_truths,
    .prepare = scratch_prepare_page,
    .restore = scratch_unmap,
};

#else

SPECIMEN_ABSENT(
    exclusives, "exclusives", EXCLUSIVES_SUMMARY, EXCLUSIVES_STRESSES,
    "x86 has no exclusive loads and stores; locked and atomics are what it has instead");
SPECIMEN_ABSENT(
    exclusive_loop, "exclusive-loop", EXCLUSIVE_LOOP_SUMMARY, EXCLUSIVE_LOOP_STRESSES,
    "x86 has no exclusive loads and stores; locked and atomics are what it has instead");

#endif
