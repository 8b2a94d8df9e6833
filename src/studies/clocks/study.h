/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge says of clocks (docs/clocks.md). Pure: a case in, a report out. Every part fills
 * its own field; all are indexed by the clocks of the case.
 *
 * The folder:
 *
 *     study.h               the case of clocks, and the report of the judge
 *     study.c               options, clocks that a person brings, its entry in the driver
 *     parts.h               what the files outside of the judge share
 *     plan.c                which watches, their value and cost
 *     measure.c             the store: watches, looks from outside; samples -> the case
 *     judge.c               what the parts of the judge share; all parts in order; pure
 *     judge-steps.c         steps, resolution, cost, going back
 *     judge-intervals.c     every clock over the same intervals
 *     judge-pairs.c         CPUs against each other
 *     judge-rate.c          rates, the reference, clocks that are copies of one another
 *     judge-trust.c         the verdict, the fault behind it, and why
 *     findings.c            which clock for what; K1 to K4
 *     show.c, show-table.c  the report for people
 *     words.c               every sentence of the judge
 *     fields.c              what it says, key by key
 *     figures.c             which rows make which picture
 *     summary.c             what reports, runs and comparisons say of it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/findings.h"
#include "stats/interval.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * What the judge can say (words.c). */

/* clang-format off */
enum clocks_saying {
    /* what is wrong with a clock */
    CLOCKS_MADE_BY_PROGRAM, CLOCKS_RUNS_FAST, CLOCKS_RUNS_SLOW, CLOCKS_RUNS_TIMES,
    CLOCKS_RUNS_BY_WORK, CLOCKS_STEPS_BACK, CLOCKS_LACKS_TIME, CLOCKS_CPUS_DISAGREE,
    CLOCKS_MOVED_WRONG, CLOCKS_STOPS, CLOCKS_WRAPS, CLOCKS_LACKS_PERIODS, CLOCKS_COARSE,
    CLOCKS_COUNTS_OTHERS, CLOCKS_VARIES, CLOCKS_SCATTERED, CLOCKS_AT_WORST, CLOCKS_MADE_ELSEWHERE,
    CLOCKS_MAYBE_ALIKE, CLOCKS_WITNESSES_DIFFER,
    /* what agrees with a wrong clock */
    CLOCKS_DIFFERS, CLOCKS_AGREES, CLOCKS_OF_WRONG_COUNTER, CLOCKS_RATE_TAKEN, CLOCKS_NOT_PARTED,
    /* what is right with it */
    CLOCKS_CLAIMS_ONLY, CLOCKS_COUNTS_ONLY, CLOCKS_COUNTS_ASLEEP, CLOCKS_ALL_DISTURBED,
    CLOCKS_DISTURBED, CLOCKS_USELESS_ACROSS, CLOCKS_RIGHT, CLOCKS_RIGHT_BY_REFERENCE, CLOCKS_TOO_FEW_KINDS,
    CLOCKS_NOT_COMPARED, CLOCKS_NOTHING_ELSE,
    /* the reference */
    CLOCKS_NO_REFERENCE, CLOCKS_OTHER_COUNTER, CLOCKS_SAME_SOURCE, CLOCKS_RATES_BESIDE,
    CLOCKS_COULD_TELL, CLOCKS_FIRST_REFUTED,
    /* idle states */
    CLOCKS_IDLE_MATTERS, CLOCKS_IDLE_CHANGES_NONE, CLOCKS_IDLE_LATER, CLOCKS_AWAKE_LATER,
    CLOCKS_AWAKE_ALIKE, CLOCKS_IDLE_UNTOLD,
    /* advice */
    CLOCKS_SHORT_REGIONS, CLOCKS_IN_ORDER, CLOCKS_WITHOUT_RATE, CLOCKS_LONG_INTERVALS,
    CLOCKS_NEVER_FARTHER, CLOCKS_RATE_AGAINST, CLOCKS_ACROSS_CPUS, CLOCKS_FOR_CPU_TIME,
    CLOCKS_FALSIFIED, CLOCKS_WRONG_TOGETHER, CLOCKS_NONE_TRUSTED, CLOCKS_NONE_CONFIRMED, CLOCKS_NONE_FALSIFIABLE, CLOCKS_HOST_TOOK,
    CLOCKS_SLEEPS_LATE,
    /* findings */
    CLOCKS_EMULATED, CLOCKS_NO_COUNTER, CLOCKS_MACHINE_SAYS, CLOCKS_SHOWS, CLOCKS_SOME_OFF,
    CLOCKS_RATE_UNCLAIMED, CLOCKS_PROVES_NOTHING, CLOCKS_SAME_COUNTER, CLOCKS_CLOCK_ELSEWHERE, CLOCKS_FROM_OUTSIDE, CLOCKS_WHO_DID_IT,
    CLOCKS_NOT_TIMED, CLOCKS_LITTLE_SLEEP, CLOCKS_SPREAD, CLOCKS_LOW_BUT_EVEN, CLOCKS_TIMER_ALIKE,
    CLOCKS_NO_READINGS, CLOCKS_BELOW, CLOCKS_NONE_BELOW, CLOCKS_NOT_RARE, CLOCKS_WRAP_IS_NO_STEP,
    CLOCKS_TRIPS_BACK, CLOCKS_TRIPS_AGREE, CLOCKS_ONE_CPU, CLOCKS_NO_TRIPS, CLOCKS_NO_CHANGES,
    CLOCKS_TRIPS_DECIDE,
    CLOCKS_SAYINGS
};
/* clang-format on */
extern const struct reason_words clocks_words[CLOCKS_SAYINGS];
/* BECAUSE(&verdict->why, CLAUSE, CLOCKS_COARSE, step_ns) */
#define BECAUSE(reasons, joint, code, ...)                                                         \
    REASON(reasons, joint, &clocks_words[code] __VA_OPT__(, ) __VA_ARGS__)

