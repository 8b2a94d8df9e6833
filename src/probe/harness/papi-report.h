/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the report PAPI's high-level interface leaves behind. */
#pragma once

#include "probe/harness/path.h"

/* Fills all rows of the job from the report below job->folder. */
int papi_read_report(struct job *job);
