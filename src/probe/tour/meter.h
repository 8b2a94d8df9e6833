/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is read around every call of a tour: the tick counter, or counters of the CPU that user code
 * reads. Those are pinned events of their own, beside the instruments'. */
#pragma once

#include "probe/tour/spans.h"

struct meter {
    uint32_t count;
    bool ticks;
    span_loop *loop;
    const volatile struct perf_event_mmap_page *pages[METERS_MOST];
    int descriptors[METERS_MOST];
};

/* Opens the meters that the job's events name, and starts them. */
int meter_open(struct meter *meter, struct job *job);

/* What `rows` spans gave: takes what lies above a counter's width away (a meter that went back
 * gives a negative difference), and fails where a meter could not be read. */
int meter_settle(const struct meter *meter, struct job *job, uint64_t *values, size_t rows);

void meter_close(struct meter *meter);
