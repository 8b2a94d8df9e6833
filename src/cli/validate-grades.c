/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Grades of truths in words. */
#include "studies/validate/parts.h"

const char *const validate_grade_names[] = {[TRUTH_NONE] = NULL,
                                            [TRUTH_PROVEN] = "proven",
                                            [TRUTH_BOUNDED] = "bounded",
                                            [TRUTH_MODEL] = "model"};
