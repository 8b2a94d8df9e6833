/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recordings of real runs (the folder recorded, written by record.py from a store): real noise and
 * real disturbance, read into a case file. */
#pragma once

#include "studies/validate/study.h"

/* Ends the program with a sentence when the file cannot be read. */
void recording_read(const char *file, struct case_file *to);
