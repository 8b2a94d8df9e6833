/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The case of a comparison: sides with their facts, what was said of each and what was measured
 * there, one value a process. Studies put into it what of them can be compared. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    const char *word;   /* "exact"; NULL: nothing was said on this side */
    const char *detail; /* "interface-overhead"; NULL: none */
    bool unsure;        /* it could as well have come out otherwise */
    const char *near;   /* the word that it is one stray run away from; static, NULL: none */
    bool estimated;     /* it rests on an estimate, and differs only where two of these part: */
    double low, high;   /* NaN: no interval is known */
    const char *unit;   /* of the estimate, borrowed; NULL: every side has the same */
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
    const char *study;   /* "error" */
    const char *event;   /* "page-faults:u" */
    const char *subject; /* path, operation, program or clock */
    const char *factors; /* all that else must be the same, for people: "ar, null, O2, static" */
    const char *unit;    /* "events", "ticks", "ns", "instructions" */
    bool program;  /* a whole program's count under control: every machine should have the same */
    bool timed;    /* by speed and load as much as by what is executed */
    double margin; /* a smaller difference, as a share, is what runs of one machine differ by */
    struct compare_values *sides; /* [side] */
    uint64_t hash;                /* of the words, to find it */
};

struct compare_case {
    const char *tick_study; /* whose runs tell how long ticks are; NULL: none do */
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
 * What one run of a study adds to a case. */

struct compared {
    struct compare_case *file;
    const char *study;
    size_t side;
};

/* What one factor explains of the variance of an event's error, where machines were judged
 * together.
 */
struct compared_factor {
    const char *event, *name;
    double share, within, p; /* of all variance; of that within each path; NaN: none */
    bool machine;            /* it is the machine itself */
    bool matters;
};

/* Runs of one machine, minutes apart, differ in times by so much without any difference of machines
 * (docs/compare.md tells how that is known). */
#define COMPARE_TIME_MARGIN .25

/* Fills in unit, timed and margin by what the event counts in a window or call. */
void compared_classify(const char *event, struct compare_quantity *quantity);
/* The quantity of this study that is like this one; its words are copied. */
struct compare_quantity *compared_quantity(const struct compared *compared,
                                           const struct compare_quantity *like);
/* Adds the median of these values, which are sorted on the way; of none nothing. */
void compared_median(const struct compared *compared, struct compare_quantity *quantity,
                     double *values, size_t count);