/* ----------------------------------------------------------------------------------------------
 * What is laid before the judge of clocks: clocks with what is claimed of them, and watches, which
 * are readings of them in the order in which they were taken. Nothing here knows a machine, a
 * store or a tool, so a test can plant any clock. */

enum clock_role {
    ROLE_WALL,     /* claims to go on whatever the CPU does */
    ROLE_CPU_TIME, /* claims to go on while its thread or process runs */
    ROLE_CYCLES,   /* claims to count what the CPU does */
    ROLE_PLACE,    /* no clock: the CPU's number */
    ROLE_STOLEN,   /* no candidate: ns that the host took */
    CLOCK_ROLES
};
extern const char
    *const clock_role_names[CLOCK_ROLES]; /* "wall" "cpu-time" … as in the catalogue */

struct clock_known {
    char *name; /* "tsc", "monotonic-raw", "outside"; of a user's clock the NAME alone */
    enum clock_role role;
    char *way;      /* "instruction", "vdso", "syscall", "read", "device", "object", "ask", "run",
                       "controller" */
    char *hardware; /* "tsc", "rtc", "outside", "external" …: one word, one counter (or maybe) */
    char *claim;    /* who says how fast it runs; "" */
    char *note;
    uint64_t hz;          /* ticks a second as claimed; 0: nobody claims any */
    double resolution_ns; /* as the operating system claims; 0: it does not */
    bool steered;         /* the operating system adjusts its rate */
    bool external;        /* a user's */
};

/* All processes of one cell. A look is a run; a group the looks that belong together (watch.h). */
struct clock_watch {
    enum watch_kind kind;
    char *workload;  /* "" for other kinds than interval */
    uint64_t length; /* as in the cell */
    uint32_t threads, moves;
    bool handover, awake;
    int32_t cpu, partner;
    uint32_t columns;
    uint32_t *clocks; /* [columns]: index of the clock */
    size_t processes; /* that ended well, in the order of their visits */
    size_t *begins;   /* [processes + 1]: where the looks of a process begin; whole groups only */
    uint64_t *values; /* [look * columns + column] */
    struct account *accounts; /* [look]; of an interval the first look of its last side holds what
                                 its thread's account saw since the first look of all */
    uint32_t failed;
    int error;
    char *reason; /* NULL: none failed */
};

