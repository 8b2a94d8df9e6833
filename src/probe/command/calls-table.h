/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of system calls by number, generated from the operating system's headers (call-names.py).
 */
#pragma once

#define CALL_NUMBERS 1024 /* those beyond have no name here; the last one stands for none */

extern const char *const call_names_native[CALL_NUMBERS];
extern const char *const call_names_narrow[CALL_NUMBERS]; /* of 32-bit programs */
