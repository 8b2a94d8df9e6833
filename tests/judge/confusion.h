/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was planted against what was said, counted. */
#pragma once

#include "trial.h"

struct confusion_row {
    const char *planted; /* name of a plant, or of a kind of clean machine */
    unsigned trials;     /* that could be made */
    unsigned above;      /* with an error of at least three times the noise */
    /* Of those above; of all trials where nothing, or nothing harmful, was planted. */
    unsigned detected, right_verdict, right_cause, named;
    unsigned said[VERDICT_COUNT][CAUSE_COUNT];
    unsigned below, below_detected;
    unsigned too_far; /* of all trials */
};

void confusion_add(struct confusion_row *row, const struct trial *trial,
                   const struct outcome *outcome);
/* As comments of a TAP stream. */
void confusion_print_head(void);
void confusion_print(const struct confusion_row *row);