/* A clock or a kind of watch that cannot be had here. */
struct clock_absence {
    char *what, *reason;
    int error;
};

struct clocks_case {
    bool emulated;      /* its time is made by a program */
    char *clocksource;  /* the operating system's; "" */
    char *available;    /* others that it could use, with spaces; "" */
    char *flags;        /* of the CPU that concern its counter: "constant_tsc nonstop_tsc"; "" */
    double steered_ppm; /* by which the operating system says it steers; NaN: it does not say */
    uint32_t cpus;      /* that may be used */
    struct clock_known *clocks;
    size_t clock_count;
    struct clock_watch *watches;
    size_t watch_count;
    struct clock_absence *absences;
    size_t absence_count;
};

struct clocks_report;
/* Index of the clock by name, or -1. */
int clocks_index(const struct clocks_case *file, const char *name);
/* Is it judged, rather than a place or stolen time? */
bool clock_is_candidate(const struct clock_known *clock);
/* Is it the CPU's own counter, in whatever form; and the first that is, or -1. */
bool clock_is_counter(const struct clock_known *clock);
int clocks_counter(const struct clocks_case *file);
/* Is anything known of it, but its name? */
bool clock_was_measured(const struct clocks_report *report, uint32_t clock);
/* The column of that clock in the watch, or the first of such a role; -1: none. */
int watch_column(const struct clock_watch *watch, uint32_t clock);
int watch_role_column(const struct clocks_case *file, const struct clock_watch *watch,
                      enum clock_role role);

/* --- how fast a clock runs, to compare it with others (judge.c) --- */
struct clock_scale {
    bool known;
    double ns_per_tick;
    bool claimed;      /* by hz; else calibrated: by the median rate against the reference during
                          computation, or during whatever was watched where nothing was computed */
    double step_ticks; /* of a clock that stands still over most looks: its smallest step; else 1 */
};

/* --- what the clocks are compared with (judge.c) --- */
struct clocks_reference {
    int32_t clock;   /* around every interval; -1: there is none. A clock that is independent of the
                        CPU's counter where one can be read quickly (ptp, hpet, or the operating
                        system's where its clocksource is another counter), else monotonic-raw */
    int32_t outside; /* index of the clock "outside", where the controller is another machine; -1 */
    int32_t rtc;     /* index of a clock with edges; -1 */
    struct reasons why; /* which and why, and what could falsify it where nothing here can */
};
/* Are the two made of different counters, as far as can be known? Families: kvm-clock, xen, hyperv
 * and tsc are all the TSC. "external" is of unknown make, so not independent. */
bool clocks_independent(const struct clocks_case *file, uint32_t one, uint32_t other);

/* Are the two known to be made of one counter? Not the contrary: of many nobody knows. */
bool clocks_one_family(const struct clocks_case *file, uint32_t one, uint32_t other);

/* --- one clock over one kind of interval (judge-intervals.c) --- */
struct clock_row {
    uint32_t clock;
    uint32_t reference; /* index of the clock */
    bool independent;
    const char *workload;
    uint32_t threads, moves;
    bool handover, awake;
    uint64_t requested_us;
    size_t runs; /* intervals of all threads and processes */
    /* clock / reference, by sandwiched readings */
    double ratio_median, ratio_min, ratio_max;
    double naive_median, naive_min, naive_max; /* by the paper's order */
    double max_error_ns;                       /* the largest |clock − reference| */
    double bound_ns;  /* how far the readings around that one can be apart: half widths */
    double beyond_ns; /* the largest |clock − reference| − its own bound; ≤ 0: none is */
    double scatter;   /* (q3 − q1) / median of the clock's durations divided by the reference's */
    size_t preempted; /* runs with involuntary switches */
    double median_ns; /* of the reference */
};

