/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How many digits of a figure are right, as NIST counts them: the logarithm of the relative error,
 * of the absolute one where the certified value is 0. With ASSAY_DIGITS in the environment every
 * figure's digits are printed. Include after cmocka.h. */
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 15, the digits that NIST certifies, is the most that is said. */
static inline double right_digits(double got, double certified)
{
    if (got == certified)
        return 15;
    double error = fabs(got - certified);
    if (certified != 0)
        error /= fabs(certified);
    double digits = -log10(error);
    return digits > 15 ? 15 : digits > 0 ? digits : 0; /* NaN: 0 */
}

static inline void check_digits(const char *what, double got, double certified, double digits)
{
    double right = right_digits(got, certified);
    if (getenv("ASSAY_DIGITS"))
        printf("# %s: %.17g has %.1f digits, at least %.1f asked\n", what, got, right, digits);
    if (!(right >= digits))
        fail_msg("%s: %.17g has %.1f digits of %.17g, not %.1f", what, got, right, certified,
                 digits);
}
