/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which counts are instructions of the program itself, and which of them tell of this machine. */
#pragma once

#include "studies/repeat/study.h"

/* Instructions in user mode, each once, by whatever source. Of perf_event a mode that holds more is
 * not comparable. */
bool counts_instructions(const struct repeat_cell *cell, uint32_t event);
/* The same where only names are at hand. */
bool names_instructions(const char *source, const char *event);
/* The same by the hardware, or by stepping: the program ran on this CPU, where the operating system
 * placed it. Tools place it themselves. */
bool counts_here(const struct repeat_cell *cell, uint32_t event);
/* Is it the best that there is of this program on this machine? Hardware before stepping before
 * tools. */
bool counts_best(const struct repeat_case *file, const struct repeat_report *report,
                 const struct repeat_row *row);
