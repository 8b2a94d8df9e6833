/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The passes of one tour, as those need them who ask whether a pass was disturbed: what its gauge
 * read, and what the operating system's account says of it. */
#pragma once

#include "studies/overhead/study.h"

struct overhead_passes {
    const struct overhead_tour *tour;
    uint32_t *gauges; /* [gauge_count], calls of a pass that are the gauge */
    size_t gauge_count;
    uint32_t *nothings; /* … that are nothing */
    size_t nothing_count;
    int64_t *scratch; /* [2 * gauge_count] */
    /* Of a warm pass; more than this is no work of the calls themselves. */
    uint64_t most_faults, most_switches;
};

/* 0 or -ENOMEM; release in either case. */
int overhead_passes_open(const struct overhead_case *file, const struct overhead_tour *tour,
                         struct overhead_passes *passes);
void overhead_passes_release(struct overhead_passes *passes);
#define AUTO_PASSES __attribute__((cleanup(overhead_passes_release)))

/* Where the values of a pass begin. */
static inline const int64_t *overhead_pass_values(const struct overhead_tour *tour, size_t process,
                                                  uint32_t pass)
{
    return tour->values + (tour->begins[process] + pass * tour->length) * tour->meter_count;
}

/* The median of values in order; count is not 0. */
static inline double overhead_middle(const int64_t *sorted, size_t count)
{
    size_t below = (count - 1) / 2, above = count / 2;
    return ((double)sorted[below] + (double)sorted[above]) / 2;
}

/* Raw; the median of a warm pass, the least of a cold one, whose first gauge runs cold itself. NaN:
 * the tour has no gauge. */
double overhead_pass_gauge(const struct overhead_passes *passes, size_t process, uint32_t pass,
                           uint32_t meter);
/* The account saw the process lose its CPU, or fault, more than such passes do. Never of a cold
 * tour: there that is what is studied. */
bool overhead_pass_unsettled(const struct overhead_passes *passes, size_t process, uint32_t pass);

/* The meter's index in the tour, or -1. */
int overhead_meter_index(const struct overhead_tour *tour, const struct overhead_meter *meter);

/* What is known of a machine's meter; NULL: nothing. */
const struct overhead_timer *overhead_timer_of(const struct overhead_report *report,
                                               uint32_t machine,
                                               const struct overhead_meter *meter);
const struct overhead_gauge *overhead_gauge_of(const struct overhead_report *report,
                                               uint32_t machine,
                                               const struct overhead_meter *meter);

/* Judges the gauge (gauge.c) after `cost` is taken off; the gauge names its machine and meter. The
 * resolution may be 0. 0 or -ENOMEM. */
int overhead_measure_gauge(const struct overhead_case *file, double cost, double resolution,
                           struct overhead_gauge *gauge);
