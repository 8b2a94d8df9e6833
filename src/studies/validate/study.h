/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The judgement: a verdict and a cause for every event, for every specimen of it, and the figures
 * behind both (docs/verdicts.md). Pure: a case file in, judgements out.
 *
 * The folder:
 *
 *     study.h                 the case of events, and what the judge says of each
 *     study.c                 which events, the options, the entry in the driver
 *     parts.h                 what the files outside of the judge share
 *     plan.h, .c              which cells the next round wishes for
 *     measure.c               samples -> the case; the rounds: wish, measure, learn, wish again
 *     judge.h, judge.c        the verdict on every event; events compared; pure
 *     judge-points.c          the figures of one point
 *     judge-rows.c            ladders of N, and what is said of each
 *     judge-explain.c         errors, their location, how well it is known; what explains them …
 *     judge-explain-regression.c, -runs.c
 *                             … by what the code does, and by single runs
 *     findings.c              A1 to A10
 *     words.c                 the sentences of the judge
 *     passport.c              the newest verdicts as a file for other programs
 *     show.c                  the report for people
 *     fields.c                what the report for programs and the passport are made of
 *     figures.c               which rows make which picture
 *     summary.c               what reports, runs and comparisons say of it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/findings.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * What is laid before the judge: events, and for each of them points, that is code of known counts
 * measured in one way, with every run. Nothing here knows a machine, a store or a tool: whoever
 * has such numbers can have them judged, and a test can plant a lie in them. */

/* One run of a window. */
struct evidence_run {
    uint64_t value;            /* as reported */
    uint64_t enabled, running; /* ns; running < enabled: the counter had the PMU part of the time */
    struct account account;    /* of the operating system, for the same run */
    uint32_t process;          /* which fresh process it ran in */
    uint32_t interrupts;       /* counted along; only where the point says that they were */
    uint64_t unfiltered;       /* the same event without its mode; only where the point says so */
};

enum truth_grade { TRUTH_NONE, TRUTH_PROVEN, TRUTH_BOUNDED, TRUTH_MODEL };

/* The count of the event's class for this code and N; low == high unless bounded. */
struct truth {
    enum truth_grade grade;
    int64_t low, high;
};

/* What else a run of this code does, predicted for the same N. One of these may be what the event
 * really counts (a class), or what it counts wrongly (an opcode, a class). */
enum trait_kind { TRAIT_CLASS, TRAIT_OPCODE };
struct trait {
    enum trait_kind kind;
    char *name; /* "syscalls", "fldcw" */
    int64_t count;
    bool proven; /* always for opcodes, which are read from the code */
};

/* One specimen at one N, measured in one way. */
struct point {
    char *specimen; /* with its parameters */
    uint64_t n;
    char *path, *opt, *link;
    enum pattern pattern;
    uint32_t counters; /* opened at once */
    int32_t cpu;       /* -1: any */
    char *core;        /* type of core that it ran on; "": all are alike, or unknown */
    bool is_null;      /* nothing stands in the window: what is counted is overhead */
    struct truth truth;
    /* Page faults and context switches of the code itself in a run; -1: not predicted. */
    int64_t faults, switches;
    struct trait *traits;
    size_t trait_count;
    struct evidence_run *runs;
    size_t run_count;
    bool has_interrupts;  /* the runs' interrupts were counted along */
    bool has_unfiltered;  /* the event without its mode was, in the same windows */
    uint32_t failed;      /* processes that could not measure it … */
    char *failure_reason; /* … and why; NULL: none */
};

/* One event under one name. */
struct evidence {
    char *event; /* "instructions:u" */
    char *kind;  /* hardware, software, tracepoint, source … */
    char *class; /* NULL: what it counts is not known */
    int error;   /* errno of opening it; 0: it opens */
    /* Why it cannot be opened, or why nothing can judge it; "": its turn did not come; NULL: nobody
     * said. */
    char *reason;
    struct point *points; /* in the order in which they were planned */
    size_t point_count;
};

/* Everything that was measured on one machine. */
struct case_file {
    struct evidence *events;
    size_t event_count;
    bool emulated;    /* times and caches of this machine mean nothing */
    bool virtualized; /* a hypervisor is between us and the CPU */
    bool filtered;    /* a seccomp filter decides over system calls that the machine has */
};

