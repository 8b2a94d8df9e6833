/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of explain.h, in the order in which they are asked. Each says what it found, takes it
 * out of the errors and leaves the rest to those after it. */
#pragma once

#include "judge/errors.h"
#include "judge/explain.h"

#define SENTENCE_SIZE 280

struct explaining {
    struct errors errors;
    struct explained *explained;
    char sentences[EXPLANATIONS_MOST][SENTENCE_SIZE]; /* beside explained->list */
};

/* One more; dropped when the list is full. */
void explaining_add(struct explaining *explaining, const struct explanation *explanation,
                    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Shapes of single counts. They leave runs or points out; -ENOMEM. */
int explain_wrap(struct explaining *explaining);
int explain_threshold(struct explaining *explaining);
int explain_saturation(struct explaining *explaining);
int explain_lost(struct explaining *explaining);
int explain_multiplexing(struct explaining *explaining);
/* Another class whose truths the counts are; then nothing is left to be explained. */
int explain_definition(struct explaining *explaining, bool *found);
/* Within the runs of a point: errors that come and go with interrupts, or with time. */
int explain_interrupts(struct explaining *explaining);
int explain_stray_faults(struct explaining *explaining);
/* Sparse regression of the points' errors on what their code does: faults, system calls,
 * interrupts, opcodes, classes, its own truth (a factor), a constant (an offset). */
int explain_regression(struct explaining *explaining);

/* One point that is off, where all others together said nothing. */
int explain_point(struct explaining *explaining);

/* Is the event asked to leave out what the operating system executes ("instructions:u")? */
bool event_is_user_only(const struct evidence *evidence);
