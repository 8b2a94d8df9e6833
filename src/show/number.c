/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Formats numbers for a reader: the comma groups thousands, the point marks decimals. */
#include "show/number.h"

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

void number_count(uint64_t value, char *text, size_t size)
{
    char digits[NUMBER_SIZE];
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    group(digits, text, size);
}

void number_signed(int64_t value, char *text, size_t size)
{
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    char digits[NUMBER_SIZE];
    number_count(magnitude, digits, sizeof(digits));
    snprintf(text, size, "%s%s", value > 0 ? "+" : value < 0 ? "-" : "", digits);
}

void number_significant(double value, int digits, char *text, size_t size)
{
    if (!isfinite(value)) {
        snprintf(text, size, "%s", isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
        return;
    }
    double magnitude = fabs(value);
    if (magnitude >= 1e18) {
        snprintf(text, size, "%.*e", digits - 1, value);
        return;
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
}

void number_brief(double value, char *text, size_t size)
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
}

void number_age(int64_t seconds, char *text, size_t size)
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
}

void number_bytes(uint64_t bytes, char *text, size_t size)
{
    const int mebibytes = bytes >= UINT64_C(1) << 20;
    snprintf(text, size, "%.6g %s", (double)bytes / (mebibytes ? 1048576.0 : 1024.0),
             mebibytes ? "MiB" : "KiB");
}
