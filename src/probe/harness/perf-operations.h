/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the operations of all paths on perf descriptors share: switching and reading the counters of
 * an instrument by inline system calls, and turning two readings into a row's times. */
#pragma once

#include "probe/harness/path.h"

/* Starts or stops all counters. Negative errno when a call was refused. */
long perf_switch_all(const struct instrument *instrument, bool enable);

/* Reads all counters, with their times. Negative errno when a call was refused. */
long perf_read_all(const struct instrument *instrument, uint64_t *reading);

/* Where counter `index` stands in a reading, and its count there. */
uint64_t *perf_reading_of(const struct instrument *instrument, uint64_t *reading, uint32_t index);
uint64_t perf_count_of(struct instrument *instrument, uint64_t *reading, uint32_t index);

/* Zeroes the words that show whether a read came; checks them, and says why none did. */
void perf_clear_readings(struct instrument *instrument);
int perf_check_readings(struct instrument *instrument, uint32_t run);

/* Times between the two readings, into row `run`. */
void perf_write_times(struct instrument *instrument, uint32_t run, uint32_t index);