/* --- cost and granularity (judge-steps.c) --- */
struct clock_cost {
    bool known;
    double ticks, low, high; /* of one reading: median over processes of the medians of
                                their blocks, 95 %; NaN: no tick can be read */
    double ns;
    size_t blocks;
};
struct clock_granularity {
    bool known;
    double step_ticks;    /* the smallest step that was seen */
    double usual_ticks;   /* the median step; longer than one where whoever looked had to wait */
    double quantum_ticks; /* of which all steps are multiples, up to rounding: the smallest step of
                             a quick clock is how long readings take */
    double resolution_ns; /* how well it tells time: the quantum, or the usual step of a coarse
                             clock whose steps differ */
    size_t steps;
    bool regular; /* all distances are multiples of its smallest step, or of a small part of it */
    bool coarse;  /* it stands still over several readings */
};

/* --- going back (judge-steps.c) --- */
struct clock_monotonic {
    bool known;
    uint64_t readings;  /* in one thread */
    uint64_t backward;  /* below the one before; wraps are not among them */
    double worst_ticks; /* by so much */
    uint64_t wraps;     /* times that it began anew, seen in one thread */
    bool wrapped;       /* it did: */
    double wrap_ticks;  /* where, a power of two; 0 */
    /* across CPUs */
    bool cross_known;
    size_t pairs, trips;
    size_t cross_backward;
    double cross_worst_ticks;
};

/* --- CPUs against each other (judge-pairs.c) --- */
struct clock_pair {
    uint32_t clock;
    int32_t cpu, partner;
    size_t trips, backward;
    double low, high; /* partner − cpu, ticks: every offset that no trip contradicts; low > high:
                         none, so it is not constant */
    double offset, bound; /* middle and half of that */
    bool constant;        /* one offset agrees with every trip */
    size_t processes;
    size_t torn; /* processes whose own trips contradict each other: it changed within them. With
                    low > high and none of these it changed from visit to visit */
};
struct clock_offsets { /* of all pairs of a clock */
    bool known;
    size_t pairs;
    double worst; /* the offset whose nearest limit is farthest from 0, ticks; 0 where all allow 0;
                     where it is not constant the farther limit */
    double largest_bound; /* the largest that no trip contradicts: more does not stay unseen */
    double offset, bound; /* of the pair with the largest |offset| */
    int32_t cpu, partner; /* that pair */
};

/* --- rate and identity (judge-rate.c) --- */
struct clock_rate {
    uint32_t against; /* index of the clock */
    bool known;
    bool independent;
    double ppm, low, high; /* beyond what it claims, 95 % with the bounds of its readings */
    bool tells;            /* it differs from its claim for sure, or hardly can: else ppm says no
                              more than its interval */
    bool against_claim;    /* false: it claims no rate, ppm is against its own calibration */
    double span_s;
    /* what the bounds of readings leave of the mean rate over the whole span, however it varied;
     * within low … high, which also holds how much stretches of the span differ */
    double sure_low, sure_high;
    /* the span in stretches, each with a rate of its own */
    size_t stretches;
    double usual_ppm, slowest_ppm, fastest_ppm; /* the median stretch and the extremes */
    size_t wrong_slow, wrong_fast; /* stretches that are beyond CLOCKS_RATE_PPM for sure */
};
#define CLOCK_MOST_RATES 4
struct clock_same {
    bool known;    /* it was compared */
    uint32_t with; /* index of the clock of which it is a copy in other clothes */
    bool same;
    double parted_ns; /* over the whole time the two never left a straight line by more */
    double bound_ns;  /* and no more than this could have been seen */
    double span_s;
    double ppb; /* two oscillators would have had to agree to this: by the bound, or by what they
                   parted where they are said to be one counter */
};

/* --- what the machine did meanwhile (judge-intervals.c) --- */
struct clocks_disturbances {
    double stolen_ns; /* by the host, over watched_ns */
    double watched_ns;
    size_t stolen_intervals;
    double suspended_ns; /* boottime − monotonic grew by so much */
    size_t suspended_intervals;
    size_t preempted; /* intervals with involuntary switches */
    size_t intervals;
    /* sleeps: how much later than asked */
    double overslept_median_ns, overslept_max_ns;
    /* the same with CPUs held awake; NaN: not measured */
    double awake_median_ns, awake_max_ns;
    struct reasons idle; /* do idle states matter to a clock? */
};

