/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads of counters in user code: whether they work here, and what becomes of one that traps. */
#pragma once

#include <stddef.h>

#include "probe/harness/job.h"

/* Can user code read counters on this machine? 0, or a negative errno with the sentence in reason.
 * Tries it, in a child process. */
int user_usable(char *reason, size_t size);

/* ----------------------------------------------------------------------------------------------
 * A counter read that traps in the middle of a window (somebody switched user access off) ends as a
 * failed visit with a reason. Every other trap stays what it was. */

/* From now on, in this process. Negative errno with the sentence in job->reason. */
int user_trap_watch(struct job *job);

/* The run that a trap from now on belongs to. */
void user_trap_run(uint32_t run);
