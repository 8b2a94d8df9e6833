/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Runs one job: the runs of one visit, in this process. */
#pragma once

#include "probe/harness/path.h"

/* The path knows its values only once its library has seen the process exit: call exit(), and the
 * job gets its answer there. */
#define RUN_CONCLUDES_AT_EXIT 1

/* 0, RUN_CONCLUDES_AT_EXIT, or a negative errno with the sentence in job->reason. */
int run_job(struct job *job);
