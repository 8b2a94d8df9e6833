/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Words and numbers that the parts of `assay clocks` share. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/clocks-show.h"
#include "show/utf8.h"

#define FINE 0.01 /* ratios nearer to 1 than this are told in millionths */

void clocks_put_time(double ns, struct text *out)
{
    const struct {
        double from, divisor;
        const char *unit;
    } units[] = {{1e9, 1e9, "s"},
                 {1e6, 1e6, "ms"},
                 {1e3, 1e3, utf8_is_expected() ? "\u00b5s" : "us"},
                 {0, 1, "ns"}};
    char number[NUMBER_SIZE];
    size_t unit = 0;
    if (!isfinite(ns)) {
        text_puts(out, "-");
        return;
    }
    /* What would be rounded up to a thousand is one of the next unit. */
    while (fabs(ns) < 0.9995 * units[unit].from)
        unit++;
    double value = ns / units[unit].divisor;
    number_significant(value, fabs(value) >= 100 ? 3 : 2, number, sizeof(number));
    char *point = strchr(number, '.');
    bool whole = point && strspn(point + 1, "0") == strlen(point + 1);
    if (whole)
        *point = '\0';
    text_printf(out, "%s %s", value == 0 ? "0" : number, units[unit].unit);
}

void clocks_ratio(double ratio, char *text, size_t size)
{
    double magnitude = fabs(ratio);
    if (!isfinite(ratio))
        snprintf(text, size, "-");
    else if (fabs(ratio - 1) < FINE)
        snprintf(text, size, "%.6f", ratio);
    else if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e5))
        snprintf(text, size, "%.1e", ratio);
    else
        snprintf(text, size, magnitude < 0.01 ? "%.4f" : "%.4g", ratio + 0.0);
}

void clocks_ppm(double ppm, char *text, size_t size)
{
    char digits[NUMBER_SIZE];
    double magnitude = fabs(ppm);
    if (!isfinite(ppm)) {
        snprintf(text, size, "-");
        return;
    }
    if (magnitude < 999.5)
        snprintf(digits, sizeof(digits), magnitude < 9.95 ? "%.1f" : "%.0f", magnitude);
    else
        number_significant(magnitude, 3, digits, sizeof(digits));
    snprintf(text, size, "%s%s", magnitude < 0.05 ? "" : ppm < 0 ? "-" : "+", digits);
}

#define TIMES 10000.0 /* ppm from which on a rate is told as a multiple of the one claimed */

void clocks_put_rate(const struct clock_rate *rate, bool bounds, struct text *out)
{
    bool unicode = utf8_is_expected();
    char words[NUMBER_SIZE];
    if (fabs(rate->ppm) >= TIMES) {
        number_significant(1 + rate->ppm / 1e6, 3, words, sizeof(words));
        text_printf(out, "%s%s", unicode ? "\u00d7" : "x", words);
        return;
    }
    clocks_ppm(rate->ppm, words, sizeof(words));
    text_puts(out, words);
    double bound = fmax(rate->high - rate->ppm, rate->ppm - rate->low);
    if (!bounds || !isfinite(bound) || !isfinite(rate->ppm))
        return;
    /* Never less than the last digit that is shown. */
    clocks_ppm(fmax(0.1, bound), words, sizeof(words));
    text_printf(out, " %s%s", unicode ? "\u00b1" : "+-", words + 1);
}

void clocks_put_interval(const struct clock_row *row, struct text *out)
{
    text_put_clean(out, row->workload ? row->workload : "?");
    if (row->threads > 1)
        text_printf(out, ", %" PRIu32 " threads", row->threads);
    if (row->moves)
        text_puts(out, ", moved");
    if (row->handover)
        text_puts(out, ", handed over");
    if (row->awake)
        text_puts(out, ", held awake");
}
