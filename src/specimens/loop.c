/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counting loop of N iterations that stands inline in the window and touches no memory: its
 * counts follow from its instructions (arch window.h). */
#include "specimens/framed.h"

typedef void specimen_function(struct specimen_state *state);

extern const char specimen_loop_text[], specimen_loop_text_end[];

/* Never called: here the text of the loop can be read as it stands in every window. */
__attribute__((used, noinline)) static void loop_to_read(uintptr_t n)
{
    WINDOW_PIN_FIRST(uintptr_t, first) = n;
    WINDOW_PIN_SECOND(specimen_function *, second) = NULL;
    WINDOW_SLOT("\t.globl specimen_loop_text, specimen_loop_text_end\n"
                "\t.hidden specimen_loop_text, specimen_loop_text_end\n"
                "specimen_loop_text:\n\t" WINDOW_LOOP "\n"
                "specimen_loop_text_end:",
                first, second);
}

static const struct truth truths[] = {
    TRUTH_EXACT("instructions", WINDOW_LOOP_INSTRUCTIONS_BASE, WINDOW_LOOP_INSTRUCTIONS_EACH),
    TRUTH_EXACT("branches", 0, 1),
    TRUTH_EXACT("cond-branches", 0, 1),
    TRUTH_EXACT("cond-branches-taken", -1, 1),
    TRUTH_EXACT("cond-branches-not-taken", 1, 0),
    TRUTH_ZERO("jumps"),
    TRUTH_ZERO("calls"),
    TRUTH_ZERO("returns"),
    TRUTH_ZERO("indirect-branches"),
    TRUTH_ZERO("loads"),
    TRUTH_ZERO("stores"),
    TRUTH_QUIET,
    TRUTH_END,
};

static const struct trip trips[] = {TRIP_LOOP};

/* It counts up to N and compares afterwards: N = 0 would run until the register wraps. */
const struct specimen specimen_loop = {
    .name = "loop",
    .summary = "N iterations of the smallest counting loop, inline in the window",
    .stresses = "what accrues with time: interrupts, switches, lost counts",
    .form = SPECIMEN_LOOP,
    .text_begin = specimen_loop_text,
    .text_end = specimen_loop_text_end,
    SPECIMEN_TRIPS(trips),
    .min_n = 1,
    .max_n = 1000000000000u,
    .truth = truths,
};