/* The lists of a case grow by memory_add; a point begins as one of which nothing is predicted. */
struct point *evidence_add_point(struct evidence *evidence);

/* The trait of that name, or NULL. */
const struct trait *point_trait(const struct point *point, enum trait_kind kind, const char *name);
/* How much of a class its code does; 0 where that is not known. */
double point_class_count(const struct point *point, const char *class);
/* Of several null cells of the point's way the one with the most runs; NULL: none has any. */
const struct point *point_null(const struct evidence *evidence, const struct point *point);
/* Is an event of this kind one of the processor, which a hypervisor can withhold? */
bool kind_is_of_cpu(const char *kind);
/* Measured the same way: path, pattern, opt, link, number of counters, core and CPU. */
bool point_same_way(const struct point *left, const struct point *right);

/* --- the judgement --- */

/* In order of precedence: the first that applies. */
enum verdict {
    VERDICT_UNSUPPORTED, /* cannot be opened */
    VERDICT_UNSCHEDULED, /* opened, got no counter time */
    VERDICT_UNJUDGED,    /* no specimen predicts it, or none could be measured */
    VERDICT_DEAD,        /* zero although proven work was done */
    VERDICT_NOISY,       /* spread too large to judge */
    VERDICT_EXACT,       /* every quiet run at every N equals a proven truth that is not zero */
    VERDICT_ACCURATE,    /* the error's 95 % interval stays within 1 % of the truth */
    VERDICT_BIASED, /* a consistent offset or factor, or outside the limits of a bounded truth */
    VERDICT_COUNT
};
enum cause {
    CAUSE_NONE,
    CAUSE_INTERFACE_OVERHEAD,
    CAUSE_KERNEL_LEAK,
    CAUSE_FAULT_OVERCOUNT,
    CAUSE_INTERRUPT_OVERCOUNT,
    CAUSE_OPCODE_OVERCOUNT,
    CAUSE_MULTIPLEXING,
    CAUSE_WRAP,
    CAUSE_LOST_COUNTS,
    CAUSE_THRESHOLD,
    CAUSE_OTHER_DEFINITION,
    CAUSE_MODE_NOT_APPLICABLE,
    CAUSE_CORE_TYPE,
    CAUSE_VIRTUALIZED,
    CAUSE_PERMISSION,
    CAUSE_UNKNOWN,
    CAUSE_COUNT
};
/* Does it rest on counts, rather than on the lack of them? */
bool verdict_is_of_counts(enum verdict verdict);
/* How much it says of the event on its machine; an older verdict of more weight stands. Most is one
 * of counts. That it cannot be opened or got no counter is less: it may be so for now. That nothing
 * was held against it is nothing, and so is that access was refused, which is about a user or a
 * sandbox. */
unsigned verdict_weight(enum verdict verdict, enum cause cause);
bool verdict_is_trusted(enum verdict verdict);         /* exact or accurate */
extern const char *const verdict_names[VERDICT_COUNT]; /* "unsupported" … */
extern const char *const cause_names[CAUSE_COUNT]; /* NULL for CAUSE_NONE, "interface-overhead" … */
int verdict_from_name(const char *name);           /* -1: none */

/* What the runs of one point say. All figures are of counts from which the overhead has been
 * subtracted, over quiet runs that got a counter; multiplexed ones extrapolated. */
struct judged_point {
    const struct point *point;
    const struct judged_row *row;
    size_t runs;        /* that got a counter: quiet and disturbed */
    size_t disturbed;   /* a second account saw more than the code does itself */
    size_t multiplexed; /* ran part of the time */
    size_t unscheduled; /* got no counter at all; not among runs */
    size_t exact;       /* quiet runs that equal the truth (lie within it, where bounded) */
    size_t disturbed_exact;
    bool has_overhead;                    /* a null cell of the same way was measured */
    int64_t overhead;                     /* its median */
    int64_t overhead_low, overhead_high;  /* spread of its quiet runs: the middle nine tenths */
    int64_t usual_faults, usual_switches; /* in the null cell's account: the way's own, not ours */
    double min, median, max, mean, stdev;
    double low, high; /* 95 % interval of the mean error: count minus truth (0 inside the limits) */
    double strict_low, strict_high; /* 99.99 %: for claims that hold over many points at once */
    size_t strays;         /* far from all others and so few that both intervals leave them out */
    bool processes_differ; /* more than their runs do: a process counts as one value then */
    /* The truth is what the run's own account says (context switches), not base + each * N. */
    bool against_account;
    bool outweighs; /* the truth is proven or bounded, and at least a hundred times what the way
                     * adds: the larger limit of its spread */
    bool is_zero;   /* every run reads 0 before anything is subtracted */
};

