/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Something that may kill whoever does it is done by a child first: reading a counter that is
 * forbidden, a shared object of somebody else. The process itself, its threads and its handlers of
 * signals never notice. */
#pragma once

#define TRIAL_SECONDS 5u

/* attempt returns 0 or a positive errno below 256. Returns the same, or minus the signal that ended
 * the child (SIGALRM: it took longer than TRIAL_SECONDS). Where no child can be had, the errno of
 * that. */
int trial(int (*attempt)(void *context), void *context);

/* "SIGSEGV" … */
const char *trial_signal_name(int number);
