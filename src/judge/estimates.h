/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A figure with its interval, held against the mark that a claim sets; what the findings of all
 * studies share. */
#pragma once

#include "judge/verdict.h"

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
