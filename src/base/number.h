/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers for people, the same everywhere: counts are exact, with thousands separated by commas and
 * a point before decimals; measured quantities are rounded to significant digits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE 48 /* bytes that hold any of these */

/* Each returns text. 1234567 -> 1,234,567 */
char *number_count(uint64_t value, char *text, size_t size);
char *number_signed(int64_t value, char *text, size_t size); /* always with + or -, 0 plain */
/* value rounded to `digits` significant digits, thousands grouped: 1234567 at 3 -> 1,230,000. */
char *number_significant(double value, int digits, char *text, size_t size);
/* 37 and 80.5, 0.00123, 1,234: as many digits as tell something; "-" for what is no number. */
char *number_brief(double value, char *text, size_t size);
/* 10800 -> "3 hours" */
char *number_age(int64_t seconds, char *text, size_t size);
/* 49152 -> "48 KiB", 1310720 -> "1.25 MiB" */
char *number_bytes(uint64_t bytes, char *text, size_t size);
/* "31 ns", "1.8 µs", "4 ms", "97 s"; "-" for what is no number. */
char *number_time(double ns, char *text, size_t size);
#define TIME(ns) number_time(ns, (char[NUMBER_SIZE]){""}, NUMBER_SIZE)

/* --- in sentences of a judge --- */

#define FIGURE_SIZE 40
/* 1234567 -> 1,234,567; 1.02 -> 1.02; from 1e15 on 1.2e+15. */
const char *figure_of(double value, char text[FIGURE_SIZE]);
/* Rounded to so many digits, of which none before the point is left out: 194.32 at 2 -> 194. */
const char *figure_rounded(double value, int digits, char text[FIGURE_SIZE]);
/* Both where they are printed. */
#define FIGURE(value)          figure_of(value, (char[FIGURE_SIZE]){""})
#define ROUNDED(value, digits) figure_rounded(value, digits, (char[FIGURE_SIZE]){""})
/* The same, always with a sign. */
const char *signed_figure(double value, char text[FIGURE_SIZE]);
