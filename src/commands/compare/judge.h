/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What differs between machines, judged: sides with their facts and what was measured, one value a
 * process, and what the judge makes of them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/interval.h"

/* ----------------------------------------------------------------------------------------------
 * What is laid before the judge of comparisons: sides, and for each of them what is known of its
 * machine, what was said of it, and what was measured there, one value a process. Nothing here
 * knows a machine, a store or a tool, so a test can plant any difference. */

#define COMPARE_MOST_SIDES 16u

/* A machine as one file, or one file's runs of a machine, has it. */
struct compare_side {
    char *label;       /* what differs: "6.1.0", "AMD EPYC"; unique */
    char *fingerprint; /* of the machine; sides with the same one were measured twice */
    char *counter;     /* whose ticks "ticks" are, in words; sides with other words have others */
    double tick_ns;    /* ns that one of them takes; 0: not known */
    bool emulated;     /* its times mean nothing */
    bool shared;       /* somebody unseen may have the other thread of its cores */
};

/* Something that its machine says of itself. */
enum fact_weight {
    WEIGHT_CODE,    /* where it differs, counts are counts of other code */
    WEIGHT_MACHINE, /* … of another machine: CPU, kernel, hypervisor */
    WEIGHT_SETTING, /* … of the same with other settings */
};
struct compare_fact {
    char *key, *title;
    enum fact_weight weight;
    char **values; /* [side]; NULL: not known there */
};

/* What a study said of something on each side. */
struct compare_word {
    char *word;        /* "exact"; NULL: nothing was said on this side */
    char *detail;      /* "interface-overhead"; NULL: none */
    bool unsure;       /* it could as well have come out otherwise */
    const char *near;  /* the word that it is one stray run away from; static, NULL: none */
    bool estimated;    /* it rests on an estimate, and differs only where two of these part: */
    double low, high;  /* NaN: no interval is known */
    const char *unit;  /* of the estimate, borrowed; NULL: every side has the same */
    double margin;     /* estimates closer than this share are what runs of one machine differ by */
    size_t hits, runs; /* what is said is that `hits` of `runs` were alike; 0 runs: it is not */
};
struct compare_claim {
    char *study;                /* "validate" */
    char *subject;              /* "page-faults:u" */
    struct compare_word *sides; /* [side] */
};

/* Something that was measured alike on each side. */
struct compare_values {
    double *list; /* one a process */
    size_t count;
    double step; /* of the clock, that all runs are multiples apart; 0: none is known */
};
struct compare_quantity {
    char *study;   /* "error" */
    char *event;   /* "page-faults:u" */
    char *subject; /* path, operation, program or clock */
    char *factors; /* all that else must be the same, for people: "ar, null, O2, static" */
    char *unit;    /* "events", "ticks", "ns", "instructions" */
    bool program;  /* a whole program's count under control: every machine should have the same */
    bool timed;    /* by speed and load as much as by what is executed */
    double margin; /* a smaller difference, as a share, is what runs of one machine differ by */
    struct compare_values *sides; /* [side] */
    uint64_t hash;                /* of the words, to find it */
};

struct compare_case {
    struct compare_side *sides;
    size_t side_count;
    struct compare_fact *facts;
    size_t fact_count;
    struct compare_claim *claims;
    size_t claim_count;
    struct compare_quantity *quantities;
    size_t quantity_count;
};

/* All sides are known before anything else is added. Words of new ones are copied. One that is
 * there already is found. */
void compare_add_sides(struct compare_case *file, size_t count);
struct compare_fact *compare_add_fact(struct compare_case *file, const char *key, const char *title,
                                      enum fact_weight weight);
struct compare_claim *compare_add_claim(struct compare_case *file, const char *study,
                                        const char *subject);
struct compare_quantity *compare_add_quantity(struct compare_case *file,
                                              const struct compare_quantity *like);
void compare_add_value(struct compare_quantity *quantity, size_t side, double value);
/* The greatest common divisor; of 0 and something that. */
double compare_common_step(double one, double other);
/* What is said now of a side; where another run of it said something else, it is unsure. */
void compare_say(struct compare_claim *claim, size_t side, const struct compare_word *word);

