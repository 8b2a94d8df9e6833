/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a claim about overhead is, and what its rules share (docs/findings.md). Claims are data in
 * findings.c; each rule is a file. */
#pragma once

#include "engine/findings.h"
#include "judge/overhead/findings-in-a-row.h"
#include "studies/overhead/study.h"

/* What a rule looks at: one machine at a time, and all in one unit. */
struct overhead_facts {
    const struct overhead_case *file;
    const struct overhead_report *report;
    uint32_t machine;
    enum meter_unit unit;
    bool hides;                             /* counters miss part of start and stop, and nothing
                                               else counts: such costs are the least */
    bool has_unit;                          /* anything was metered in it */
    const struct all_reads_in_a_row *reads; /* of all machines; NULL for advice */
};

/* Time where it is real, the finest first; else instructions. */
struct overhead_facts overhead_facts_of(const struct overhead_case *file,
                                        const struct overhead_report *report, uint32_t machine);

/* Finds "not testable here" in the finding, and leaves it so with the reason where nothing can
 * decide. */
typedef void overhead_rule(const struct overhead_facts *facts, struct finding *finding);
overhead_rule rule_plain_code;     /* W1 */
overhead_rule rule_lazy_linking;   /* W2 */
overhead_rule rule_cold_page;      /* W3 */
overhead_rule rule_mapped_page;    /* W4 */
overhead_rule rule_repeated_reads; /* W5 */
overhead_rule rule_kinds_of_calls; /* W6 */
overhead_rule rule_more_events;    /* W7 */

/* Appends what `hides` means. */
void tell_hidden(struct finding *finding);

/* Ticks, ns and, where the CPU's own are counted, cycles. */
bool unit_is_time(enum meter_unit unit);

/* --- what something costs (findings-costs.c) --- */

/* From one cell or several; user and kernel code together. */
struct cost {
    double value, low, high; /* median and its 95 % interval */
    double least, most;      /* with the lowest and the highest level of its cells; else `value` */
    double faults;           /* page faults a call; of first calls */
    size_t processes;        /* of the cell with the fewest; 0: not measured */
};
bool cost_is_known(const struct cost *cost);
bool cost_has_levels(const struct cost *cost);
/* Ends are added, not squared: what one process does goes up and down together. */
struct cost cost_plus(struct cost one, struct cost other);
struct cost cost_times(struct cost cost, double factor);

/* Warm calls of all these operations, each after the same predecessors: the mean over those after
 * which every one of them was called in processes of this link, with one counter. At most
 * WARM_MOST. False: there is no such predecessor. */
#define WARM_MOST 4
bool warm_costs(const struct overhead_facts *facts, const char *link, const char *const *operations,
                size_t count, struct cost *costs);
/* Call number `position` of the operation in a process that did nothing of the kind before;
 * `after`: preferred predecessor, NULL: nothing but the timer. link NULL: any. */
struct cost cold_cost(const struct overhead_facts *facts, const char *link, const char *operation,
                      uint32_t position, const char *after);

/* --- one cost over another (findings-ratios.c) --- */

struct ratio {
    struct estimate estimate;
    bool by_levels;     /* open only because levels of a cell disagree: */
    double least, most; /* of that cell */
    bool few;           /* open because of too few processes */
};
struct ratio ratio_at_least(const struct overhead_facts *facts, const struct cost *one,
                            const struct cost *other, double mark);
struct ratio ratio_below(const struct overhead_facts *facts, const struct cost *one,
                         const struct cost *other, double mark);
/* Appends why a ratio is open, if it is not for its interval alone. */
void tell_open(const struct overhead_facts *facts, const struct ratio *ratio,
               struct finding *finding);

/* 1,862 and 43.5: no more digits than mean something. Returns text. */
const char *cost_words(double value, char text[]);
/* 12, 3.4, 0.25. */
const char *ratio_words(double value, char text[]);
#define WORDS_SIZE 40

/* --- why nothing can be told (findings-absent.c) --- */

/* As a clause: "perf-user.read cannot be called here: this CPU has no counters". */
void why_not_called(const struct overhead_facts *facts, const char *operation, char *why,
                    size_t size);
#define WHY_SIZE 360
/* Appends that clause, and for want of anything metered that. */
void tell_absent(const struct overhead_facts *facts, const char *operation,
                 struct finding *finding);
