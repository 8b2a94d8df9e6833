/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a claim about repetition is, and what its rules share (docs/findings.md). Claims are data in
 * findings.c; rules that ask the same question are a file. */
#pragma once

#include "engine/findings.h"
#include "studies/repeat/study.h"
#include "stats/interval.h"

struct repeat_facts {
    const struct repeat_case *file;
    const struct repeat_report *report;
};

/* Finds "not testable here" in the finding, and leaves it so with the reason where nothing can
 * decide. -ENOMEM. */
typedef int repeat_rule(const struct repeat_facts *facts, struct finding *finding);
repeat_rule rule_controlled;  /* M1 */
repeat_rule rule_addresses;   /* M3 */
repeat_rule rule_environment; /* M4 */
repeat_rule rule_machines;    /* M11 */

/* A variation in percent of the count with its interval. */
struct relative {
    double percent, low, high;
};
/* Of a standard deviation of so many runs about a mean. Where all are identical: up to what one
 * count in one run would have made. */
struct relative relative_of(double stdev, size_t runs, double mean);
struct relative relative_row(const struct repeat_row *row);

const struct repeat_cell *cell_of_row(const struct repeat_facts *facts, size_t row);
const char *program_of_cell(const struct repeat_facts *facts, const struct repeat_cell *cell);
/* Did it ever have several threads or processes? */
bool cell_has_tasks(const struct repeat_cell *cell);
/* Copies a figure and a verdict; the smallest detectable effect follows from the interval. */
void relative_report(const struct relative *relative, enum finding_verdict verdict,
                     struct finding *finding);
