/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge says of repetition (docs/repeat.md). Pure: a case in, a report out. Every part is
 * a file of its own, and fills its own field. */
#pragma once

#include "engine/findings.h"
#include "judge/repeat/evidence.h"

/* --- one event of one program under one setting, by one source (variation.c) --- */
struct repeat_row {
    size_t cell; /* index; with it machine, program, source, setting, sweep */
    uint32_t event;
    size_t runs;  /* that ended alike; others are left out, and counted here: */
    size_t apart; /* ended with another status than most, were scheduled for a part of the time
                     only, or wrote something else */
    uint64_t min, max;
    double mean, stdev, cv_percent; /* NaN where there are fewer than two runs, or the mean is 0 */
    size_t distinct;                /* how many different counts; 1: identical */
    double usual;                   /* the median */
    /* after subtracting what faults and interrupts add (adjust.c) */
    bool is_adjusted;
    double adjusted_mean, adjusted_stdev, adjusted_cv_percent;
    double residual, residual_low, residual_high; /* adjusted mean less the truth or the aligned
                                                     count of a source; NaN: there is none */
};

/* --- what a control brings (controls.c) --- */
struct control_part {
    enum control control;
    /* everything as-is but this one on; NaN: not measured */
    double only_cv, only_part;  /* share of the as-is variance that is gone, 1: all */
    double only_low, only_high; /* 95 % */
    double only_shift;          /* of the mean, events */
    bool only_shifts;           /* beyond chance */
    /* everything controlled but this one off */
    double without_cv;
    double without_part; /* share of the as-is variance that comes back */
    double without_low, without_high;
    double without_shift;
    bool without_shifts;
    bool brings;    /* this control alone brings most of what can be had */
    bool is_needed; /* without it a good part of the variation comes back (limits.h) */
};
struct repeat_effect {
    size_t as_is, controlled; /* rows */
    double ratio; /* stdev as-is / controlled; INFINITY: identical when controlled; NaN: neither
                     varies */
    double ratio_low, ratio_high; /* 95 % */
    struct control_part parts[CONTROL_COUNT];
    char who[400]; /* the sentence: which control did it, or that several are needed, or that the
                      rest varies whatever is controlled, and what that is where it is known */
};

/* --- sensitivity (sensitivity.c) --- */
struct repeat_sweep {
    size_t machine, program;
    char source[16];
    char event[256]; /* name */
    enum command_sweep sweep;
    size_t points; /* values that were tried */
    uint64_t first, last;
    double lowest, highest;              /* medians of points */
    size_t levels;                       /* distinct medians */
    double slope, slope_low, slope_high; /* events a byte; NaN for aslr */
    double within;                       /* standard deviation of runs at the same point, pooled */
    bool matters;                        /* points differ beyond what runs at one point do */
    char what[300]; /* the sentence: how much, by which step, periodic or not */
};

/* --- why a program is not the same from run to run (causes.c) --- */
enum repeat_parting {
    PARTING_TIME,      /* it asks for the time */
    PARTING_IDENTITY,  /* process or thread ids */
    PARTING_RANDOM,    /* getrandom, /dev/urandom */
    PARTING_PARTIAL,   /* reads or writes that gave less than asked, EINTR, EAGAIN */
    PARTING_THREADS,   /* several tasks whose order is not fixed */
    PARTING_ADDRESSES, /* counts follow address randomisation, and nothing else differs */
    PARTING_MACHINE,   /* it asks for CPUs, memory, load */
    PARTING_FILES,     /* a file had other contents or another state */
    PARTING_OUTPUT,    /* its output differs from run to run */
    PARTING_COUNT
};
extern const char *const repeat_parting_names[PARTING_COUNT]; /* "time" "identity" … */
struct repeat_seen {
    size_t machine, program;
    enum repeat_parting cause;
    bool parted; /* two executions parted right here; else it only may */
    uint64_t times;
    char evidence[300]; /* "getrandom gave other bytes at call 12 of 340" */
};

