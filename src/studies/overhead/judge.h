/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the judge of overhead share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/findings.h"
#include "studies/overhead/study.h"

/* ----------------------------------------------------------------------------------------------
 * The spans of a case, put together by their factors. Millions are laid side by side, so a cell is
 * found by a hash and its spans lie in one stretch. */

/* All of one size, without room between them: compared and hashed as bytes. Words are numbers. */
struct overhead_factors {
    uint32_t machine, meter, operation, link, counted, events, separate, reads, temperature,
        position;
    uint32_t predecessor; /* index + 1; 0: nothing of the tour */
    uint32_t predecessor_times;
};

enum span_flag { SPAN_FAULTED = 1, SPAN_SWITCHED = 2 };

/* Spans begin … begin + runs - 1 are undisturbed, the `disturbed` behind them are not. Each of the
 * two in the order of processes. */
struct overhead_cell {
    struct overhead_factors factors;
    const struct overhead_tour *tour; /* the first that has it */
    const struct overhead_meter *meter;
    size_t begin, runs, disturbed;
    size_t faults; /* of undisturbed spans; cold */
};

struct overhead_cells {
    struct overhead_cell *list;
    size_t count;
    size_t spans;
    int64_t *values;  /* [span], raw */
    uint32_t *groups; /* [span], number of the process over all tours */
    uint8_t *flags;   /* [span] */
};

/* In order of machine, meter, path, kind, …, predecessor. */
struct overhead_cells overhead_cells_collect(const struct overhead_case *file,
                                             const struct overhead_report *report);

/* ----------------------------------------------------------------------------------------------
 * Figures of processes, and how the parts that use them choose among them. */

/* "static" … where it calls a library, the state of its page where it reads one, else "inline". */
const char *overhead_variant(const struct overhead_operation *operation, const char *link);
/* NULL is no word, and the meter of whole commands. */
bool overhead_same_word(const char *left, const char *right);
bool overhead_same_meter(const struct overhead_meter *left, const struct overhead_meter *right);
/* Of all its processes. */
static inline size_t overhead_calls_of(const struct overhead_tour *tour)
{
    return tour->processes ? tour->begins[tour->processes] : 0;
}
static inline int compare_numbers(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}
/* The place of the word in that order; `count`: it has none. */
size_t overhead_rank(const char *word, const char *const *order, size_t count);
/* User mode or kernel, alone. */
bool overhead_has_one_mode(const struct overhead_meter *meter);
/* Ticks and nanoseconds; not what is counted. */
bool overhead_is_time(const struct overhead_meter *meter);
/* What the tour calls of its own: nothing, the gauge. */
bool overhead_is_own(const struct overhead_operation *operation);

/* ----------------------------------------------------------------------------------------------
 * What a claim about overhead is, and what its rules share (docs/findings.md). Claims are data in
 * findings.c. */

/* What a rule looks at: one machine at a time, and all in one unit. */
struct overhead_facts {
    const struct overhead_case *file;
    const struct overhead_report *report;
    uint32_t machine;
    enum meter_unit unit;
    bool hides;                             /* counters miss part of start and stop, and nothing
                                               else counts: such costs are the least */
    bool has_unit;                          /* anything was metered in it */
    const struct all_reads_in_a_row *reads; /* of all machines (findings.c); NULL for advice */
};

/* Time where it is real, the finest first; else instructions. */
struct overhead_facts overhead_facts_of(const struct overhead_case *file,
                                        const struct overhead_report *report, uint32_t machine);

/* Rules of claims (engine/findings.h), whose facts are these. */
typedef void overhead_rule(const struct claim *claim, const void *context, struct finding *finding);
overhead_rule rule_plain_code;     /* W1 */
overhead_rule rule_lazy_linking;   /* W2 */
overhead_rule rule_cold_page;      /* W3 */
overhead_rule rule_mapped_page;    /* W4 */
overhead_rule rule_kinds_of_calls; /* W6 */
overhead_rule rule_more_events;    /* W7 */

/* Ticks, ns and, where the CPU's own are counted, cycles. */
bool unit_is_time(enum meter_unit unit);

/* --- what something costs (findings.c) --- */

/* From one cell or several; user and kernel code together. */
struct cost {
    double value, low, high; /* median and its 95 % interval */
    double least, most;      /* with the lowest and the highest level of its cells; else `value` */
    double faults;           /* page faults a call; of first calls */
    size_t processes;        /* of the cell with the fewest; 0: not measured */
};
bool cost_is_known(const struct cost *cost);
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

