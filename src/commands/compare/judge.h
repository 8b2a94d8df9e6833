/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What differs between machines, judged: what the judge makes of a case of comparison. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/reason.h"
#include "engine/compared.h"
#include "stats/interval.h"

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

/* What it gives as reasons. */
enum compare_reason {
    COMPARE_EMULATED,
    COMPARE_TICKS,
    COMPARE_ONE_MACHINE, /* why a paper's claim of several machines could not be tested … */
    COMPARE_OTHER_CODE,
    COMPARE_UNCOUNTED,
};
extern const struct reason_words compare_words[];

#define COMPARE_NO_GROUP ((size_t)-1)
/* One quantity on one side, against the first. */
struct compare_effect {
    size_t quantity, side;
    enum compare_standing standing;
    struct reasons why; /* of STANDING_UNITS */
    const char *unit;   /* of the figures: ticks may have become ns */
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
