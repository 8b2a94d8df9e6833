/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a claim about measurement error is, and what its rules share (docs/findings.md). Claims are
 * data in findings.c; each rule is a file. */
#pragma once

#include "studies/error/study.h"
#include "engine/findings.h"

/* Null error of one way to a count of instructions, one counter: path and pattern on a machine,
 * over all levels and links. */
struct level {
    uint32_t machine;
    bool stepped; /* exact, by execution; user mode */
    enum count_mode mode;
    const char *path;
    enum pattern pattern;
    double median, low, high; /* of the cells' medians, each weighing by its runs; 95 % interval */
    size_t cells, runs;
};

/* What a rule looks at. */
struct claim_facts {
    const struct error_case *file;
    const struct error_report *report;
    struct level *levels;
    size_t level_count;
    uint32_t machine; /* that is asked about, where the rule asks one at a time */
};

/* Finds "not testable here" in the finding, and leaves it so with the reason where nothing can
 * decide. */
typedef void error_rule(const struct claim_facts *facts, struct finding *finding);
error_rule rule_spread;          /* Z1 */
error_rule rule_user_reads;      /* Z2 */
error_rule rule_more_counters;   /* Z3 */
error_rule rule_interfaces;      /* Z4 */
error_rule rule_patterns;        /* Z5 */
error_rule rule_factors;         /* Z6 */
error_rule rule_both_duration;   /* Z7 */
error_rule rule_user_duration;   /* Z8 */
error_rule rule_kernel_duration; /* Z9 */
error_rule rule_placement;       /* Z10 */

/* --- the null errors that decide (findings-levels.c) --- */

/* Paths that count by a call of their own to the operating system or the CPU, with nothing between:
 * the paper's perfctr and perfmon. */
bool path_is_direct(const char *path);
bool path_reads_in_user_mode(const char *path);
/* Null errors of instructions in that mode, steps or measured; sources that count something else,
 * windows of no path and single processes are left out. */
bool row_speaks(const struct error_row *row, uint32_t machine, bool stepped, enum count_mode mode);
/* Later runs of a cell: the median and its interval, from the spread over so many processes. */
struct level level_of_row(const struct error_row *row);
/* All levels of the report, or -ENOMEM. The caller frees levels. */
int levels_of(const struct error_report *report, struct level **levels, size_t *count);
/* NULL: not measured. */
const struct level *level_find(const struct claim_facts *facts, bool stepped, enum count_mode mode,
                               const char *path, enum pattern pattern);

/* --- why nothing can (findings-absent.c) --- */

/* What the event counts, as its cells say; NULL: no cell. */
const char *event_class(const struct error_case *file, const char *event);
enum count_mode event_mode_of(const struct error_case *file, const char *event);
bool event_is_source(const struct error_case *file, const char *event);
/* Why instructions in this mode say nothing, as a clause: "instructions:uk cannot be opened: …". */
void why_no_instructions(const struct error_case *file, enum count_mode mode, char *why,
                         size_t size);
/* Appends which half of a claim is not tested, with the same clause up to its colon: what stands in
 * the way of an event is told with the event. */
void tell_untested_mode(const struct claim_facts *facts, enum count_mode mode,
                        struct finding *finding);
/* The same of a path or of several with this beginning: "perf-user could not measure: …". */
void why_no_path(const struct error_case *file, const char *beginning, char *why, size_t size);
