/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge says of overhead (docs/overhead.md). Pure: a case in, a report out. Every part
 * fills its own field.
 *
 * The folder:
 *
 *     study.h                 the case of overhead, and the report of the judge
 *     study.c                 options, what the machine has, the entry in the driver of studies
 *     parts.h                 what the files outside of the judge share: the plan, the command
 *     plan.c, plan-tours.c    the order of a tour's calls; the tours, the most important first
 *     load.c                  samples -> the case; what reports, runs and comparisons say of it
 *     judge.c                 calls, cells, figures of processes; all parts in order
 *     judge-clock.c           ticks of an emulated clock as instructions; what metering costs
 *     judge-rows.c            a row a cell; first calls, wild ones, the same call again and again
 *     judge-levels.c          several modes in one cell
 *     judge-sweeps.c          cost by events and by calls in a row
 *     judge-machines.c        machines side by side, peers
 *     findings.c, -kinds.c    W1 to W7
 *     words.c                 every sentence of the judge; what saves something here
 *     fields.c                what a result is, for programs
 *     show.c, show-parts.c    the report for people
 *     figures.c               which rows make which picture */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/findings.h"
#include "wire/cell.h"

/* What the judge says (words.c). */
/* clang-format off */
enum overhead_says {
    SAYS_SHARED_CORE, SAYS_BUSY_NEIGHBOUR, SAYS_INTERRUPTED, SAYS_ALL_ALIKE, SAYS_COUNTS_ALONE,
    SAYS_NO_GAUGE, SAYS_TICK_UNMETERED, SAYS_TICK_NOT_WHOLE, SAYS_TICK_ABSURD,
    SAYS_READ_ANOTHER_WAY, SAYS_READ_BY_CALL, SAYS_LET_THEM_RUN, SAYS_DO_NOT_SUBTRACT,
    SAYS_CALL_ONCE, SAYS_MAP_THE_PAGE, SAYS_PAGE_IS_MAPPED, SAYS_OPEN_A_GROUP,
    SAYS_SHORT_COMMANDS, SAYS_PAPI_REGION, SAYS_TAKE_THE_MEDIAN, SAYS_WHICH_MACHINE,
    SAYS_EMULATED, SAYS_UNTIMED, SAYS_BY_CLOCK, SAYS_NOTHING_MEASURED, SAYS_UNIT_UNMETERED,
    SAYS_CALL_ABSENT, SAYS_CALL_FAILED, SAYS_CALL_UNMEASURED, SAYS_FEW_PROCESSES,
    SAYS_MODES_DISAGREE, SAYS_HIDDEN, SAYS_PLAIN_REGION, SAYS_ONE_READ, SAYS_FIRST_REGION,
    SAYS_READS_ALONE, SAYS_NO_SWITCHES, SAYS_REGION_ALONE, SAYS_LAZY_ALONE, SAYS_NO_LAZY,
    SAYS_LAZY_FIRST, SAYS_OTHER_FIRST, SAYS_BOUND_FIRST, SAYS_LIBRARY_FAULTS, SAYS_SECOND_LAZY,
    SAYS_FIRST_START, SAYS_UNTOUCHED, SAYS_NOT_FOR_FAULTS, SAYS_NO_FAULT, SAYS_CHEAP_FAULT,
    SAYS_FAULT, SAYS_LATER_READ, SAYS_MAPPED, SAYS_IN_A_ROW, SAYS_RISES, SAYS_SAVES_NOTHING,
    SAYS_FALLS, SAYS_MAY_RISE, SAYS_NO_CACHES, SAYS_NO_TIMES, SAYS_USER_UNTESTED,
    SAYS_THREE_KINDS, SAYS_START_NOT_DEAREST, SAYS_STANDS_OUT_LEAST, SAYS_FIRST_FAULTS,
    SAYS_FIRST_OPEN, SAYS_VARIANTS, SAYS_TOO_CLOSE, SAYS_ONE_VARIANT, SAYS_PAPI_STOP,
    SAYS_NO_SWEEP, SAYS_NO_GROWTH, SAYS_LINEAR, SAYS_FASTER, SAYS_SLOWER, SAYS_MAYBE_LINEAR,
    SAYS_NOT_BOTH, SAYS_EACH_FURTHER
};
/* clang-format on */
extern const struct reason_words overhead_words[];
/* One more clause. */
#define TELL(reasons, says, ...)                                                                   \
    REASON(reasons, CLAUSE, &overhead_words[says] __VA_OPT__(, ) __VA_ARGS__)
