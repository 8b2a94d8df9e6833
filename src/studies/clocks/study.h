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
 *     plan.h, .c            which watches, their value and cost
 *     measure.c             the store, watches as the budget allows, looks from outside
 *     load.c                samples -> the case
 *     judge.h, judge.c      what the parts of the judge share; all parts in order; pure
 *     judge-steps.c         steps, resolution, cost, going back
 *     judge-intervals.c     every clock over the same intervals
 *     judge-pairs.c         CPUs against each other
 *     judge-rate.c          rates, the reference, clocks that are copies of one another
 *     judge-trust.c         the verdict and the fault behind it
 *     judge-advice.c        which clock for what
 *     findings.c            K1 to K4
 *     show.c, show-table.c  the report for people
 *     json.c                the report for programs
 *     figures.c, -pace.c    which rows make which picture
 *     summary.c             what reports, runs and comparisons say of it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/findings.h"
#include "wire/cell.h"

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
    char *machine;      /* "AMD EPYC (x86_64)" */
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

/* Index of the clock by name, or -1. */
int clocks_index(const struct clocks_case *file, const char *name);
/* Is it judged, rather than a place or stolen time? */
bool clock_is_candidate(const struct clock_known *clock);
/* Is it the CPU's own counter, in whatever form; and the first that is, or -1. */
bool clock_is_counter(const struct clock_known *clock);
int clocks_counter(const struct clocks_case *file);
/* The column of that clock in the watch, or the first of such a role; -1: none. */
int watch_column(const struct clock_watch *watch, uint32_t clock);
int watch_role_column(const struct clocks_case *file, const struct clock_watch *watch,
                      enum clock_role role);

/* ----------------------------------------------------------------------------------------------
 * What the judge says of clocks (docs/clocks.md). Pure: a case in, a report out. Every part fills
 * its own field; all are indexed by the clocks of the case. */

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
    char why[300];   /* which and why, and what could falsify it where nothing here can */
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
    size_t suspended; /* runs that are left out above, for the machine was suspended meanwhile */
    double median_ns; /* of the reference */
};

/* --- cost and granularity (judge-steps.c) --- */
struct clock_cost {
    bool known;
    double ticks, low,
        high; /* of one reading: median over blocks, 95 %; NaN: no tick can be read */
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
    bool known;
    uint32_t against; /* index of the clock */
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
    char idle[300]; /* do idle states matter to a clock? The sentence */
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
struct clock_verdict {
    enum clock_trust trust;
    enum clock_fault fault; /* the one that explains most */
    uint32_t faults;        /* bits of all that were found: 1u << fault */
    int32_t worst_row;      /* index of the row with the worst ratio; -1 */
    double worst_ratio;     /* NaN */
    double shortest_us;     /* intervals that it tells to 1 %; NaN: none */
    char why[400];          /* one sentence for people */
};

enum clock_use { USE_SHORT, USE_LONG, USE_ACROSS, USE_CPU_TIME, CLOCK_USES };
extern const char *const clock_use_names[CLOCK_USES]; /* "Short regions" … */
struct clocks_advice {
    int32_t clock;      /* -1: it is about none … */
    enum clock_use use; /* … else what that one is for */
    char text[300];
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

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told clocks_told;