/* --- one cost over another (findings.c) --- */

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
/* Why a ratio is open, if it is not for its interval alone. */
void say_open(const struct overhead_facts *facts, const struct ratio *ratio, struct reasons *why);

/* To no more digits than mean something: 1862 and 43.5. */
double rounded_cost(double value);

/* Why it cannot be told what an operation costs: the machine's own reason for its absence, or that
 * nothing was metered. */
void say_absent(const struct overhead_facts *facts, const char *operation, struct reasons *why);

/* ----------------------------------------------------------------------------------------------
 * Levels for those who have their values in order already. */

struct level_sample {
    const double *values;  /* [count], process after process */
    const uint32_t *group; /* [count], which process each value is of; rising */
    const double *sorted;  /* the same values, rising */
    size_t count;          /* not 0 */
    double resolution;     /* steps of the meter, below which nothing can be told apart */
};
/* Fills levels, rising by median; returns how many (at least 1). */
size_t overhead_levels_sorted(const struct level_sample *sample,
                              struct overhead_level levels[OVERHEAD_MOST_LEVELS],
                              enum level_kind *kind);

/* ----------------------------------------------------------------------------------------------
 * Cost by a count: a straight line by least squares of the figures of processes, in parts of their
 * cost, and whether the cost is straight at all. Everything asked for (slope, curvature, exponent)
 * is a sum of the means at each count with fixed factors, or nearly; so its error follows from the
 * processes alone, whether each of them measured one count or all. */

struct line_value {
    uint32_t count;
    uint64_t process; /* values with the same one are of one process */
    double cost;
};

struct line {
    size_t points, processes;
    double base, slope, low, high;                /* 95 %; without end where nothing repeats */
    bool exact;                                   /* processes do not differ */
    bool paired;                                  /* each process has a slope of its own */
    double exponent, exponent_low, exponent_high; /* NaN: not known */
    double miss; /* the greatest distance of a mean from the line, as a part of that mean */
    bool straight;
};

/* Sorts the values by count and process. At least two different counts are there. */
struct line line_fit(struct line_value *values, size_t count);

/* ----------------------------------------------------------------------------------------------
 * Heaps in a row of numbers: where their density falls, between two peaks, so low that neither the
 * steps of a meter nor chance explain it. */

/* Numbers begin … end - 1 of the sorted row. */
struct mode {
    size_t begin, end;
    double peak;   /* where it is densest */
    double border; /* to the mode above it: the middle of the emptiest stretch */
};

struct mode_search {
    double bandwidth;   /* finer structure than this is not looked at; above 0 */
    double least_share; /* of the numbers that a mode must have */
    double distance;    /* between peaks, of the lower one … */
    double steps;       /* … and at least so much */
    double chance;      /* that a valley is one by chance; per pair */
};

#define MOST_MODES 32

/* Rising; at least one. sorted is not empty and finite. Returns how many (at most MOST_MODES). */
size_t find_modes(const double *sorted, size_t count, const struct mode_search *search,
                  struct mode modes[MOST_MODES]);

/* ----------------------------------------------------------------------------------------------
 * The passes of one tour, as those need them who ask whether a pass was disturbed: what its gauge
 * read, and what the operating system's account says of it. */

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

struct overhead_passes overhead_passes_open(const struct overhead_case *file,
                                            const struct overhead_tour *tour);
void overhead_passes_close(struct overhead_passes *passes);
#define AUTO_PASSES __attribute__((cleanup(overhead_passes_close)))

/* Raw; the median of a warm pass, the least of a cold one, whose first gauge runs cold itself. NaN:
 * the tour has no gauge. */
double overhead_pass_gauge(const struct overhead_passes *passes, size_t process, uint32_t pass,
                           uint32_t meter);
/* The account saw the process lose its CPU, or fault, more than such passes do. Never of a cold
 * tour: there that is what is studied. */
bool overhead_pass_unsettled(const struct overhead_passes *passes, size_t process, uint32_t pass);

/* What is known of a machine's meter; NULL: nothing. */
const struct overhead_timer *overhead_timer_of(const struct overhead_report *report,
                                               uint32_t machine,
                                               const struct overhead_meter *meter);
const struct overhead_gauge *overhead_gauge_of(const struct overhead_report *report,
                                               uint32_t machine,
                                               const struct overhead_meter *meter);

/* ----------------------------------------------------------------------------------------------
 * The step in which a meter counts, seen in what it read. */

/* values: differences that the meter showed, sorted in place; scratch: room for as many. 0: too few
 * different ones to tell. A step need not be whole: one of 24.5 shows as 24 and 25 in turn. */
double find_resolution(int64_t *values, size_t count, int64_t *scratch);
