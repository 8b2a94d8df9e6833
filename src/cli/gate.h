/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The gate that --fail-on makes of a command, by one rule for all of them: what has a property that
 * --fail-on names fails it, and so does what was named on the command line and could not be judged.
 * A failed gate says which, and is EXIT_VERDICT, also where the machine lacks what was asked. */
#pragma once

#include <stdbool.h>

#include <jansson.h>

struct gate {
    bool asked;     /* --fail-on was given */
    size_t count;   /* of what failed it */
    json_t *failed; /* and that, as in the envelope; NULL: nothing */
};

/* This failed it, and why in a word or two: "unsupported", "not compared". */
void gate_fail(struct gate *gate, const char *name, const char *why);
/* The exit code of a command that would end with `status`, after saying what failed the gate.
 * Failures, wrong usage and interruptions stay what they are. gate NULL: there is none. */
int gate_close(const struct gate *gate, const char *command, int status);
/* For the envelope; NULL: --fail-on was not given. */
json_t *gate_json(const struct gate *gate);
void gate_release(struct gate *gate);
