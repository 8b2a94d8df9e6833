/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The continued fraction of the incomplete beta function, by Lentz's method, in long double: with
 * millions of degrees of freedom the powers before it cost as many digits. */
#include "stats/incomplete-beta.h"

#include <math.h>

/* lgammal() alone writes a global. */
static long double log_gamma(long double value)
{
    int sign;
    return lgammal_r(value, &sign);
}

static long double apart_from_zero(long double value)
{
    return fabsl(value) < 1e-4000L ? 1e-4000L : value;
}

/* Converges in about the root of a + b steps on the side that incomplete_beta() asks for. */
static long double fraction(long double x, long double a, long double b)
{
    long double before = 1, after = 1 / apart_from_zero(1 - (a + b) * x / (a + 1));
    long double result = after;
    for (int step = 1; step < 1000000; step++) {
        long double m = step;
        long double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        after = 1 / apart_from_zero(1 + even * after);
        before = apart_from_zero(1 + even / before);
        result *= before * after;
        long double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        after = 1 / apart_from_zero(1 + odd * after);
        before = apart_from_zero(1 + odd / before);
        result *= before * after;
        if (fabsl(before * after - 1) < 1e-18L)
            return result;
    }
    return NAN;
}

static long double log_of(long double x, long double rest)
{
    return x > 0.5L ? log1pl(-rest) : logl(x);
}

double incomplete_beta(double x, double rest, double a, double b)
{
    if (x <= 0 || rest <= 0)
        return x <= 0 ? 0 : 1;
    long double front = expl(log_gamma((long double)a + b) - log_gamma(a) - log_gamma(b) +
                             a * log_of(x, rest) + b * log_of(rest, x));
    if (x < (a + 1) / (a + b + 2))
        return (double)(front * fraction(x, a, b) / a);
    return (double)(1 - front * fraction(rest, b, a) / b);
}