/* reported = intercept + slope * predicted, over the quiet runs of a ladder. */
struct judged_fit {
    bool known;
    double intercept, intercept_low, intercept_high;
    double slope, slope_low, slope_high;
    double residual; /* standard deviation around the line */
    double r_squared;
};

/* What explains an error, with its size. */
struct explanation {
    enum cause cause;
    char per[64];           /* "page fault", "system call", "fldcw", "run" … what one such adds */
    double size, low, high; /* counts for each of them, with its 95 % interval */
    double share;           /* of the squared error that it takes away, 0 … 1 */
};
#define EXPLANATIONS_MOST 8

/* Windows in which an event was seen to count right: of others a verdict says nothing. */
struct judged_limits {
    uint64_t longest_ns; /* the longest of them; 0: none, or nobody knows how long they were */
    uint64_t longest_n;  /* the N of that one */
    double interrupts;   /* taken in such a window, where they were counted along; NAN: not known */
    bool calls, switches; /* some held system calls, and context switches … */
    bool migrations;      /* … and moves to another CPU */
};

/* What windows of system calls say of an event's mode. */
enum filter {
    FILTER_UNKNOWN, /* nothing */
    FILTER_WORKS,   /* system calls do not move the count */
    FILTER_IGNORED, /* what the operating system executes is counted */
};

/* One event, one specimen, one way of measuring: a ladder of N. */
struct judged_row {
    const struct judgement *judgement;
    const char *specimen, *path, *core;
    enum pattern pattern;
    uint32_t counters;
    enum truth_grade grade; /* of the points that count */
    enum verdict verdict;
    enum cause cause;
    struct reasons why;          /* its note */
    struct judged_point *points; /* by rising N */
    size_t point_count;
    struct judged_fit fit;
};

struct judgement {
    const struct evidence *evidence;
    enum verdict verdict; /* of the event as a whole */
    enum cause cause;
    struct reasons why; /* its note: which zero, which factor, which class */
    size_t usual;       /* sentences at its beginning that a table says as well: exact, and no
                         * disturbed run counts otherwise */
    bool has_overhead;  /* of the first row's way */
    int64_t overhead;
    struct judged_row *rows;
    size_t row_count;
    struct judged_point **points; /* of all rows */
    size_t point_count;
    const struct explanation *explanations;
    size_t explanation_count;
    const char *fits;            /* the class that fits instead, for other-definition; NULL else */
    struct judged_limits limits; /* of an event that is trusted */
    enum filter filter;
    double leak, leak_low, leak_high; /* counts that each system call adds where it is ignored; NAN:
                                       * seen only in that the plain event counts as much */
    unsigned rank;   /* among the events of its class that were judged, 1 is best; 0: alone */
    bool disagrees;  /* another path counts differently; the note says so */
    bool unmatched;  /* unjudged: it was measured nowhere, or only to see whether it ever counts */
    bool reads_zero; /* unjudged, and every run reads 0: nothing shows that it counts at all */
    size_t disturbed, runs; /* over all points */
};

struct judgements {
    struct judgement *list; /* in the order of the case file */
    size_t count;
    const struct judged_row **rows; /* of all of them, in that order */
    size_t row_count;
    size_t runs, disturbed;
};

/* Points into the file, which must outlive it. */
struct judgements judge_case(const struct case_file *file);

/* --- findings: claims of a paper, judged on what was measured --- */

#define VALIDATE_FINDINGS 10
void validate_findings(const struct case_file *file, const struct judgements *judgements,
                       struct finding findings[VALIDATE_FINDINGS]);

/* Stands in stores before the class of an event for which there is no specimen. */
#define VALIDATE_LACK "no specimen here predicts "

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told validate_told;
