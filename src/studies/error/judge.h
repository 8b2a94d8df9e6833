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
 * What one iteration of a loop costs in a process: its fastest run, since nothing makes a run
 * faster than the code allows. Processes are the replicates of placement. */

struct fastest {
    size_t group; /* place or window */
    uint32_t levels[2];
    double per_iteration;
};

/* One value for each process with runs; room for cell->processes. Returns how many. */
size_t fastest_of(const struct error_cell *cell, size_t group, struct fastest *list);

/* A process far from the others of its group says nothing of the group, but would outweigh it as a
 * square: values are moved to within a few times the usual distance from the median of their group.
 * Where so many are disturbed that they are the median of some group, that would make a group of
 * noise: nothing is moved unless groups differ more clearly then than shuffled ones do.
 * list: one stretch a group. */
void fastest_tame(struct fastest *list, size_t count, uint64_t seed);

/* Where the stretch of one group that begins at `begin` ends. */
size_t fastest_end(const struct fastest *list, size_t count, size_t begin);

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
/* Why instructions in this mode say nothing, as a clause: "instructions:uk cannot be opened: …". */
const char *why_no_instructions(const struct error_case *file, enum count_mode mode);
/* Appends which half of a claim is not tested, with the same clause up to its colon: what stands in
 * the way of an event is told with the event. */
void tell_untested_mode(const struct claim_facts *facts, enum count_mode mode,
                        struct finding *finding);

/* ----------------------------------------------------------------------------------------------
 * The mean of a cell with its processes as replicates: runs of one process depend on each other (a
 * timer's phase, the state a process happens to be in), so only processes say how well a mean is
 * known. */

struct process_mean {
    double mean;
    double variance; /* of that mean; NaN with fewer than two processes */
    double df;       /* of the variance; 0 where it is not known */
    double by_runs;  /* variance of the mean if runs were independent, for want of processes */
    size_t runs, processes;
};

/* What is averaged: a figure of one run. */
typedef double run_figure(const struct error_cell *cell, size_t run);
double error_of_run(const struct error_cell *cell, size_t run);
double run_interrupts(const struct error_cell *cell, size_t run);

/* Where the runs of a process begin that count: behind its first, in which everything is called for
 * the first time, unless there is no other. */
static inline size_t later_runs(const struct error_cell *cell, size_t process)
{
    size_t first = cell->begins[process];
    return cell->begins[process + 1] - first > 1 ? first + 1 : first;
}

/* Over later runs, each process weighing as many as it has. A cell without runs: mean NaN. */
struct process_mean process_mean_of(const struct error_cell *cell, run_figure *figure);

/* ----------------------------------------------------------------------------------------------
 * The runs of a cell as its replicates: the first run of a process apart from the later ones, and
 * one value a process where runs of a process must not count as independent. */

/* Those of the cell that has most; 1 where none has any. */
size_t error_most_runs(const struct error_case *file);

/* Windows for counters of their own are longer even where there is one: only grouped ones are
 * compared. */
static inline bool error_counts_alone(const struct error_cell *cell)
{
    return cell->counters == 1 && !cell->separate;
}

/* The later runs, or the first where there are no others. */
size_t error_usual_runs(const struct error_cell *cell, int64_t *errors);

/* For each process the median of its later runs, of its only one where it has one; between the two
 * in the middle where they are even in number. medians: room for cell->processes; scratch: for
 * twice cell->runs. Returns how many. */
size_t error_process_medians(const struct error_cell *cell, double *medians, int64_t *scratch);

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
    size_t most_runs, most_processes; /* of one cell */
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

/* ----------------------------------------------------------------------------------------------
 * Later runs of several cells thrown together, for the median over cells that differ in nothing a
 * part asks about. */

struct error_pool {
    int64_t *errors, *scratch; /* room for the runs of the longest stretch of one layout each */
    double *medians;           /* room for its processes */
    size_t count;              /* of errors */
};

struct error_pool error_pool_open(const struct error_ways *ways);
void error_pool_release(struct error_pool *pool);
#define AUTO_ERROR_POOL __attribute__((cleanup(error_pool_release)))

/* Adds the cell's later runs. */
void error_pool_add(struct error_pool *pool, const struct error_cell *cell);
/* What was added, sorted, and the pool empty again; NaN and 0 where nothing was. */
double error_pool_median(struct error_pool *pool, int64_t *min);