/* --- sources held against each other (alignment.c) --- */
struct align_reason {
    char what[32];       /* "cpuid" "vdso" "environment" "addresses" "repeated" "floating-point"
                            "start-up" "operating-system" "unknown" */
    double instructions; /* of the difference */
    char words[300];     /* functions that differ, as evidence */
};
#define ALIGN_MOST_REASONS 9
struct repeat_alignment {
    size_t machine, program;
    char source[16], against[16];
    double raw;         /* instructions as the source counts them itself; NaN: not told */
    double repetitions; /* of string instructions */
    double aligned;     /* each once */
    double reference;   /* the other source's, aligned; or the subject's truth ("truth") */
    double difference;  /* aligned − reference */
    bool same;          /* to the instruction, in every run */
    struct align_reason reasons[ALIGN_MOST_REASONS]; /* the largest first */
    size_t reason_count;
    double unexplained; /* instructions of the difference that no reason covers */
};

/* --- what the operating system adds (adjust.c) --- */
struct repeat_contribution {
    size_t machine;
    char event[256];
    char of[24]; /* "page-fault", "interrupt" */
    bool known;
    double each, low, high; /* events per fault or interrupt, 95 % */
    size_t runs, programs;
    double residual; /* standard deviation that is left */
    bool firm;       /* the programs' own instructions are known, or known not to vary; else what
                        goes with faults may be what the programs themselves do then */
    char why[200];   /* why it is not known */
};

/* --- the proper counter (ranking.c): events of one class by agreement with the truth --- */
struct repeat_rank {
    size_t machine;
    char class[64], event[256];
    uint32_t place; /* from 1 */
    double off_percent, stdev_percent;
    size_t programs;
};

#define REPEAT_FINDINGS 11
struct repeat_report {
    size_t executions;
    struct repeat_row *rows; /* by machine, program, source, event, sweep, setting, swept */
    size_t row_count;
    struct repeat_effect *effects; /* by machine, program, source, event */
    size_t effect_count;
    struct repeat_sweep *sweeps;
    size_t sweep_count;
    struct repeat_seen *seen;
    size_t seen_count;
    struct repeat_alignment *alignments;
    size_t alignment_count;
    struct repeat_contribution *contributions;
    size_t contribution_count;
    struct repeat_rank *ranks;
    size_t rank_count;
    struct finding findings[REPEAT_FINDINGS]; /* M1 … M11 */
};

/* All parts in order. -ENOMEM. Release the report in either case. */
int repeat_judge(const struct repeat_case *file, uint64_t seed, struct repeat_report *report);
void repeat_report_release(struct repeat_report *report);

/* The parts, in this order; each reads what those before it filled. 0 or -ENOMEM. */
int repeat_judge_variation(const struct repeat_case *file, struct repeat_report *report);
int repeat_judge_contributions(const struct repeat_case *file, struct repeat_report *report);
int repeat_adjust(const struct repeat_case *file, struct repeat_report *report);
int repeat_judge_controls(const struct repeat_case *file, uint64_t seed,
                          struct repeat_report *report);
int repeat_judge_sensitivity(const struct repeat_case *file, struct repeat_report *report);
int repeat_find_causes(const struct repeat_case *file, struct repeat_report *report);
int repeat_align(const struct repeat_case *file, struct repeat_report *report);
int repeat_rank_events(const struct repeat_case *file, struct repeat_report *report);
/* Each fills the findings that are its own, in findings[]; those without evidence say why. */
int repeat_judge_findings(const struct repeat_case *file, uint64_t seed,
                          struct repeat_report *report);
/* M2, M5, M6, M7, M8, M9, M10: findings[1], [4] … [9] (findings-subjects.c and beside it) */
int repeat_judge_subject_findings(const struct repeat_case *file, struct repeat_report *report);
