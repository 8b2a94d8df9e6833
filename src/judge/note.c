/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Writes the sentences of a judgement. */
#include "judge/note.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_MOST 1e15 /* above this not every digit means something */

/* Groups the digits before the point by threes. */
static void group(const char *plain, char text[FIGURE_SIZE])
{
    size_t digits = strspn(plain, "0123456789"), used = 0;
    for (size_t i = 0; plain[i] && used + 2 < FIGURE_SIZE; i++) {
        if (i > 0 && i < digits && (digits - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = plain[i];
    }
    text[used] = '\0';
}

/* 12.500 says no more than 12.5. */
static void trim(char plain[FIGURE_SIZE])
{
    if (!strchr(plain, '.') || strchr(plain, 'e'))
        return;
    char *end = plain + strlen(plain);
    while (end[-1] == '0')
        end--;
    end[end[-1] == '.' ? -1 : 0] = '\0';
}

static void magnitude(double value, char text[FIGURE_SIZE])
{
    char plain[FIGURE_SIZE];
    if (!isfinite(value) || value >= WHOLE_MOST)
        snprintf(plain, sizeof(plain), "%.3g", value);
    else if (value == floor(value) || value >= 1000)
        snprintf(plain, sizeof(plain), "%.0f", value);
    else
        snprintf(plain, sizeof(plain), value < 0.1 ? "%.2g" : "%.3f", value);
    trim(plain);
    group(plain, text);
}

const char *figure_of(double value, char text[FIGURE_SIZE])
{
    if (value >= 0 || isnan(value)) {
        magnitude(value, text);
        return text;
    }
    return signed_figure(value, text);
}

const char *figure_rounded(double value, int digits, char text[FIGURE_SIZE])
{
    char plain[FIGURE_SIZE], grouped[FIGURE_SIZE];
    const double size = fabs(value);
    if (!(size > 0) || size >= WHOLE_MOST)
        return figure_of(value, text);
    const int decimals = digits - 1 - (int)floor(log10(size));
    if (size < 1)
        snprintf(plain, sizeof(plain), "%.*g", digits, size);
    else
        snprintf(plain, sizeof(plain), "%.*f", decimals > 0 ? decimals : 0, size);
    trim(plain);
    group(plain, grouped);
    snprintf(text, FIGURE_SIZE, "%s%.*s", value < 0 ? "-" : "", FIGURE_SIZE - 2, grouped);
    return text;
}

const char *signed_figure(double value, char text[FIGURE_SIZE])
{
    char rest[FIGURE_SIZE];
    magnitude(fabs(value), rest);
    snprintf(text, FIGURE_SIZE, "%c%.*s", value < 0 ? '-' : '+', FIGURE_SIZE - 2, rest);
    return text;
}

void note_add(char note[NOTE_SIZE], const char *format, ...)
{
    char sentence[NOTE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    size_t used = strlen(note);
    /* The first is kept at any length: a cut sentence says more than none. */
    if (length < 0 || (used > 0 && used + 1 + (size_t)length >= NOTE_SIZE))
        return;
    if (used > 0)
        note[used++] = ' ';
    snprintf(note + used, NOTE_SIZE - used, "%s", sentence);
}
