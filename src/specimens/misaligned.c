/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * N loads that lie half in one cache line and half in the next. */
#include <errno.h>

#include "code-system.h"
#include "specimens/framed.h"
#include "specimens/scratch.h"

SPECIMEN_ASSEMBLY(specimen_misaligned_code,
                  CODE_COUNT CODE_MEMORY CODE_LOOP(CODE_LOAD) CODE_RETURN);

static const struct truth truths[] = {
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

static const struct trip trips[] = {TRIP_LOOP};

static int prepare(struct specimen_state *state, struct failure *failure)
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

static void restore(struct specimen_state *state)
{
    state->memory = state->own;
    scratch_unmap(state);
}

const struct specimen specimen_misaligned = {
    .name = "misaligned",
    .summary = "N loads that cross the border of a cache line",
    .stresses = "split loads, alignment faults",
    .parameters = "line",
    SPECIMEN_CODE_OF(specimen_misaligned_code),
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 100000000000u,
    .truth = truths,
    .prepare = prepare,
    .restore = restore,
};