/* What is joined to the clause before. */
#define TELL_ON(reasons, joint, says) REASON(reasons, joint, &overhead_words[says])

/* ----------------------------------------------------------------------------------------------
 * What is laid before the judge of overhead: tours, each a row of calls that processes made one
 * after the other, every call metered by itself. Nothing here knows a machine, a store or a tool,
 * so a test can plant any cost. */

/* Something that can be called, on one machine or several. */
struct overhead_operation {
    char *name;        /* "perf-read.start" */
    char *path, *kind; /* "perf-read", "start" */
    char *instrument;  /* "perf"; "timer" for what the tour calls of its own */
    char *page;        /* "cold", "touched", "populated"; "" */
    bool binds;        /* calls a library: its link mode is its variant */
    char *note;
};

/* What was read around every call. */
enum meter_unit {
    METER_TICKS,
    METER_NS,
    METER_INSTRUCTIONS,
    METER_CYCLES,
    METER_EVENTS,
    METER_UNITS
};
extern const char *const meter_unit_names[METER_UNITS]; /* "ticks" … */
struct overhead_meter {
    char *event; /* "clock/ticks/", "instructions:k" */
    char *mode;  /* "u", "k", "uk"; "" */
    enum meter_unit unit;
    double step; /* it counts so many at once, as far as it is known beforehand; 0: ones */
};

/* All processes of one cell. */
struct overhead_tour {
    uint32_t machine; /* index */
    char *link;
    char *counted; /* event of the instruments */
    uint32_t open; /* counters of each instrument */
    bool separate;
    bool cold;
    uint32_t meter_count;
    struct overhead_meter *meters;
    /* the calls of one pass */
    size_t length;
    uint32_t *calls; /* [length], index of the operation */
    uint32_t *times; /* [length] */
    /* processes, in the order of their visits; each made `passes` whole passes */
    size_t processes;
    uint32_t *passes;         /* [process] */
    size_t *begins;           /* [processes + 1]: where the calls of a process begin in values */
    int64_t *values;          /* [call * meter_count + meter]; raw, with what metering costs */
    struct account *accounts; /* of the calls of a cold tour; of a warm one the first call of a pass
                                 holds the pass's; [call] */
    uint32_t failed;
    int error;
    char *reason; /* NULL: none failed */
};

struct overhead_machine {
    char *name;        /* "AMD EPYC (x86_64)" */
    char *cpu, *os;    /* model; release of the operating system's kernel */
    char *fingerprint; /* machines with the same one are one machine */
    char *kit;
    bool emulated; /* its times mean nothing; its counts do */
    /* Instructions that pass in one tick of its emulated clock (judge-clock.c); 0: ticks are no
     * instructions here, for this reason (none: nobody asked). */
    double tick;
    struct reasons tick_why;
};

/* An operation that cannot be called here, or a meter that cannot be had. */
struct overhead_absence {
    char *what, *reason;
    int error;
};

struct overhead_case {
    struct overhead_machine *machines;
    size_t machine_count;
    struct overhead_operation *operations;
    size_t operation_count;
    struct overhead_tour *tours;
    size_t tour_count;
    struct overhead_absence *absences;
    size_t absence_count;
};

/* Index of the operation by name, or -1. */
int overhead_operation_index(const struct overhead_case *file, const char *name);

/* ----------------------------------------------------------------------------------------------
 * What the judge says of overhead (docs/overhead.md). Pure: a case in, a report out. Every part
 * fills its own field. What members mean that programs get is said in fields.c. */

/* --- what metering costs (judge-clock.c): of each machine and meter, from calls of nothing --- */
struct overhead_timer {
    uint32_t machine; /* first, as in OVERHEAD_CALLED */
    const struct overhead_meter *meter;
    bool known;        /* nothing was called, so there is something to subtract */
    double cost;       /* subtracted from every span */
    double low, high;  /* of the middle 95 % of processes */
    double resolution; /* the step in which the meter counts; 0: not seen */
    size_t processes, runs;
};

/* --- is the core ours? (judge-clock.c): by work of the tour's own, pass by pass --- */
struct overhead_gauge {
    uint32_t machine; /* first, as in OVERHEAD_CALLED */
    const struct overhead_meter *meter;
    bool known;
    double usual, limit; /* NaN: not known */
    double share;
    size_t passes;
    struct reasons why;
};

