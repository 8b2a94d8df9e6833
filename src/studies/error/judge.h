/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the judge of measurement error share. */
#pragma once

#include <stdbool.h>

#include "engine/findings.h"
#include "studies/error/study.h"

typedef const struct error_cell *cell_pointer;

/* Does the cell say how an error grows with N? What a CPU counts in user mode, without a truth, is
 * work and not error. */
bool shows_duration(const struct error_cell *cell);

/* ----------------------------------------------------------------------------------------------
 * What a claim about measurement error is, and what its rules share (docs/findings.md). Claims are
 * data in findings.c. */

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

/* Rules of findings-growth.c (engine/findings.h, struct claim). */
typedef void error_rule(const struct claim *claim, const void *facts, struct finding *finding);
error_rule rule_patterns;        /* Z5 */
error_rule rule_factors;         /* Z6 */
error_rule rule_both_duration;   /* Z7 */
error_rule rule_user_duration;   /* Z8 */
error_rule rule_kernel_duration; /* Z9 */
error_rule rule_placement;       /* Z10 */

/* --- the null errors that decide (findings.c) --- */

/* NULL: not measured. */
const struct level *level_find(const struct claim_facts *facts, bool stepped, enum count_mode mode,
                               const char *path, enum pattern pattern);

/* --- why nothing can (findings.c) --- */

/* What the event counts, as its cells say; NULL: no cell. */
const char *event_class(const struct error_case *file, const char *event);
enum count_mode event_mode_of(const struct error_case *file, const char *event);
bool event_is_source(const struct error_case *file, const char *event);
/* Why instructions in this mode say nothing: "instructions:uk cannot be opened: …". */
struct reasons why_no_instructions(const struct error_case *file, enum count_mode mode);
static inline void append(struct reasons more, struct finding *finding)
{
    reasons_append(&finding->why, JOINT_CLAUSE, &more);
}
/* Appends which half of a claim is not tested, with the same clause up to its colon: what stands in
 * the way of an event is told with the event. */
void tell_untested_mode(const struct claim_facts *facts, enum count_mode mode,
                        struct finding *finding);

/* ----------------------------------------------------------------------------------------------
 * The runs of a cell as its replicates: the first run of a process apart from the later ones, and
 * one value a process where runs of a process must not count as independent. */

/* Where the runs of a process begin that count: behind its first, in which everything is called for
 * the first time, unless there is no other. */
static inline size_t later_runs(const struct error_cell *cell, size_t process)
{
    size_t first = cell->begins[process];
    return cell->begins[process + 1] - first > 1 ? first + 1 : first;
}

/* Windows for counters of their own are longer even where there is one: only grouped ones are
 * compared. */
static inline bool error_counts_alone(const struct error_cell *cell)
{
    return cell->counters == 1 && !cell->separate;
}

/* For each process the median of its later runs, of its only one where it has one; between the two
 * in the middle where they are even in number. medians: room for cell->processes. Returns how many.
 */
size_t error_process_medians(const struct error_cell *cell, double *medians);

/* Errors of several cells thrown together, for the median over cells that differ in nothing a part
 * asks about. Start from zeros. */
struct error_pool {
    int64_t *errors, *scratch; /* [room] */
    size_t count, room;
};
void error_pool_release(struct error_pool *pool);
#define AUTO_ERROR_POOL __attribute__((cleanup(error_pool_release)))

/* Adds the later runs of the cell, or the first where there are no others. */
void error_pool_add(struct error_pool *pool, const struct error_cell *cell);
/* Sorts what was added: so many errors, which stay until more are added to the empty pool. */
size_t error_pool_sort(struct error_pool *pool);
/* The median of what was added, sorted, and the pool empty again; NaN and 0 where nothing was. */
double error_pool_median(struct error_pool *pool, int64_t *min);

/* ----------------------------------------------------------------------------------------------
 * The cells of the null specimen in one order, so that those which a part compares stand together:
 * by event, machine, path, pattern, layout, number and choice of counters, -O, link. Measured
 * events come before stepped ones, otherwise in the order in which the case names them; paths and
 * the rest by name. */

struct error_way_of {
    const struct error_cell *cell; /* PART_NULL or PART_STEPPED, with runs */
    uint32_t event;                /* number of the event, equal for equal events */
    /* Of the choices of further counters, the one by which numbers of counters are compared: the
     * event itself repeated; where a path takes no event twice, one growing row of others. */
    bool usual;
};
struct error_ways {
    struct error_way_of *list;
    size_t count;
    size_t most_processes; /* of one cell */
};

struct error_ways error_ways_of(const struct error_case *file);

/* Where the stretch that begins at `begin` and shares event, machine, path … up to `depth` ends. */
enum error_way_depth {
    WAY_EVENT,
    WAY_MACHINE,
    WAY_PATH,
    WAY_PATTERN,
    WAY_LAYOUT,
    WAY_COUNTERS,
    WAY_OTHERS
};
size_t error_ways_end(const struct error_ways *ways, size_t begin, enum error_way_depth depth);

/* ----------------------------------------------------------------------------------------------
 * The null cells of one event as observations with levels of factors, one value a process: what
 * the analysis of variance and the range of a factor's levels are computed from. */

struct error_observed {
    const struct error_cell *cell;
    uint32_t levels[FACTOR_COUNT];
    double mean; /* of the processes */
    size_t processes;
};
struct error_levels {
    struct error_observed *cells;
    size_t count;
    uint32_t levels[FACTOR_COUNT]; /* how many of each factor occur */
    uint32_t factors;              /* bits of those with at least two */
    size_t other_choices;          /* cells left out: other events as further counters … */
    size_t other_layout;           /* … and counters opened one by one, where groups exist */
};

/* Of ways begin … end - 1, which share the event. */
struct error_levels error_levels_of(const struct error_case *file, const struct error_ways *ways,
                                    size_t begin, size_t end);

/* How far apart the levels of a factor lie between cells that agree in all other factors: what else
 * differs between the cells of a level does not move it as it moves plain means. 0 where they are
 * equal; NaN where no two levels can be compared so. */
double error_range_of(const struct error_levels *levels, enum error_factor factor);
