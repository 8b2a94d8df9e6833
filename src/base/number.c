/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Writes numbers for people. */
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Inserts separators into a run of digits; short numbers stay as they are. */
static void group(const char *digits, char *text, size_t size)
{
    size_t length = strlen(digits), out = 0;
    for (size_t i = 0; i < length && out + 2 < size; i++) {
        if (i && (length - i) % 3 == 0)
            text[out++] = ',';
        text[out++] = digits[i];
    }
    text[out] = '\0';
}

char *number_count(uint64_t value, char *text, size_t size)
{
    char digits[NUMBER_SIZE];
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    group(digits, text, size);
    return text;
}

char *number_signed(int64_t value, char *text, size_t size)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char digits[NUMBER_SIZE];
    number_count(magnitude, digits, sizeof(digits));
    snprintf(text, size, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", digits);
    return text;
}

char *number_significant(double value, int digits, char *text, size_t size)
{
    if (!isfinite(value)) {
        snprintf(text, size, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
        return text;
    }
    double magnitude = fabs(value);
    if (magnitude >= 1e18) {
        snprintf(text, size, "%.*e", digits - 1, value);
        return text;
    }
    int exponent = magnitude > 0 ? (int)floor(log10(magnitude)) : 0;
    int decimals = digits - 1 - exponent;
    if (decimals < 0) {
        double unit = pow(10, -decimals);
        magnitude = round(magnitude / unit) * unit;
        decimals = 0;
    }
    char plain[64], grouped[NUMBER_SIZE];
    snprintf(plain, sizeof(plain), "%.*f", decimals, magnitude);
    char *point = strchr(plain, '.');
    char fraction[64] = "";
    if (point) {
        snprintf(fraction, sizeof(fraction), "%s", point);
        *point = '\0';
    }
    group(plain, grouped, sizeof(grouped));
    snprintf(text, size, "%s%s%s", value < 0 ? "-" : "", grouped, fraction);
    return text;
}

char *number_brief(double value, char *text, size_t size)
{
    double magnitude = fabs(value);
    if (!isfinite(value)) {
        snprintf(text, size, "-");
    } else if (magnitude < 1e15 && value == rint(value)) {
        char digits[NUMBER_SIZE];
        number_count((uint64_t)llrint(magnitude), digits, sizeof(digits));
        snprintf(text, size, "%s%s", value < 0 ? "-" : "", digits);
    } else if (magnitude >= 1000 && magnitude < 1e15) {
        char digits[NUMBER_SIZE];
        number_count((uint64_t)llrint(magnitude), digits, sizeof(digits));
        snprintf(text, size, "%s%s", value < 0 ? "-" : "", digits);
    } else {
        snprintf(text, size, magnitude >= 100 ? "%.4g" : "%.3g", value);
    }
    return text;
}

char *number_age(int64_t seconds, char *text, size_t size)
{
    static const struct {
        int64_t seconds;
        const char *unit;
    } units[] = {{86400, "day"}, {3600, "hour"}, {60, "minute"}, {1, "second"}};
    size_t unit = 0;
    while (unit < 3 && seconds < units[unit].seconds)
        unit++;
    const int64_t count = seconds / units[unit].seconds;
    snprintf(text, size, "%" PRId64 " %s%s", count, units[unit].unit, count == 1 ? "" : "s");
    return text;
}

char *number_bytes(uint64_t bytes, char *text, size_t size)
{
    const int mebibytes = bytes >= UINT64_C(1) << 20;
    snprintf(text, size, "%.6g %s", (double)bytes / (mebibytes ? 1048576.0 : 1024.0),
             mebibytes ? "MiB" : "KiB");
    return text;
}

char *number_time(double ns, char *text, size_t size)
{
    static const struct {
        double from, divisor;
        const char *unit;
    } units[] = {{1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "\u00b5s"}, {0, 1, "ns"}};
    char number[NUMBER_SIZE];
    size_t unit = 0;
    if (!isfinite(ns)) {
        snprintf(text, size, "-");
        return text;
    }
    /* What would be rounded up to a thousand is one of the next unit. */
    while (fabs(ns) < 0.9995 * units[unit].from)
        unit++;
    double value = ns / units[unit].divisor;
    number_significant(value, fabs(value) >= 100 ? 3 : 2, number, sizeof(number));
    char *point = strchr(number, '.');
    if (point && strspn(point + 1, "0") == strlen(point + 1))
        *point = '\0';
    snprintf(text, size, "%s %s", value == 0 ? "0" : number, units[unit].unit);
    return text;
}

/* ----------------------------------------------------------------------------------------------
 * Numbers in the sentences of a judge. */

#define WHOLE_MOST 1e15 /* above this not every digit means something */

/* Groups the digits before the point by threes. */
static void group_whole(const char *plain, char text[FIGURE_SIZE])
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
    group_whole(plain, text);
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
    group_whole(plain, grouped);
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