/* ----------------------------------------------------------------------------------------------
 * What the judge of comparisons says: every other side is held against the first. */

#define COMPARE_CONFIDENCE .95

enum compare_standing {
    STANDING_SAME, /* nothing tells them apart */
    STANDING_DIFFERS,
    STANDING_WITHIN, /* times that differ by less than runs of one machine do */
    STANDING_UNSURE, /* other values, but an interval holds none, or that may be chance */
    STANDING_FEW,    /* so few processes that no difference could be told */
    STANDING_APART,  /* measured or judged on one side only */
    STANDING_UNITS,  /* they cannot be held against each other; `why` */
    COMPARE_STANDINGS
};
extern const char *const compare_standing_names[COMPARE_STANDINGS]; /* "same", "differs" … */

#define COMPARE_NO_GROUP ((size_t)-1)
/* One quantity on one side, against the first. */
struct compare_effect {
    size_t quantity, side;
    enum compare_standing standing;
    const char *why;  /* of STANDING_UNITS; static */
    const char *unit; /* of the figures: ticks may have become ns */
    size_t first_count, count;
    double first_median, median;
    double shift; /* Hodges and Lehmann's, upwards from the first side */
    struct interval shift_interval;
    double ratio; /* that side over the first; NaN where a value is not positive */
    struct interval ratio_interval;
    double delta; /* Cliff's */
    struct interval delta_interval;
    double p, least_p, adjusted_p;     /* NaN: not tested */
    double rank_excess, rank_variance; /* what it adds to its group */
    size_t group;                      /* COMPARE_NO_GROUP: it could not be compared */
};

/* All quantities of one study, event and subject on one side, against the first, together. */
struct compare_group {
    size_t quantity, side; /* the first of them */
    enum compare_standing standing;
    size_t quantities, differing; /* compared; and those that differ by themselves */
    /* The effect whose figures stand for all: the one in the middle of those that differ by
     * themselves, or of all where none does, and of times, which all must tell together. */
    size_t typical;
    double delta; /* Cliff's: of that one, or of all together */
    struct interval delta_interval;
    const char *unit;
    /* Smaller differences are what runs of one machine differ by: shares of the lower value where
     * that side lies above the first, and below; and a step of the clock, in `unit`. */
    double above, below, step;
    double p, least_p, adjusted_p;
};

/* One claim, all sides. */
struct compare_verdict {
    size_t claim;
    enum compare_standing standing;
    double p, least_p, adjusted_p; /* of those that count runs; NaN: others */
    double excess;                 /* above 0: runs of other sides are alike more often */
};

/* All claims of one study that count runs, together: each may hold too few to tell. */
struct compare_shares {
    const char *study; /* of the case */
    double excess;     /* as of a verdict */
    double p, least_p, adjusted_p;
};

/* One program's count on several machines. */
struct compare_deviation {
    size_t quantity;
    size_t machines;
    double mean, deviation_percent; /* standard deviation of the machines' medians, over the mean */
    double worst_percent;           /* largest distance from the mean */
};

struct compare_report {
    struct compare_effect *effects; /* by quantity, then side */
    size_t effect_count;
    struct compare_group *groups;
    size_t group_count;
    struct compare_verdict *verdicts; /* as the claims */
    size_t verdict_count;
    struct compare_shares *shares;
    size_t share_count;
    struct compare_deviation *deviations;
    size_t deviation_count;
    bool *fact_differs; /* [fact] */
    size_t tests;       /* the family that was adjusted for */
    bool different;     /* anything differs beyond facts */
};

void compare_judge(const struct compare_case *file, struct compare_report *report);

/* How many effects (of any side), groups and verdicts stand so? */
size_t compare_effects_that(const struct compare_report *report, enum compare_standing standing);
size_t compare_groups_that(const struct compare_report *report, enum compare_standing standing);
size_t compare_verdicts_that(const struct compare_report *report, enum compare_standing standing);
