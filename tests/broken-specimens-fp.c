/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A copy of fadd-double that executes one addition more than it says, once and not in every
 * iteration: what every proof of its truths must notice. */
#include "specimens/floating-point.h"

FLOATING_POINT(broken_fadd_double, "broken-fadd-double", "N + 1 additions that claim to be N", ADD,
               BASIC, SCALAR, SCALAR_DOUBLE, double, CODE_FP_ADD(CODE_FP_SCALAR_DOUBLE))
