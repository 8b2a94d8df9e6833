/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the errors of an event may be made of: columns for the regression, in the order in which
 * they are preferred where the points cannot tell them apart. */
#pragma once

#include "judge/explaining.h"

enum candidate_kind {
    CANDIDATE_FAULTS,
    CANDIDATE_SYSCALLS,
    CANDIDATE_SWITCHES,
    CANDIDATE_INTERRUPTS,
    CANDIDATE_CONSTANT,
    CANDIDATE_TRUTH,
    CANDIDATE_OPCODE,
    CANDIDATE_CLASS,
    CANDIDATE_TIME,
};

struct candidate {
    enum candidate_kind kind;
    const char *name; /* of an opcode or a class; else a word for one of it */
    double *values;   /* [row] */
    size_t twin;      /* opcodes that always occur together: the first of them; itself */
    bool refused;     /* was selected, and made no sense */
    bool part_of_own; /* never more than the event's own truth */
};

struct candidates {
    const struct error_point **rows; /* the points that take part */
    size_t row_count;
    struct candidate *list;
    size_t count;
};

/* opcodes: only points whose opcodes are known take part, and opcodes are candidates. -ENOMEM. */
int candidates_gather(const struct errors *errors, bool opcodes, struct candidates *candidates);
void candidates_release(struct candidates *candidates);
/* Are the opcodes of all points known (2), of some (1), of none (0)? */
int opcodes_known(const struct errors *errors);
/* Adds the explanation with its sentence; alike: what else it could be, "" or from "; " on. */
void say_term(struct explaining *explaining, const struct candidate *candidate,
              const struct explanation *found, const char *alike);
