/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The broken copies of specimens that proofs are shown: each executes what its truth says and the
 * defect, no more and no less. */
#include <string.h>

#include "called.h"
#include "case.h"
#include "defect.h"

static const struct truth *instructions_of(const struct specimen *specimen)
{
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        if (strcmp(truth->class, "instructions") == 0 && truth->grade == TRUTH_PROVEN)
            return truth;
    return NULL;
}

/* Broken, and can be counted here. */
static bool can_be_stepped(const struct specimen *specimen)
{
    struct failure failure = {0};
    return specimen->form == SPECIMEN_CALLED && specimen->trips && instructions_of(specimen) &&
           (!specimen->available || specimen->available(&failure) == 0);
}

static int64_t stepped(const struct specimen *specimen, uint64_t n)
{
    struct specimen_state state = {.n = n};
    struct failure failure = {0};
    int result = specimen_prepare(specimen, &state, &failure);
    if (result == -ENODATA) /* the machine says too little of itself */
        return 0;
    if (result < 0)
        fail_msg("%s", failure.text);
    int64_t instructions = called_instructions(&state, specimen_entry(specimen, &state));
    if (specimen->restore)
        specimen->restore(&state);
    return instructions;
}

TEST(every_broken_copy_executes_its_truth_and_the_defect)
{
    unsigned seen = 0;
    if (!step_possible())
        skip_because("this machine cannot single-step");
    for (size_t index = 0; specimen_registry[index]; index++) {
        const struct specimen *specimen = specimen_registry[index];
        uint64_t n = specimen->min_n > 1 ? specimen->min_n : 1;
        if (!can_be_stepped(specimen))
            continue;
        int64_t instructions = stepped(specimen, n);
        if (instructions == 0)
            continue;
        const struct truth *truth = instructions_of(specimen);
        if (instructions != truth->base + truth->each * (int64_t)n + DEFECT_INSTRUCTIONS)
            fail_msg("%s executes %lld", specimen->name, (long long)instructions);
        seen++;
    }
    assert_true(seen > 10);
}
