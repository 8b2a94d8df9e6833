/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a claim is, and the rules that decide one (docs/findings.md). Claims are data in
 * findings.c. */
#pragma once

#include "studies/validate/study.h"

/* Which events on which specimens test a claim. Lists are separated by spaces. */
struct tested_by {
    const char *what; /* for people: "rounding"; NULL ends a table */
    const char *classes, *specimens;
};

enum foretold {
    FORETOLD_TRUTH,     /* what the specimen's truth says; anything within limits is right */
    FORETOLD_LOOP_ENDS, /* the paper's own: one misprediction for each loop that ends, N + 1 */
};

struct claim;
typedef void claim_rule(const struct claim *claim, const struct judgements *judgements,
                        struct finding *finding);

#define TESTED_BY_MOST 4
struct claim {
    const char *id, *text;
    const char *figure; /* of the paper */
    claim_rule *rule;
    const char *unit;
    /* Is it about predictors, caches or time, which an emulator has not? */
    bool physical;
    enum foretold foretold;
    /* Counts below this are left out: starting up (a predictor learns, a cache fills) costs some
     * tens of events, and one count must not weigh more than 1 %. */
    double least;
    struct tested_by tests[TESTED_BY_MOST];
    bool needs_first; /* without the first of the tests the rest decides nothing */
    bool first_only;  /* tests are alternatives: the first that can be made decides */
    struct tested_by exceptions[TESTED_BY_MOST]; /* told beside the verdict, not part of it */
};

/* Counts lie within 1 % of what was foretold. */
claim_rule rule_within;
/* Small counts are reported as zero. */
claim_rule rule_threshold;
/* What measuring adds shows in small counts and vanishes in large ones. */
claim_rule rule_overhead;

/* --- what rules share --- */

/* The claims speak of deviations of this size. */
#define WITHIN_PERCENT 1.0

/* One point as evidence for or against a claim, in percent of what was foretold. */
struct reading {
    const struct judgement *judgement;
    const struct judged_row *row;
    const struct judged_point *point;
    double estimate, low, high; /* deviation with its 95 % interval */
    double detectable;          /* smallest deviation that four of five such samples would show */
    enum finding_verdict verdict;
};

/* Is `word` among those of a list separated by spaces? A specimen counts by its name alone. */
bool claim_lists(const char *list, const char *word);
/* May this event say something of the machine, and does it count one of the classes? */
bool claim_concerns(const struct judgement *judgement, const char *classes);
/* Did it count at all here? Otherwise why not, as a clause. */
bool claim_usable(const struct judgement *judgement, char *why, size_t size);
/* Why nothing was read in a test, as a clause about the event that came furthest. Excuses of tests
 * whose events came further weigh more: the result. */
enum excuse { EXCUSE_NOT_TRIED, EXCUSE_REFUSED, EXCUSE_NOT_ENOUGH };
enum excuse claim_excuse(const struct claim *claim, const struct tested_by *test,
                         const struct judgements *judgements, char *why, size_t size);

/* Puts `foretold` against the point's counts; reported: before the overhead is subtracted. False
 * where the point says nothing. */
bool reading_take(const struct judgement *judgement, const struct judged_row *row,
                  const struct judged_point *point, enum foretold foretold, bool reported,
                  struct reading *reading);
/* The count that a point is measured by. */
double reading_foretold(const struct judged_point *point, enum foretold foretold);
/* Has its interval no end? So it is with a single run. */
bool reading_is_open(const struct reading *reading);
/* Is `one` the graver deviation? */
bool reading_graver(const struct reading *one, const struct reading *other);
/* Copies estimate, interval and verdict; intervals without end become "no estimate". */
void reading_report(const struct reading *reading, struct finding *finding);
/* "+0.3 % [+0.1, +0.5]"; "+0.3 %" where nothing varies. */
void reading_words(const struct reading *reading, char *words, size_t size);
