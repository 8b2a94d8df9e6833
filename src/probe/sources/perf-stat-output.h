/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `perf stat` writes with a separator, read strictly: whatever is not exactly the one count
 * that was asked for is refused. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

/* Between the fields: no name of an event holds one. */
#define PERF_STAT_SEPARATOR ';'

struct perf_stat_count {
    uint64_t value;            /* clocks in ns, else as counted */
    uint64_t enabled, running; /* ns */
};

/* event: the name that was asked for. 0, or negative errno with what is wrong: -ENOENT the machine
 * has no such event, -EBUSY it got no counter, -EACCES perf took another mode, -EBADMSG what is
 * there is no such output. text need not end with a zero. */
int perf_stat_read(const char *text, size_t length, const char *event,
                   struct perf_stat_count *count, struct failure *failure);
