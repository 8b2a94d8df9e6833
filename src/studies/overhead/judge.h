/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The calls of a case by cell: for every process, what it called and by which meter, in the order
 * of the calls. For figures.c and totals.c. */
#pragma once

#include "studies/overhead/study.h"

/* One call, metered. */
struct seen {
    double cost; /* NaN: disturbed */
    int32_t slot_before, predecessor;
    uint32_t position;
    const struct account *account;
};

/* What is called in one pass, each (operation, times) once. */
struct slot {
    uint32_t operation, times;
    size_t occurrences; /* in a pass */
    size_t before;      /* occurrences of all slots before it */
};

struct sorted_tour {
    const struct overhead_tour *tour;
    struct slot *slots;
    size_t slot_count;
    struct seen *seen; /* by process, slot, meter */
    size_t *filled;    /* [(process * slot_count + slot) * meter_count + meter] */
    /* The sum of two of its meters; NULL: none. */
    const struct overhead_meter *total;
    uint32_t user, kernel;
};

struct sorted {
    struct sorted_tour *tours;
    size_t count;
};

/* -ENOMEM; release in either case. */
int overhead_sort_calls(const struct overhead_case *file, const struct overhead_report *report,
                        struct sorted *sorted);
void sorted_release(struct sorted *sorted);
#define AUTO_SORTED __attribute__((cleanup(sorted_release)))

/* The calls of a cell, and how many there are. */
struct seen *sorted_cell(const struct sorted_tour *sorted, size_t process, size_t slot,
                         size_t meter, size_t *count);

/* Finds the two halves of a total in every tour, and fills report->totals. -ENOMEM. */
int overhead_find_totals(struct sorted *sorted, struct overhead_report *report);