/* Two levels in one cell are reported as levels, never averaged (judge-levels.c). */
struct overhead_level {
    double median, q1, q3;
    double share;     /* of the runs */
    size_t processes; /* most of whose runs are on it */
};
#define OVERHEAD_MOST_LEVELS 4
enum level_kind {
    LEVELS_ONE,
    LEVELS_BY_PROCESS,     /* a process stays on one of them */
    LEVELS_BY_CALL,        /* calls of one process are on several */
    LEVELS_BY_PREDECESSOR, /* … and what was called before them decides on which; summaries alone */
};

/* What rows, sweeps, first calls, machines and peers are of; each begins with it, so that one
 * function tells who is of the same. variant: link mode where the call goes to a library, "inline"
 * where it does not, the state of the page for user reads. */
#define OVERHEAD_CALLED                                                                            \
    uint32_t machine, operation; /* indices */                                                     \
    const struct overhead_meter *meter;                                                            \
    const char *variant
struct overhead_called {
    OVERHEAD_CALLED;
};
/* Of one machine and meter? */
bool overhead_same_group(const void *called, const void *other);
/* … and of the same call in the same variant? */
bool overhead_same_call(const void *called, const void *other);

/* --- one cell (judge-rows.c): runs with the same factors --- */
enum temperature { TEMPERATURE_WARM, TEMPERATURE_COLD, TEMPERATURES };
extern const char *const temperature_names[TEMPERATURES];
struct overhead_row {
    OVERHEAD_CALLED;
    int32_t predecessor; /* index of the operation; -1: nothing of the tour */
    uint32_t predecessor_times;
    const char *link, *counted;
    uint32_t events;
    bool separate;
    uint32_t reads;
    enum temperature temperature;
    uint32_t position;     /* warm: 0 */
    bool all_predecessors; /* its median is the median of the values with weights */
    size_t processes, runs, disturbed;
    double disturbed_median;                         /* NaN: none */
    double min, q1, median, q3, p99, max, low, high; /* NaN: no undisturbed runs; low, high:
                                                        infinite of one process alone */
    enum level_kind levels_kind;
    struct overhead_level levels[OVERHEAD_MOST_LEVELS];
    size_t level_count; /* 1: no more than one; 0: no undisturbed runs */
    size_t outliers, outliers_faulted, outliers_switched, faults; /* faults: cold only */
};

/* --- what one process showed (judge-rows.c): the replicates of all parts below --- */
struct overhead_figure {
    uint32_t machine, tour, process; /* process: within the tour */
    uint32_t operation, times;
    uint32_t position; /* cold: the how many-th call of this cell in its process, from 1; warm: 0 */
    int32_t predecessor;                /* cold: of that call; warm: -1 */
    const struct overhead_meter *meter; /* of the tour, or one of the report's totals */
    const char *variant;                /* as a row's */
    double value; /* median of its undisturbed calls, each predecessor weighing the same; warm:
                     without the very first, which has none */
    size_t runs;
    const struct account *account; /* cold: of that call; warm: NULL */
};

/* --- cost by number of events, and of reads in a row (judge-sweeps.c) --- */
#define OVERHEAD_MOST_POINTS 32
struct overhead_slope {
    OVERHEAD_CALLED;
    const char *link, *counted;
    bool separate, by_reads; /* by_reads: else by events */
    uint32_t fixed;          /* by reads: counters of the instrument; by events: calls in a span */
    size_t points, processes;
    struct overhead_point {
        uint32_t count;
        double median;
    } measured[OVERHEAD_MOST_POINTS];
    double base, slope, low, high; /* base + slope · count */
    bool exact, paired;
    double exponent, exponent_low, exponent_high; /* of cost − cost(least) by count − least */
    double one, most;
    uint32_t most_count;
    double miss;
    bool straight, first_apart; /* one event may be read another way than a group */
    double step, rest_slope, rest_low, rest_high; /* NaN where the least count is not apart */
};

/* --- first calls (judge-cold.c) --- */
struct overhead_cold {
    OVERHEAD_CALLED;
    const char *link, *counted;
    uint32_t events;
    size_t processes;
    int32_t predecessor; /* of the first call, index of the operation; -1: nothing */
    bool opening;
    double first, second, warm, extra, low, high, ratio, ratio_low, ratio_high; /* NaN: none */
    double faulted, faults, outliers, outliers_explained;
    size_t runs, outlier_count;
    /* The same call again and again in a fresh process, nothing between: */
    size_t row_processes;
    uint32_t row_length; /* 0: never more than OVERHEAD_ROW_SHORTEST - 1 times */
    double row[OVERHEAD_MOST_POINTS];
    double later, later_ratio, later_low, later_high, settled_ratio, settled_low, settled_high;
    bool declines, goes_on;
};
#define OVERHEAD_ROW_SHORTEST 4

