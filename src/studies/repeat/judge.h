/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the judge of repeated programs share. */
#pragma once

#include "engine/findings.h"
#include "stats/interval.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Forms of functions, by their names: why two sources count one program differently follows from
 * the functions that each of them executed. */

/* Is it one of several forms of a function between which the CPU's features choose? */
bool align_is_variant(const char *name);
/* … of this one? "__memcpy_avx2" of "memcpy". */
bool align_is_variant_of(const char *variant, const char *name);
/* Are both forms of one and the same function? */
bool align_are_variants(const char *one, const char *other);

/* Do a program's counts follow random addresses? A sentence about it: by which control, or by which
 * sweep (of addresses; any_sweep: or of what moves them). NULL: not as far as is known. */
const char *follows_addresses(const struct repeat_case *file, const struct repeat_report *report,
                              size_t machine, size_t program, bool any_sweep);
/* Is the word among these, which have spaces between them? NULL has none. */
bool has_word(const char *words, const char *word);

/* ----------------------------------------------------------------------------------------------
 * What a claim about repetition is, and what its rules share (docs/findings.md). Claims are data
 * in findings.c. */

struct repeat_facts {
    const struct repeat_case *file;
    const struct repeat_report *report;
};

/* M2, and M5 to M10 (engine/findings.h): rule_disturbance has an enum disturbance of its own,
 * rule_by_tools these programs. */
typedef void repeat_rule(const struct claim *claim, const void *facts, struct finding *finding);
repeat_rule rule_opcodes, rule_stack, rule_disturbance, rule_repetitions, rule_by_tools;

/* Programs of which a tool may make something else, and those that tell whether it is this. */
struct otherwise {
    const char *made, *plain;
    const char *endless; /* that may never end; NULL: none is */
    const char *as_well, *alone, *nobody;
};

/* ----------------------------------------------------------------------------------------------
 * Which counts are instructions of the program itself, and which of them tell of this machine. */

/* Instructions in user mode, each once, by whatever source. Of perf_event a mode that holds more is
 * not comparable. */
bool counts_instructions(const struct repeat_cell *cell, uint32_t event);
/* The same where only names are at hand. */
bool names_instructions(const char *source, const char *event);
/* The same by the hardware, or by stepping: the program ran on this CPU, where the operating system
 * placed it. Tools place it themselves. */
bool counts_here(const struct repeat_cell *cell, uint32_t event);
/* Is it the best that there is of this program on this machine? Hardware before stepping before
 * tools. */
bool counts_best(const struct repeat_case *file, const struct repeat_report *report,
                 const struct repeat_row *row);

/* ----------------------------------------------------------------------------------------------
 * The runs of a cell that ended alike, and their counts of one event as numbers to reckon with.
 * Every part of the judge looks at the same runs. */

struct kept {
    uint64_t base;  /* the smallest count: values are less this, so that no bit of a large count is
                       lost */
    uint64_t top;   /* the largest */
    double *values; /* [count] */
    size_t *runs;   /* [count]: which of the cell's */
    size_t count;
    size_t apart; /* that ended otherwise */
};
/* A cell or an event that does not exist has none. */
struct kept kept_counts(const struct repeat_cell *cell, uint32_t event);

double kept_mean(const struct kept *kept);                         /* NaN: none */
double kept_variance(const struct kept *kept);                     /* NaN: fewer than two */
double kept_shift(const struct kept *from, const struct kept *to); /* of the mean */
size_t kept_distinct(const struct kept *kept);                     /* different counts */
/* The status with which most of the cell's runs ended; 0 where there are none. */
uint64_t kept_status(const struct repeat_cell *cell);
/* A run that ended so and wrote what is usual (REPEAT_USUAL_OUTPUT); NULL: there is no usual
 * output. */
const struct repeat_run *kept_output(const struct repeat_cell *cell, uint64_t status);
/* Did it ever have several threads or processes? */
bool cell_has_tasks(const struct repeat_cell *cell);
/* Have both written the same? */
bool wrote_alike(const struct repeat_run *one, const struct repeat_run *other);
/* The variance without the runs that lie farthest off, one in KEPT_TRIMMED; NaN: too few. */
double kept_trimmed(const struct kept *kept);

/* ----------------------------------------------------------------------------------------------
 * Is one row of counts more spread out than another, and how much? The question is answered by
 * permutation, because counts of programs are seldom normal: they have levels and outliers. The
 * size is the ratio of variances. */

/* Probability that chance alone makes the runs of `more` lie as much farther from what is usual
 * in their own cell than those of `less` do. 1 where one of them has no runs. */
double spread_p(const struct kept *const *more, size_t more_count, const struct kept *const *less,
                size_t less_count, uint64_t seed);

/* 95 % of variance(over) / variance(under): by the F distribution, widened by resampling where
 * outliers make that wider. Where all counts of one are identical nobody knows its variance; as
 * many of its runs as could have been missed are taken to vary like the other's. From 0 to infinity
 * where fewer than two runs are, or neither varies. */
struct interval spread_ratio(const struct kept *over, const struct kept *under, uint64_t seed);

/* The value that F of these degrees of freedom exceeds with probability tail; chi squared of df_1
 * where df_2 is 0. */
double value_exceeded(double tail, double df_1, double df_2);

/* A number that belongs to a group, and its rank among all. */
struct ranked {
    double value, rank;
    size_t group;
};
/* In order; equal values share the mean of their ranks, from 1. */
void give_ranks(struct ranked *list, size_t count);

/* ----------------------------------------------------------------------------------------------
 * What runs count beyond the instructions of their program, and how much of it goes with page
 * faults and with interrupts. */

enum disturbance { DISTURBANCE_FAULT, DISTURBANCE_INTERRUPT, DISTURBANCES };
extern const char *const disturbance_names[DISTURBANCES]; /* "page-fault", "interrupt" */

/* What one page fault (or interrupt) adds to the event; NULL: nobody knows. */
const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance);
