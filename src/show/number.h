/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers for people: counts are exact, with thousands separated by commas; measured quantities
 * are rounded to significant digits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define NUMBER_SIZE 32 /* bytes that hold any of these */

/* 1234567 -> 1,234,567 */
void number_count(uint64_t value, char *text, size_t size);
void number_signed(int64_t value, char *text, size_t size); /* always with + or -, 0 plain */
/* value rounded to `digits` significant digits, thousands grouped: 1234567 at 3 -> 1,230,000. */
void number_significant(double value, int digits, char *text, size_t size);
/* 37 and 80.5, 0.00123, 1,234: as many digits as tell something; "-" for what is no number. */
void number_brief(double value, char *text, size_t size);
/* 10800 -> "3 hours" */
void number_age(int64_t seconds, char *text, size_t size);
/* 49152 -> "48 KiB", 1310720 -> "1.25 MiB" */
void number_bytes(uint64_t bytes, char *text, size_t size);