/* --- machines side by side (judge-machines.c): the paper's Figure 1 --- */
struct overhead_machine_row {
    OVERHEAD_CALLED; /* meter: its total where :u and :k were metered */
    const char *path, *kind;
    bool total; /* user and kernel together */
    /* Where the clock of an emulated machine counted as well, and meters in both modes: */
    bool hidden; /* the counters missed part of it while the operating system halted them; of kernel
                    code the median is the clock's less that of user code, and they saw: */
    double seen; /* NaN: all of it */
    size_t processes;
    double median, low, high; /* over processes, 95 % */
    uint32_t reference;       /* the first machine, by version of its kernel, that has this row */
    double ratio, ratio_low, ratio_high; /* to the reference */
    bool has_ratio, differs;             /* beyond what processes differ by; for times also by more
                                            than a tenth, as runs of one machine may */
};

/* --- peers (judge-machines.c): what others cost in units of the bare calls --- */
struct overhead_peer {
    OVERHEAD_CALLED; /* operation: the first */
    const char *path;
    const char *what;                    /* "start + stop + read", "read, read", "whole command" */
    double cost, bare, ratio, low, high; /* paired within processes where both were in one */
    bool paired;
    size_t processes; /* of the peer */
    const char *bare_path;
};

struct overhead_advice {
    uint32_t machine; /* first, as in OVERHEAD_CALLED */
    struct reasons text;
};

#define OVERHEAD_FINDINGS 7
struct overhead_report {
    size_t calls; /* metered, all machines */
    size_t processes;
    struct overhead_timer *timers;
    size_t timer_count;
    struct overhead_gauge *gauges;
    size_t gauge_count;
    struct overhead_row *rows; /* by machine, meter, path, kind, … predecessor */
    size_t row_count;
    struct overhead_figure *figures; /* by tour, process, operation, meter, position */
    size_t figure_count;
    struct overhead_meter *totals; /* user and kernel together, mode "uk": where one tour metered an
                                      event in both modes, the sum of the two of every call */
    size_t total_count;
    struct overhead_slope *slopes;
    size_t slope_count;
    struct overhead_cold *cold;
    size_t cold_count;
    struct overhead_machine_row *machines;
    size_t machine_row_count;
    struct overhead_peer *peers;
    size_t peer_count;
    struct overhead_advice *advice;
    size_t advice_count;
    struct finding findings[OVERHEAD_FINDINGS];
};

/* All parts in order. */
void overhead_judge(const struct overhead_case *file, struct overhead_report *report);

/* The parts; each uses what those before it filled. */
typedef void overhead_judge_part(const struct overhead_case *file, struct overhead_report *report);
overhead_judge_part overhead_judge_timers, overhead_judge_gauges, overhead_judge_rows,
    overhead_judge_figures, overhead_judge_sweeps, overhead_judge_cold, overhead_judge_machines,
    overhead_judge_peers, overhead_judge_advice, overhead_judge_findings;

/* --- what the parts share (judge.c) --- */

/* Every call of the case once, with its factors: what it was, what was before it, whether its pass
 * was disturbed, what it cost after metering was subtracted. */
struct overhead_span {
    uint32_t tour, machine, operation;
    int32_t predecessor;
    uint32_t predecessor_times, times;
    uint32_t process; /* within the tour */
    uint32_t pass,
        position;   /* position: how many-th call of the operation in its process, from 1 */
    uint32_t call;  /* index in the calls of a pass */
    uint32_t meter; /* index in the tour's meters */
    bool disturbed;
    int64_t raw; /* as metered */
    double cost;
    const struct account *account; /* of a cold tour; NULL: none of its own */
};
typedef void overhead_span_each(void *context, const struct overhead_span *span);
void overhead_each_span(const struct overhead_case *file, const struct overhead_report *report,
                        overhead_span_each *each, void *context);

/* ----------------------------------------------------------------------------------------------
 * The clock of an emulated machine, before the judge begins: where its time passes with the
 * instructions it executes, spans in ticks are instructions in steps. */

#define OVERHEAD_CLOCK "clock/ticks/"

/* Finds for every emulated machine how many instructions a tick is, from the gauge that was metered
 * both ways, and turns spans in ticks into instructions of user and kernel code together: unit
 * instructions, mode "uk", in steps of a tick. Where that is no whole number, or cannot be told,
 * ticks stay ticks and the machine says why. Once; again it changes nothing. */
void overhead_read_clocks(struct overhead_case *file);

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

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told overhead_told;

/* ----------------------------------------------------------------------------------------------
 * What the files of the judge share. */

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
