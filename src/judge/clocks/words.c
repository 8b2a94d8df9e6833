/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times and shares in words. */
#include "judge/clocks/words.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* Three digits at most before the unit changes, two at least. */
static void put(double value, const char *unit, char text[WORDS_TIME])
{
    int digits = fabs(value) >= 9.95 || value == round(value) ? 0 : 1;
    snprintf(text, WORDS_TIME, "%.*f %s", digits, value, unit);
}

const char *words_time(double ns, char text[WORDS_TIME])
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};
    enum { UNITS = sizeof(units) / sizeof(*units) };
    for (size_t i = 0; i < UNITS; i++)
        if (fabs(ns) >= units[i].ns || i + 1 == UNITS) {
            put(ns / units[i].ns, units[i].unit, text);
            break;
        }
    return text;
}

const char *words_share(double share, char text[WORDS_TIME])
{
    double percent = 100 * share;
    if (fabs(percent) >= 0.1)
        put(percent, "%", text);
    else
        put(1e6 * share, "ppm", text);
    return text;
}