/* --- the verdict (judge-trust.c) --- */
enum clock_trust {
    TRUST_DEPENDABLE,
    TRUST_CPU_TIME_ONLY,
    TRUST_NOT_DEPENDABLE,
    TRUST_NOT_FALSIFIABLE, /* here */
    CLOCK_TRUSTS
};
extern const char
    *const clock_trust_names[CLOCK_TRUSTS]; /* "dependable" "cpu-time only"
                                               "not dependable" "not falsifiable here" */
enum clock_fault {
    FAULT_NONE,
    FAULT_WRONG_RATE,         /* runs at another rate than it claims */
    FAULT_STOPS_DURING_SLEEP, /* right over computation, behind over sleep */
    FAULT_JUMPS_BETWEEN_CPUS, /* CPUs disagree, or intervals with moves do */
    FAULT_STEPS_BACKWARDS,
    FAULT_WRAPS,
    FAULT_COARSE_STEPS,
    FAULT_COUNTS_OTHER_THREADS,  /* or only its own: not time of one thread's intervals */
    FAULT_VARIES_WITH_FREQUENCY, /* counts cycles, whose rate is not constant */
    FAULT_SCATTERS,              /* wrong, and none of the above explains it */
    CLOCK_FAULTS
};
extern const char *const clock_fault_names[CLOCK_FAULTS]; /* "none" "wrong-rate" … */
/* How a clock is tied to one that was falsified. */
enum clock_tie {
    TIE_NONE,
    TIE_AGREES,  /* it keeps to it: wrong as well */
    TIE_COUNTER, /* made of the same counter, and compared with nothing: wrong as well */
    TIE_TAKEN,   /* claims no rate, and the one it is held to is that clock's: wrong as well */
    TIE_UNTOLD,  /* agrees as far as its readings tell, which is too little to say more */
};
struct clock_verdict {
    enum clock_trust trust;
    enum clock_fault fault;             /* the one that explains most */
    uint32_t faults;                    /* bits of all that were found: 1u << fault */
    int32_t worst_row;                  /* index of the row with the worst ratio; -1 */
    double worst_ratio;                 /* NaN */
    double shortest_us;                 /* intervals that it tells to 1 %; NaN: none */
    const struct clock_rate *falsified; /* by a clock of another make; NULL: it was not */
    enum clock_tie tie;
    uint32_t tied;      /* to this clock */
    double tied_ppm;    /* by which the two may differ; NaN: not known */
    struct reasons why; /* what decided */
};

enum clocks_purpose {
    PURPOSE_SHORT,    /* short regions */
    PURPOSE_LONG,     /* long intervals */
    PURPOSE_ACROSS,   /* across CPUs and threads */
    PURPOSE_CPU_TIME, /* CPU time */
    PURPOSE_ELSE,     /* none: what could be known, what the machine does */
};
struct clocks_advice {
    enum clocks_purpose purpose;
    int32_t clock; /* that is fit for it; -1: it is about none */
    struct reasons text;
};

/* A point of the paper's Figure 1. */
struct clock_point {
    uint32_t clock;
    double requested_ms;
    double measured_ms; /* by the clock, at its claimed or calibrated rate */
    double reference_ms;
};

