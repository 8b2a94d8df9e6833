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
void called_run(void *argument); /* struct called */

/* Instructions of one call, by ptrace; negative errno as step(). */
int64_t called_instructions(struct specimen_state *state, called_function *code);

/* base + each * N of a class; INT64_MIN where the specimen says nothing of it. */
int64_t called_truth(const struct specimen *specimen, const char *class, uint64_t n);

bool called_can_run(const struct specimen *specimen);
