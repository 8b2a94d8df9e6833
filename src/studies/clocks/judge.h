/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a claim about clocks is, and what its rules share (docs/findings.md). Claims are data in
 * findings.c; rules that ask the same question are a file. */
#pragma once

#include "judge/clocks/replicates.h"
#include "studies/clocks/study.h"
#include "engine/findings.h"

/* Two clocks agree to this, beyond what their readings leave open. */
#define AGREE_SHARE 500e-6

/* What a rule looks at. */
struct clocks_facts {
    const struct clocks_case *file;
    const struct clocks_report *report;
    uint64_t seed;
    uint32_t counter; /* the CPU's own, read plainly */
};

/* Finds "not testable here" in the finding, and leaves it so with the reason where nothing can
 * decide. Asked only where there is a counter and time is real. -ENOMEM. */
typedef int clocks_rule(const struct clocks_facts *facts, struct finding *finding);
clocks_rule rule_computation; /* K1 */
clocks_rule rule_sleep;       /* K2 */
clocks_rule rule_one_thread;  /* K3 */
clocks_rule rule_changes;     /* K4 */

/* --- counter against reference (findings-agreement.c) --- */

/* Which intervals are asked. */
typedef bool chosen_watch(const struct clock_watch *watch);
struct agreement {
    struct overhead_median ratio; /* counter / reference, over processes; widened by the bounds of
                                     readings */
    size_t intervals, off;        /* off: by more than the bounds of their own readings allow */
    double worst;                 /* ratio of the interval that is farthest off */
    double shortest_us, longest_us;
    bool independent; /* the reference is made of another counter */
};
/* Intervals 0: nothing was watched, or a rate is unknown. -ENOMEM. */
int agreement_of(const struct clocks_facts *facts, chosen_watch *chosen,
                 struct agreement *agreement);
/* Ratios of every interval, each over the median of intervals of its length. -ENOMEM. */
int agreement_residuals(const struct clocks_facts *facts, chosen_watch *chosen,
                        struct replicate_list *residuals);
/* Refuted, open or confirmed, as all intervals together and each by itself say. */
struct estimate agreement_estimate(const struct agreement *agreement);

/* --- what may be said, and why not more (findings-agreement.c) --- */

/* Appends "tsc shows 1.000002 of monotonic-raw over 300 computations of 20 to 160 ms". */
void tell_agreement(const struct clocks_facts *facts, const struct agreement *agreement,
                    const char *what, struct finding *finding);
/* Appends that agreement proves nothing, and what could. */
void tell_same_counter(const struct clocks_facts *facts, struct finding *finding);
/* The rate against a clock that is made elsewhere, over the whole time; NULL: there is none. */
const struct clock_rate *outside_rate(const struct clocks_facts *facts);
