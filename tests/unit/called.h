/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls a specimen as a window does. What is executed between the two marks is what its truth of
 * instructions states; step() counts it. */
#pragma once

#include "specimens/specimen.h"
#include "step.h"
#include "window.h"

typedef void called_function(struct specimen_state *state);
struct called {
    struct specimen_state *state;
    called_function *code;
};

extern const char called_opens[], called_closed[];

static __attribute__((noinline, used)) void called_run(void *argument)
{
    const struct called *called = argument;
    struct specimen_state *state = called->state;
    called_function *code = called->code;
    WINDOW_PIN_FIRST(uintptr_t, first) = (uintptr_t)state;
    WINDOW_PIN_SECOND(called_function *, second) = code;
    WINDOW_SLOT(".globl called_opens, called_closed\n"
                "\t.hidden called_opens, called_closed\n"
                "called_opens:\n\t" WINDOW_CALL "\n"
                "called_closed:",
                first, second);
}

/* Instructions of one call, by ptrace; negative errno as step(). */
static inline int64_t called_instructions(struct specimen_state *state, called_function *code)
{
    struct called called = {state, code};
    struct steps steps;
    int result =
        step(called_run, &called, (uintptr_t)called_opens, (uintptr_t)called_closed, &steps);
    return result < 0 ? result : (int64_t)steps.instructions;
}

/* base + each * N of a class; INT64_MIN where the specimen says nothing of it. */
static inline int64_t called_truth(const struct specimen *specimen, const char *class, uint64_t n)
{
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        if (strcmp(truth->class, class) == 0)
            return truth->base + truth->each * (int64_t)n;
    return INT64_MIN;
}
