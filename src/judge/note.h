/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sentences of a judgement, and numbers in them as people read them. */
#pragma once

#include <stddef.h>

#include "studies/validate/study.h"

#define FIGURE_SIZE 40

/* 1234567 -> 1,234,567; 1.02 -> 1.02; from 1e15 on 1.2e+15. Returns text. */
const char *figure_of(double value, char text[FIGURE_SIZE]);
/* Rounded to so many digits, of which none before the point is left out: 194.32 at 2 -> 194. */
const char *figure_rounded(double value, int digits, char text[FIGURE_SIZE]);
/* Both where they are printed. */
#define FIGURE(value)          figure_of(value, (char[FIGURE_SIZE]){""})
#define ROUNDED(value, digits) figure_rounded(value, digits, (char[FIGURE_SIZE]){""})
/* The same, always with a sign. */
const char *signed_figure(double value, char text[FIGURE_SIZE]);

/* Appends one more sentence; one that does not fit is left out whole. */
void note_add(char note[NOTE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
