/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * libassay: count events in your own process and know what each number is worth.
 *
 *     struct assay_calipers *calipers;
 *     const char *events[] = {"instructions:u"};
 *     if (assay_calipers_open(&calipers, events, 1, ASSAY_OR_TRAP) < 0 || assay_calibrate() < 0)
 *         ...
 *     assay_begin();
 *     work();
 *     assay_end();
 *     struct assay_count count;
 *     assay_counts(&count);       // raw, corrected, uncertainty, state
 *     assay_calipers_close(calipers);
 *
 * Three things, a header each: calipers (assay/calipers.h) measure regions of code and take their
 * own cost off; sets (assay/set.h) are counters to switch and read yourself; the clock
 * (assay/clock.h) is the CPU's counter of time with an error bound. assay/trust.h tells what
 * `assay validate` found out about an event here.
 *
 * Functions return 0 or a negative errno, and assay_last_error() has the sentence. What cannot be
 * counted on a machine never fails a program: its count says `unsupported`, with a reason in
 * words. Needs libc only. */
#ifndef ASSAY_H
#define ASSAY_H

#include "assay/calipers.h"
#include "assay/clock.h"
#include "assay/interface.h"
#include "assay/set.h"
#include "assay/trust.h"

#endif
