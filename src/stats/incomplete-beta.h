/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The regularised incomplete beta function, from which shares and variance ratios take their
 * probabilities. GSL has it too, but returns 0 for small tails of long samples. */
#pragma once

/* Probability that a value of Beta(a, b) is at most x. rest is 1 - x, asked for because whoever is
 * near 1 knows it better than the subtraction would. a, b > 0; 0 <= x <= 1. */
double incomplete_beta(double x, double rest, double a, double b);
