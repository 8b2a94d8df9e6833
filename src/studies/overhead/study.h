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
 *     load.c                  samples -> the case
 *     judge.h, judge.c        what the parts of the judge share: calls, cells, figures of
 * processes; all parts in order; pure judge-clock.c           ticks of an emulated clock as
 * instructions; what metering costs judge-rows.c            a row a cell judge-levels.c several
 * modes in one cell judge-cold.c            first calls, wild ones, the same call again and again
 *     judge-sweeps.c          cost by events and by calls in a row
 *     judge-machines.c        machines side by side, peers
 *     judge-advice.c          what saves something here
 *     findings.c, -kinds.c    W1 to W7
 *     words.c                 every sentence of the judge
 *     fields.c                what a result is, for programs
 *     show.c, show-sweeps.c, show-machines.c
 *                             the report for people
 *     figures.c, -sweeps.c    which rows make which picture
 *     summary.c               what reports, runs and comparisons say of it */
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
    double value; /* median of its undisturbed calls, each predecessor weighing the same */
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
