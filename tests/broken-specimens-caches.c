/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Copies of l1d-chase and l1i-blocks whose cycles have so few lines that they fit into the cache:
 * they miss nothing, which every proof of their misses must notice. Their code is that of the
 * originals; in the kit of broken copies it has the known defect too, for sources that see no
 * misses. */
#include "code.h"
#include "specimens/framed.h"

extern const struct specimen specimen_l1d_chase, specimen_l1i_blocks;

/* Its lines are half of those of the cache instead of twice as many. */
#define TOO_FEW 4

#define WHY "derived: claimed by a broken copy"

static int prepare_chase(struct specimen_state *state, struct failure *failure)
{
    const struct specimen_parameters asked = state->parameters;
    state->parameters.l1d /= TOO_FEW;
    int result = specimen_l1d_chase.prepare(state, failure);
    state->parameters = asked;
    return result;
}

static int prepare_blocks(struct specimen_state *state, struct failure *failure)
{
    const struct specimen_parameters asked = state->parameters;
    state->parameters.l1i /= TOO_FEW;
    int result = specimen_l1i_blocks.prepare(state, failure);
    state->parameters = asked;
    return result;
}

static void restore_chase(struct specimen_state *state)
{
    specimen_l1d_chase.restore(state);
}

static void restore_blocks(struct specimen_state *state)
{
    specimen_l1i_blocks.restore(state);
}

void specimen_walk_code(struct specimen_state *state);
void specimen_blocks_code(struct specimen_state *state);

static const struct truth chase_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2,
                FRAME_LOOP_INSTRUCTIONS + 1 + CODE_TOUCH_OWN_LOADS),
    TRUTH_MODELLED("l1d-load-misses", 0, 1, WHY),
    TRUTH_MODELLED("l1d-misses", 0, 1, WHY),
    TRUTH_END,
};

const struct specimen specimen_broken_l1d_chase = {
    .name = "broken-l1d-chase",
    .summary = "N loads over half the first-level data cache that claim to be over twice of it",
    .stresses = "who believes that they miss",
    .parameters = "l1d line seed",
    .form = SPECIMEN_CALLED,
    .code = specimen_walk_code,
    .min_n = 1,
    .max_n = 1000000000u,
    .truth = chase_truths,
    .prepare = prepare_chase,
    .restore = restore_chase,
};

static const struct truth blocks_truths[] = {
    TRUTH_EXACT("instructions", FRAME_INSTRUCTIONS + 2 + CODE_BLOCK_KEEP_INSTRUCTIONS, 3),
    TRUTH_MODELLED("l1i-load-misses", 0, 1, WHY),
    TRUTH_END,
};

const struct specimen specimen_broken_l1i_blocks = {
    .name = "broken-l1i-blocks",
    .summary = "N blocks over half the instruction cache that claim to be over twice of it",
    .stresses = "who believes that they miss",
    .parameters = "l1i line seed",
    .form = SPECIMEN_CALLED,
    .code = specimen_blocks_code,
    .min_n = 1,
    .max_n = 1000000000u,
    .truth = blocks_truths,
    .prepare = prepare_blocks,
    .restore = restore_blocks,
};
