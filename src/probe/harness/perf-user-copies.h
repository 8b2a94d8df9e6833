/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages for windows that are stepped. Between any two steps the process leaves its CPU, and each
 * time the operating system changes the page's lock: a reader would try again for ever. So it is
 * given private copies, taken while the counters were on: it executes the same instructions, the
 * one that reads the counter among them; what it makes of them is no count, and is not used. */
#pragma once

#include "probe/harness/path.h"

/* Will the windows of this job be stepped? */
static inline bool user_copies_wanted(const struct job *job)
{
    return job->hold == JOB_HOLD_STOP;
}

/* Puts a counter that user code can read in place of an event that counts nothing. */
void user_copies_event(struct job_event *event);

/* Copies the page of counter `index`, which counts; -EBUSY where it does not. */
int user_copies_take(struct instrument *instrument, uint32_t index);

/* Gives the window the copies, and takes them back. */
void user_copies_show(struct instrument *instrument);
void user_copies_hide(struct instrument *instrument);
