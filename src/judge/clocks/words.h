/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Figures of clocks in words, with no more digits than mean something. */
#pragma once

#define WORDS_TIME 32

/* "25 ns", "1.8 µs", "4 ms", "12 s"; returns text. */
const char *words_time(double ns, char text[WORDS_TIME]);
/* "12 %", "2.5 %"; below 0.1 % "96 ppm"; returns text. */
const char *words_share(double share, char text[WORDS_TIME]);