#define CLOCKS_FINDINGS 4
struct clocks_report {
    size_t looks, intervals; /* of all watches */
    struct clocks_reference reference;
    struct clock_scale *scales;                   /* [clock] */
    struct clock_cost *costs;                     /* [clock] */
    struct clock_granularity *granularities;      /* [clock] */
    struct clock_monotonic *monotonic;            /* [clock] */
    struct clock_offsets *offsets;                /* [clock] */
    struct clock_rate (*rates)[CLOCK_MOST_RATES]; /* [clock][]: against the reference, outside, the
                                             rtc, monotonic-raw, as far as known */
    struct clock_same *same;                      /* [clock] */
    struct clock_verdict *verdicts;               /* [clock] */
    struct clock_row *rows; /* by clock, workload, threads, moves, handover, awake, requested */
    size_t row_count;
    struct clock_pair *pairs; /* by clock, cpu, partner */
    size_t pair_count;
    struct clock_point *points; /* sleeps, one thread, no moves: by clock, in order of time */
    size_t point_count;
    struct clocks_disturbances disturbances;
    struct clocks_advice *advice;
    size_t advice_count;
    struct finding findings[CLOCKS_FINDINGS];
};

/* All parts in order. */
void clocks_judge(const struct clocks_case *file, uint64_t seed, struct clocks_report *report);

/* The parts, in this order, after the reference and the scales (judge.c); each reads what those
 * before it filled. */
typedef void clocks_judge_part(const struct clocks_case *file, struct clocks_report *report);
clocks_judge_part clocks_judge_intervals, clocks_judge_costs, clocks_judge_granularity,
    clocks_judge_monotonicity, clocks_judge_pairs, clocks_judge_rates, clocks_find_same,
    clocks_judge_disturbances, clocks_judge_trust, clocks_advise;
void clocks_judge_findings(const struct clocks_case *file, uint64_t seed,
                           struct clocks_report *report);

/* ----------------------------------------------------------------------------------------------
 * From where on the judge of clocks says that something is wrong. All of it is ours, and
 * docs/clocks.md repeats it. */

/* An interval is wrong when it is off by more than its bound and this share of its length. */
#define CLOCKS_INTERVAL_PPM 500.0
/* A rate is wrong beyond this, on either side of the claim. */
#define CLOCKS_RATE_PPM 100.0
/* What the operating system may add to a clock that it steers. */
#define CLOCKS_MOST_STEERING_PPM 500.0
/* A clock is coarse when it does not tell this long an interval to 1 %. */
#define CLOCKS_COARSE_NS (20e6 * 0.01)
/* CPUs disagree from here on. Smaller ones can come from readings that a CPU takes early. */
#define CLOCKS_OFFSET_NS 250.0
/* A clock that shows less than this part of a sleep stops during it. */
#define CLOCKS_STOPPED_RATIO 0.98
/* A machine was suspended where the clock that counts suspension gained so much on one that does
 * not. */
#define CLOCKS_SUSPENDED_NS 1e6
/* When more of all readings than this went back, the clock scatters rather than steps. */
#define CLOCKS_SCATTERED_SHARE 0.1
/* CPU time and cycles are right over computation within this part. */
#define CLOCKS_CPU_TIME_SHARE 0.01
/* Two clocks are one counter only where two oscillators would have had to agree to this, ppb. */
#define CLOCKS_SAME_PPB 100.0

/* ----------------------------------------------------------------------------------------------
 * What the parts of the judge share: how far a clock may be behind for its steps, and whether the
 * machine was suspended. */

/* The steps of a clock that stands still over several readings, in ticks, by its looks; 1 for all
 * others. */
double clock_step_find(const struct clocks_case *file, uint32_t clock);
/* How fast it runs against another one, wherever the two were read together. */
struct clock_rate clocks_rate_between(const struct clocks_case *file,
                                      const struct clocks_report *report, uint32_t clock,
                                      uint32_t against);
/* By how much it may be behind, ns: that, never below a tick; or the usual step that watches of
 * steps showed, which is longer where the operating system had to wait for a CPU itself. */
double clock_step_ns(const struct clocks_report *report, uint32_t clock);
/* Was the machine suspended during this interval of the watch? Told by the clocks boottime and
 * monotonic; false where they are not among its columns. */
bool interval_suspended(const struct clocks_case *file, const struct clock_watch *watch,
                        size_t index);

/* Where the clock around the intervals is falsified from outside: one there that is right; else -1.
 */
int32_t clocks_better_reference(const struct clocks_case *file, const struct clocks_report *report);

