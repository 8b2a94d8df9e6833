/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs one specimen for N, and nothing else: for tools that count whole programs (Valgrind), which
 * see the specimen in the difference between two N.
 *
 *     specimen-runner NAME N */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "specimens/specimen.h"
#include "window.h"

typedef void specimen_function(struct specimen_state *state);

static __attribute__((noinline)) void run_loop(uint64_t n)
{
    WINDOW_PIN_FIRST(uintptr_t, first) = n;
    WINDOW_PIN_SECOND(specimen_function *, second) = NULL;
    WINDOW_SLOT(WINDOW_LOOP, first, second);
}

int main(int argument_count, char **arguments)
{
    if (argument_count != 3) {
        fputs("usage: specimen-runner NAME N\n", stderr);
        return 2;
    }
    const struct specimen *specimen;
    struct specimen_state state = {.n = strtoull(arguments[2], NULL, 10)};
    struct failure failure = {0};
    if (specimen_parse(arguments[1], &specimen, &state.parameters, &failure) < 0) {
        fprintf(stderr, "%s\n", failure.text);
        return 2;
    }
    if ((specimen->available && specimen->available(&failure) < 0) ||
        specimen_prepare(specimen, &state, &failure) < 0) {
        fprintf(stderr, "%s\n", failure.text);
        return 1;
    }
    if (specimen->form == SPECIMEN_LOOP)
        run_loop(state.n);
    else if (specimen->code)
        specimen_entry(specimen, &state)(&state);
    if (specimen->restore)
        specimen->restore(&state);
    return 0;
}
