/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What runs count beyond the instructions of their program, and how much of it goes with page
 * faults and with interrupts. */
#pragma once

#include "studies/repeat/study.h"

enum disturbance { DISTURBANCE_FAULT, DISTURBANCE_INTERRUPT, DISTURBANCES };
extern const char *const disturbance_names[DISTURBANCES]; /* "page-fault", "interrupt" */

/* One run. */
struct surplus {
    double events; /* counted, less what is known of its program or of its cell */
    double by[DISTURBANCES];
    size_t group; /* what all runs of a group have in common is no contribution of either */
};
struct surplus_list {
    struct surplus *list;
    size_t count, groups;
};
int surplus_add(struct surplus_list *list, const struct surplus *surplus); /* -ENOMEM */
void surplus_release(struct surplus_list *list);
#define AUTO_SURPLUS __attribute__((cleanup(surplus_release)))

/* events = of its group + each · faults + each · interrupts, by least squares. Counts are whole
 * numbers: where runs scatter less than rounding would make them, the interval is that of rounding,
 * so that an exact 0 is no more certain than so many runs make it. */
struct surplus_fit {
    bool known[DISTURBANCES]; /* false: it did not vary, or there are too few runs */
    double each[DISTURBANCES], low[DISTURBANCES], high[DISTURBANCES];
    double residual; /* standard deviation that is left */
};
/* with_interrupts: else they take no part. -ENOMEM. */
int surplus_fit(const struct surplus_list *list, bool with_interrupts, struct surplus_fit *fit);

/* What one page fault (or interrupt) adds to the event; NULL: nobody knows. */
const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance);
/* Of these, what is certain to be there: 0 where the interval holds 0, or where it may be what
 * programs do themselves. */
double contribution_certain(const struct repeat_contribution *contribution);

/* Faults or interrupts of a run; false: they were not told. */
bool run_disturbances(const struct repeat_run *run, enum disturbance disturbance, double *number);
