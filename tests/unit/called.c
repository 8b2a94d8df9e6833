/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Calls a specimen as a window does (called.h). */
#include <stdio.h>
#include <string.h>

#include "called.h"

__attribute__((noinline, used)) void called_run(void *argument)
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

int64_t called_instructions(struct specimen_state *state, called_function *code)
{
    struct called called = {state, code};
    struct steps steps;
    int result =
        step(called_run, &called, (uintptr_t)called_opens, (uintptr_t)called_closed, &steps);
    return result < 0 ? result : (int64_t)steps.instructions;
}

int64_t called_truth(const struct specimen *specimen, const char *class, uint64_t n)
{
    for (const struct truth *truth = specimen->truth; truth->class; truth++)
        if (strcmp(truth->class, class) == 0)
            return truth->base + truth->each * (int64_t)n;
    return INT64_MIN;
}

bool called_can_run(const struct specimen *specimen)
{
    struct failure failure = {0};
    if (!specimen->available || specimen->available(&failure) == 0)
        return true;
    printf("# %s is not to be had here: %s\n", specimen->name, failure.text);
    return false;
}
