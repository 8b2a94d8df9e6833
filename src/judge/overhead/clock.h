/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The clock of an emulated machine, before the judge begins: where its time passes with the
 * instructions it executes, spans in ticks are instructions in steps. */
#pragma once

#include "studies/overhead/study.h"

#define OVERHEAD_CLOCK "clock/ticks/"

/* Finds for every emulated machine how many instructions a tick is, from the gauge that was metered
 * both ways, and turns spans in ticks into instructions of user and kernel code together: unit
 * instructions, mode "uk", in steps of a tick. Where that is no whole number, or cannot be told,
 * ticks stay ticks and the machine says why. Once; again it changes nothing. -ENOMEM. */
int overhead_read_clocks(struct overhead_case *file);

/* Counts instructions by the clock? */
bool overhead_is_clock(const struct overhead_meter *meter);

/* Did the machine's clock count instructions? */
bool overhead_has_clock(const struct overhead_report *report, uint32_t machine);
/* Counters of the CPU halt while the operating system switches another one of them, so they miss
 * part of start and stop: what they count is the least. Not where a clock counts beside them. */
bool overhead_misses_switches(const struct overhead_report *report, const struct overhead_row *row);

/* The middle of values in order, count not 0: the median of a meter that counts in ones. One in
 * steps shows whole steps, more or fewer by where the span began, and the mean of those next to the
 * median tells what lies between. */
double overhead_middle_by(const struct overhead_meter *meter, const int64_t *sorted, size_t count);
