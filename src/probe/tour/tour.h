/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One visit of a touring harness: all calls of its tour, pass after pass, each metered. */
#pragma once

#include "probe/harness/job.h"

/* 0, or a negative errno with the sentence in job->reason. */
int tour_run(struct job *job);
