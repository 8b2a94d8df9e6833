/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What reports and programs call the causes for which two runs of a program part. */
#include "studies/repeat/study.h"

const char *const repeat_parting_names[PARTING_COUNT] = {
    [PARTING_TIME] = "time",       [PARTING_IDENTITY] = "identity",
    [PARTING_RANDOM] = "random",   [PARTING_PARTIAL] = "partial-io",
    [PARTING_THREADS] = "threads", [PARTING_ADDRESSES] = "addresses",
    [PARTING_MACHINE] = "machine", [PARTING_FILES] = "files",
    [PARTING_OUTPUT] = "output",
};
