/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Findings: claims of a paper, judged on what was measured. What a finding is, and a figure with
 * its interval, held against the mark that a claim sets: what all studies share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/number.h"
#include "base/reason.h"

#define NOTE_SIZE 480

enum finding_verdict { FINDING_HOLDS, FINDING_FAILS, FINDING_INCONCLUSIVE, FINDING_UNTESTABLE };
extern const char *const finding_verdict_names[]; /* "holds", "does not hold", … */

struct finding {
    const char *id, *claim, *paper; /* "A1", the sentence, the paper's short name */
    enum finding_verdict verdict;
    bool has_estimate;
    double estimate, low, high, detectable;
    const char *no_estimate; /* why there is none; NULL: there is nothing to estimate it from */
    const char *unit;        /* "%", "instructions" … */
    bool machine_untested;   /* the machine is a part of the claim, and was not tested */
    char figure[120];        /* what the paper reports */
    char reason[NOTE_SIZE];  /* of studies whose judge still writes sentences */
    struct reasons why;      /* of all others */
};

/* A figure with its 95 % interval and what it says of a claim. */
struct estimate {
    enum finding_verdict verdict;
    double value, low, high;
    double detectable; /* smallest effect that lies outside such an interval in four of five */
};
/* At least `least`, for certain; below it, for certain; or open. */
struct estimate estimate_at_least(double value, double low, double high, double least);
/* Below `most`, for certain; at least that, for certain; or open. */
struct estimate estimate_below(double value, double low, double high, double most);
/* Within +-most, for certain; outside it, for certain; or open. */
struct estimate estimate_within(double value, double low, double high, double most);
/* Refuted weighs more than open, open more than confirmed, that more than not tested. */
bool verdict_graver(enum finding_verdict one, enum finding_verdict other);
/* Copies it; an interval without end is no estimate. */
void estimate_report(const struct estimate *estimate, struct finding *finding);

/* Appends a clause to the reason after "; ", whole or not at all. */
void finding_clause(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Length of the first sentence of a reason that the probe sent, "what. What to do.": the one place
 * where such a text is parted. */
int reason_first_sentence(const char *reason);

/* Appends to the reason, cut where it is full. */
void finding_add(struct finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ----------------------------------------------------------------------------------------------
 * The way of all claims through their rules. */

struct claim {
    const char *id, *text, *figure, *unit;
    /* Gets a finding that is not testable here, and leaves it so with the reason where nothing can
     * decide. NULL: it is decided beside. */
    void (*rule)(const struct claim *claim, const void *facts, struct finding *finding);
    bool together;   /* about all machines at once */
    const void *own; /* what else the study knows of it */
};

/* A claim about machines in general is refuted by one of them: it is asked of each alone, and the
 * gravest answer counts. */
struct claiming {
    const char *paper;
    const struct claim *claims;
    size_t count;
    void *facts;                               /* what rules get */
    size_t machines;                           /* that are judged together; below 2 there is one */
    void (*turn)(void *facts, size_t machine); /* facts are of that machine from now on */
    /* What else is said of a finding, by the verdicts of all machines, before and after the rule
     * that decides. NULL: nothing. */
    void (*before)(const void *facts, const enum finding_verdict *verdicts,
                   struct finding *finding);
    void (*after)(const void *facts, const enum finding_verdict *verdicts, struct finding *finding);
};
void findings_judge(const struct claiming *claiming, struct finding *findings);

/* Appends one more sentence; one that does not fit is left out whole. */
void note_add(char note[NOTE_SIZE], const char *format, ...) __attribute__((format(printf, 2, 3)));
