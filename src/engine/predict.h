/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a count should be, from the probe's catalogue, and what the samples of a cell say beside
 * it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/session.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * What the samples of one cell say: how the counts lie, how far from the truth, and what the
 * operating system's own account saw besides. Pure: samples in, summary out, so that a recorded
 * run is judged again without the machine.
 *
 * Quantiles are values that were really read (the smallest value that at least that share of the
 * runs does not exceed), so they stay exact at any size. */

/* One counter of one run. */
struct reading {
    uint64_t value, enabled, running; /* times in ns */
    struct account account;
};

struct quantiles {
    uint64_t min, q1, median, q3, max;
};

/* A number that may not exist. */
struct maybe {
    bool known;
    int64_t value;
};

/* What a count must not leave, where the truth itself is not known. */
struct limits {
    bool known;
    int64_t low, high;
};

/* What is known before a sample is looked at. */
struct expectation {
    struct maybe truth;    /* of the event's class for this specimen and N */
    struct maybe overhead; /* median of the null cell with the same factors */
    /* How often the operating system's account may rise in a run without anybody disturbing it:
     * the specimen's own page faults and context switches. Unknown: what most runs of this cell
     * show. */
    struct maybe faults, switches;
};

struct summary {
    size_t runs;
    size_t counted, multiplexed, unscheduled; /* add up to runs */
    /* How the multiplexed ones were extrapolated: enabled / running; 1 where there are none. */
    double scaling_min, scaling_max;
    size_t disturbed;        /* account beyond the expectation */
    size_t judged;           /* runs that got a counter: quantiles are theirs */
    struct quantiles values; /* multiplexed ones extrapolated to the whole time */
    struct quantiles quiet;  /* of the undisturbed; of all when none is */
    size_t quiet_runs;
    uint64_t common; /* the most frequent value, the smallest of several */
    size_t common_runs;
    bool constant; /* judged > 0 and all values equal */
    struct expectation expected;
    struct maybe error, error_min, error_max; /* median, smallest, largest value minus truth */
    size_t exact_runs;                        /* value == truth */
    struct maybe wrong_min, wrong_max;        /* error of the runs that are not exact */
    struct limits limits;
    size_t below, above; /* judged runs that leave them */
};

void measure_summarise(const struct reading *readings, size_t count,
                       const struct expectation *expected, struct summary *summary);

/* Sets the runs of a summary against limits. */
void measure_limit(const struct reading *readings, size_t count, const struct limits *limits,
                   struct summary *summary);

/* What the null cell of the same way of measuring says of it: the overhead, and the faults and
 * switches that are the way's own (reading a page that was never touched is a fault). They come on
 * top of the specimen's. Summarise the null cell with both unknown: then they are what most of its
 * runs show. */
void expectation_add_null(struct expectation *expected, const struct summary *null);

/* The value a run stands for: the count, extrapolated where the counter ran part of the time.
 * False when it got no time at all. */
bool reading_value(const struct reading *reading, uint64_t *value);

/* ----------------------------------------------------------------------------------------------
 * Predictions: what the probe's catalogue says a specimen makes of an event. The controller knows
 * no specimen by itself. */

/* An event that opens here. */
struct counted_event {
    char *name, *kind;
    char *class; /* NULL: none known */
};

/* The truth of an event's class for a specimen and N. Unknown: why says the reason. grade is a
 * string of the catalogue. */
struct maybe predict(const struct catalogue *catalogue, const struct counted_event *event,
                     const char *specimen, uint64_t n, const char **grade);
/* The class's count whatever the event: for what the operating system accounts. */
struct maybe predict_class(const struct catalogue *catalogue, const char *class,
                           const char *specimen, uint64_t n, const char **grade);
/* The limits of a bounded truth for an event; *why says why no more is known (a string of the
 * catalogue). */
struct limits predict_limits(const struct catalogue *catalogue, const struct counted_event *event,
                             const char *specimen, uint64_t n, const char **why);
/* The specimen that exercises an event: the first whose count of its class grows with N. */
const char *predict_specimen(const struct catalogue *catalogue, const struct counted_event *event);
