/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Many tests at once: adjusted so that all of them together accuse somebody innocent no more often
 * than one alone would. */
#pragma once

#include <stddef.h>

struct one_test {
    double p;       /* of this test alone */
    double least_p; /* the smallest that it could have had; 0: any */
    double adjusted;
};

/* Holm's step-down over those tests that could succeed at all (Tarone): a test whose least p is
 * beyond what a family of those with smaller ones leaves it can accuse nobody, takes nothing from
 * the others, and has the adjusted p 1. The family of the rest, whose adjusted p can be held
 * against `level`; NaN counts as 1. -ENOMEM. */
int adjust_tests(struct one_test *tests, size_t count, double level, size_t *family);