/* Intervals to leave out, [interval of all watches, in order]: the machine was suspended, or the
 * reference itself was off, as all clocks of its own counter say. Of these `faults` are. */
bool *reference_faults_find(const struct clocks_case *file, const struct clocks_report *report,
                            size_t *faults);

/* ----------------------------------------------------------------------------------------------
 * One interval of a watch as every part of the judge sees it: what a clock showed at its two ends,
 * by the narrower pair of looks that follow each other in opposite orders. */

struct interval_reading {
    double elapsed; /* ticks */
    double naive;   /* by the first look of either side */
    double bound;   /* ticks: half of both widths */
};
/* Intervals of the watch, over all processes and threads. */
size_t watch_intervals(const struct clock_watch *watch);
/* Interval `index` of it, in the order of processes, intervals and threads, with the same pairs of
 * looks for every column, so that many can be compared at one moment. Differences are taken
 * modulo 2^64 and signed, so a clock that goes back gives a negative elapsed. */
struct interval_reading watch_interval(const struct clock_watch *watch, size_t index,
                                       uint32_t column);
/* The first look of that interval. */
size_t watch_interval_look(const struct clock_watch *watch, size_t index);
/* Two clocks of that interval against each other: by the pairs that are narrower for these two, so
 * the bounds are as small as they can be. */
void watch_interval_of_two(const struct clock_watch *watch, size_t index, uint32_t one,
                           uint32_t other, struct interval_reading readings[2]);
/* The earlier look of the pair that it uses for the begin or for the end: this one and the next
 * enclose one moment between two readings of either clock. */
size_t watch_interval_pair(const struct clock_watch *watch, size_t index, bool end, uint32_t one,
                           uint32_t other);

/* ----------------------------------------------------------------------------------------------
 * Values of several processes, and their median: every process gives one, the median of its own,
 * so that a process on a busy core is one of several and not half of all readings. */

struct replicate_list {
    double *values;
    size_t *processes; /* [value]: any number, alike for values of one process */
    size_t count;
};

/* A value that is NaN is left out. Values of a process follow each other. */
void replicate_add(struct replicate_list *list, size_t process, double value);
/* Median over processes with its 95 % interval, which has no end where there is but one process;
 * NaN of nothing. Sorts within the list. */
struct overhead_median replicate_median(struct replicate_list *list);

/* ----------------------------------------------------------------------------------------------
 * Readings of one clock that one thread took one after the other on one CPU, whatever they were
 * taken for: between two that follow each other a clock may only go on. */

/* One stretch: two readings, or a block of them. */
struct stretch {
    uint64_t readings; /* that were held against the one before */
    uint64_t backward; /* of these below it */
    double worst;      /* by so many ticks; 0 */
    double way;        /* ticks from the first to the last, signed */
    double expected;   /* ticks that it should have gone, by the clock beside it; NaN: unknown */
    double slack;      /* ticks by which that may be off, as the two were not read at one moment */
    bool interrupted;  /* by others that wanted the CPU, so that slack may be anything */
    uint64_t largest;  /* reading that is known of it */
};
typedef void stretch_visitor(const struct stretch *stretch, void *context);
void visit_stretches(const struct clocks_case *file, const struct clocks_report *report,
                     uint32_t clock, stretch_visitor *visitor, void *context);

/* Does what the stretch lost look like a counter that begins anew at `period`? */
enum wraps { WRAPS_NOT, WRAPS_MAYBE, WRAPS_SURELY };
enum wraps stretch_wraps(const struct stretch *stretch, double period);

/* Ticks from one reading to a later one, signed; of a clock that wraps, the short way round. */
double ticks_between(const struct clock_monotonic *clock, uint64_t before, uint64_t now);
/* May a trip that begins with this look have taken so long that a clock which wraps could have come
 * round? Then nobody knows the order of its readings. */
bool trip_is_lost(const struct clocks_case *file, const struct clocks_report *report,
                  uint32_t clock, const struct clock_watch *watch, size_t look);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told clocks_told;
