/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge says of measurement error (docs/error.md): one row a cell, and what the rows say
 * together. Pure: a case in, a report out. Every part fills its own field.
 *
 * The folder:
 *
 *     study.h               the case, the report of the judge, what its parts share
 *     words.c               every sentence that the judge says
 *     judge.c               rows, what was stepped, the way that errs least; all parts in order
 *     judge-factors.c       which factors matter; further counters
 *     judge-duration.c      error against N
 *     judge-placement.c     one loop at many places
 *     findings.c, -growth.c Z1 to Z10
 *     plan.h, .c            the cells that are wished for
 *     load.c                samples -> the case
 *     parts.h               what the files outside of the judge share
 *     study.c               options, events, stages, its entry in the driver
 *     fields.c              the report for programs, and its tables
 *     show.c, show-parts.c  the report for people
 *     figures.c, -growth.c  which rows make which picture
 *     summary.c             what reports, runs and comparisons say of it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/reason.h"
#include "engine/findings.h"
#include "stats/moments.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * What is laid before the judge of measurement error: cells, each one combination of factors with
 * all its runs. Nothing here knows a machine, a store or a tool, so a test can plant any effect.
 * Millions of runs are laid before it: a run is its value, and only cells whose part needs it hold
 * more. */

/* Which mode an event counts in. */
enum count_mode {
    COUNT_ANY,    /* its name says nothing, and it is no counter of the CPU: page faults, ticks */
    COUNT_USER,   /* u */
    COUNT_KERNEL, /* k */
    COUNT_BOTH,   /* uk */
    COUNT_MODES,
};
extern const char *const count_mode_names[COUNT_MODES]; /* "any", "u", "k", "uk" */

/* What a cell is there for. It follows from its factors (error_part_of in plan.h). */
enum error_part {
    PART_NULL,      /* nothing in the window, counted by an event: all of it is error */
    PART_STEPPED,   /* the same windows executed step by step: exact, in user mode */
    PART_DURATION,  /* the loop with many N: how the error grows */
    PART_PLACEMENT, /* one loop at many places, and in the windows of many patterns and levels */
    PART_MULTIPLEX, /* more events than counters, against truth */
    PART_TOOL,      /* a whole command under another program, `perf stat` */
    PART_COUNT,
};

struct error_cell {
    uint32_t machine; /* index; the first member of all that is of one machine (fields.c) */
    enum error_part part;
    char *event; /* "instructions:uk", "step/instructions/" */
    char *base;  /* without its mode: "instructions"; of a source its class */
    char *kind;  /* hardware, software, tracepoint, source … as the probe listed it */
    char *class; /* NULL: what it counts is not known */
    enum count_mode mode;
    char *path, *opt, *link;
    enum pattern pattern;
    uint32_t counters;
    bool separate;
    char *others;   /* events of the further counters, with commas; "": the same as the first */
    char *specimen; /* with its parameters */
    int64_t offset; /* of a placed specimen, bytes from the beginning of a page; -1: not placed */
    uint64_t n;
    bool has_truth; /* predicted for the specimen and N; null cells always: 0 */
    int64_t truth;
    /* --- the runs that got a counter, by process and run --- */
    int64_t *values; /* reported; multiplexed ones extrapolated to the whole time */
    size_t runs;
    size_t *begins; /* [processes + 1]: where the runs of each process begin in values; the first
                       run of a process is the one whose calls were never made before */
    size_t processes;
    size_t unscheduled, multiplexed, disturbed; /* runs; the first are not among values */
    /* --- only PART_DURATION, PART_PLACEMENT and PART_MULTIPLEX; else NULL --- */
    double *enabled, *running; /* ns, of each run */
    double *interrupts;        /* counted along with each run; NULL where they were not */
    /* --- processes that could not measure it --- */
    uint32_t failed;
    int error;
    char *reason; /* NULL: none failed */
};

struct error_machine {
    char *name;        /* "AMD EPYC (x86_64)" */
    char *fingerprint; /* machines with the same one are one machine */
    char *kit;         /* which build of the harnesses measured it; NULL: not known */
    bool emulated;     /* its times and placement mean nothing */
};

/* An event that was wanted and cannot be opened, or that no path can count. */
struct error_absence {
    char *what, *reason;
    int error;
};

struct error_case {
    struct error_machine *machines;
    size_t machine_count;
    struct error_cell *cells;
    size_t cell_count;
    struct error_absence *absences;
    size_t absence_count;
};

/* One more cell, that is placed nowhere. */
struct error_cell *error_case_add_cell(struct error_case *file);

/* left - right; where that does not fit, the nearest that does: a counter can report anything. */
static inline int64_t error_minus(int64_t left, int64_t right)
{
    int64_t difference;
    if (!__builtin_sub_overflow(left, right, &difference))
        return difference;
    return right > 0 ? INT64_MIN : INT64_MAX;
}
/* Reported minus truth of one run; the value itself where there is no truth. */
static inline int64_t error_of(const struct error_cell *cell, size_t run)
{
    return cell->has_truth ? error_minus(cell->values[run], cell->truth) : cell->values[run];
}
/* How two things are in order, and the first of several such orders that is not 0. */
#define ORDER(left, right) (((left) > (right)) - ((left) < (right)))
static inline int error_first_of(const int *orders, size_t count)
{
    size_t i = 0;
    while (i < count - 1 && !orders[i])
        i++;
    return orders[i];
}
#define FIRST_OF(...)                                                                              \
    error_first_of((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
/* Measured the same way: machine, path, pattern, opt, link, number of counters, layout. Events
 * (and the choice of the further ones), specimen and N may differ. */
bool error_same_way(const struct error_cell *left, const struct error_cell *right);

/* ----------------------------------------------------------------------------------------------
 * What the judge says of it. Every part fills its own field. */

struct error_report;

/* What the judge says; the sentences are in words.c. */
enum error_says {
    ADVICE_MACHINE,
    ADVICE_STEPPED,
    ADVICE_BUILDS,
    ADVICE_NOTHING,
    ADVICE_SUBTRACT,
    ADVICE_SPREAD,
    ADVICE_COUNTERS,
    ADVICE_LAZY,
    ADVICE_FIRST,
    ADVICE_GROWS,
    ADVICE_CONSTANT,
    NOTE_NOTHING,
    NOTE_SINGLE,
    NOTE_NO_DF,
    NOTE_ALL_EQUAL,
    NOTE_NO_VARIANCE,
    NOTE_NO_REPLICATES,
    NOTE_CONSTANT,
    NOTE_INTERACTIONS,
    NOTE_CHOICES,
    NOTE_LAYOUT,
    NOTE_ALIASED,
    NOTE_LOST_DF,
    NOTE_TOO_LARGE,
    TICKS_NO_CELL,
    TICKS_LONELY,
    TICKS_ONE_N,
    TICKS_NONE,
    TICKS_ALIKE,
    TICKS_FEW,
    TICKS_BOTH_ONE_N,
    TICKS_BOTH_NONE,
    TICKS_BOTH_LONELY,
    TICKS_UNLIKE,
    FOUND_OTHER_WAYS,
    FOUND_REFUSED,
    FOUND_FAILED,
    FOUND_NOT_MEASURED,
    FOUND_MODE_UNTESTED,
    FOUND_PATH_FAILED,
    FOUND_PATH_ABSENT,
    FOUND_NO_PATH,
    FOUND_NOT_TESTED,
    FOUND_MACHINES,
    FOUND_FEW_WAYS,
    FOUND_NO_INSTRUCTIONS,
    FOUND_SPREAD,
    FOUND_CELL,
    FOUND_READS,
    FOUND_NO_USER_MODE,
    FOUND_USER_MODE,
    FOUND_NO_CALL,
    FOUND_CALLS_SHOW,
    FOUND_ONE_NUMBER,
    FOUND_COUNTERS,
    FOUND_OWN_CODE,
    FOUND_INTERFACES,
    FOUND_INTERFACE,
    FOUND_NEXT_INTERFACE,
    FOUND_ONE_PATTERN,
    FOUND_SAME_PATTERN,
    FOUND_PATTERNS,
    FOUND_PATTERNS_OPEN,
    FOUND_BEST,
    FOUND_STEPPED,
    FOUND_FACTOR,
    FOUND_ONE_LEVEL,
    FOUND_SLOPE,
    FOUND_ONE_LENGTH,
    FOUND_ONE_SLOPE,
    FOUND_SLOPES,
    FOUND_FURTHEST,
    FOUND_KERNEL,
    FOUND_BOTH,
    FOUND_BOTH_UNTESTED,
    FOUND_HIDDEN,
    FOUND_INTERRUPTS,
    FOUND_EMULATED,
    FOUND_NO_PLACES,
    FOUND_PLACES,
    FOUND_FEW_PLACES,
    FOUND_NO_WINDOWS,
    FOUND_ALIKE_WINDOWS,
    FOUND_WINDOWS,
    ERROR_SAYS,
};
extern const struct reason_words error_words[ERROR_SAYS];
#define SAY(reasons, joint, code, ...)                                                             \
    REASON(reasons, joint, &error_words[code] __VA_OPT__(, ) __VA_ARGS__)
#define BECAUSE(finding, code, ...)                                                                \
    SAY(&(finding)->why, CLAUSE, FOUND_##code __VA_OPT__(, ) __VA_ARGS__)

/* --- one cell (judge.c) --- */
struct error_row {
    uint32_t machine;
    const struct error_cell *cell; /* with at least one run */
    struct error_spread error;     /* of all runs */
    struct error_spread first;     /* of the first run of each process */
    struct error_spread later;     /* of the others; as `first` where there are none */
    /* The exact count of the same window in user mode, where it was stepped: the usual one, and the
     * one in which everything is called for the first time. */
    bool has_stepped, stepped_varies; /* varies: processes or later runs differ; `stepped` is the
                                         median then */
    int64_t stepped, stepped_first;
};

/* --- measured against stepped (judge.c): instructions in user mode --- */
struct error_agreement {
    uint32_t machine;
    const struct error_row *row; /* of the measured cell */
    int64_t difference;          /* most frequent of measured minus stepped, over later runs */
    size_t runs, agreeing;       /* runs that show that difference */
    int64_t first_difference;    /* the same of first runs */
    int64_t edge;                /* the most frequent difference over the cells of its machine */
};
struct error_stepped {
    size_t comparable;            /* cells that were both measured and stepped */
    size_t equal;                 /* whose difference is the edge of their machine */
    int64_t edge;                 /* of the machine of the first of them: the CPU's own */
    struct error_agreement *list; /* comparable of them */
};

/* --- the paper's Table 3 (judge-advice.c): the best pattern of each path, by event and mode --- */
struct error_best {
    uint32_t machine;
    const char *event, *base, *path;
    enum count_mode mode;
    enum pattern pattern;
    bool stepped;  /* exact, by execution */
    double median; /* of the errors over opt and link, one counter, later runs; really read */
    int64_t min;
    size_t runs, cells;
    bool overall;     /* the best path of this event and mode on this machine */
    int64_t subtract; /* what to take off a count measured this way; = rounded median */
    double spread_low, spread_high; /* errors between which the middle 95 % of all lie */
};
static inline bool error_is_instructions(const struct error_best *best)
{
    return best->base && strcmp(best->base, "instructions") == 0;
}
/* Was what was stepped counted as well? Then it is told beside that, not again. */
bool error_is_counted(const struct error_report *report, const struct error_best *best,
                      bool same_path);
/* The paper's own rows, to be set beside ours. */
struct error_table3 {
    const char *mode; /* "u", "uk" */
    const char *tool; /* "pm", "PLpm", … */
    const char *like; /* what it corresponds to here: "direct", "papi-low", "papi-high" */
    enum pattern pattern;
    double median;
    int64_t min;
};
extern const struct error_table3 error_table3[12];

/* --- which factors matter (judge-factors.c): n-way analysis of variance of each event's null
 * error, process medians as replicates --- */
enum error_factor {
    FACTOR_MACHINE,
    FACTOR_PATH,
    FACTOR_PATTERN,
    FACTOR_COUNTERS,
    FACTOR_OPT,
    FACTOR_LINK,
    FACTOR_COUNT,
};
extern const char *const error_factor_names[FACTOR_COUNT]; /* "machine", "path" … */
#define ERROR_EFFECT_THRESHOLD 0.01 /* share of the variance below which nobody need care */
#define ERROR_EFFECT_P         0.001
struct error_effect {
    const char *event;
    bool stepped;
    uint32_t factors; /* bits of enum error_factor; several: their interaction */
    char name[64];    /* "path", "path x pattern" */
    size_t df;
    double sum_sq, f, p;
    double effect_size; /* eta squared: share of all variance */
    /* Share of the variance within each path of each machine: one path that adds thousands makes
     * nearly all the variance, and everything else would seem small beside it. Of path and machine
     * themselves: effect_size. */
    double share_within;
    double partial;   /* partial eta squared */
    double range;     /* between the largest and the smallest mean of a level; main effects */
    bool significant; /* p < ERROR_EFFECT_P */
    bool matters;     /* significant, and share_within >= ERROR_EFFECT_THRESHOLD */
};
struct error_anova {
    const char *event;
    bool stepped;
    uint64_t count; /* replicates */
    size_t cells, constant_cells, empty_cells;
    bool no_variance; /* replicates of a cell never differ: F is infinite */
    double r_squared, residual_sum, total_sum;
    double within_sum; /* of squares about the mean of each path of each machine */
    uint64_t residual_df;
    struct error_effect *effects; /* its rows in error_report.effects */
    size_t effect_count;
    struct reasons note; /* what had to be left out, and why */
};

/* --- number and choice of counters (judge-counters.c) --- */
struct error_point {
    uint32_t counters;
    double median;
    int64_t min;
};
struct error_by_counters {
    uint32_t machine;
    const char *event, *path;
    enum count_mode mode;
    enum pattern pattern;
    bool stepped, separate;
    struct error_point *list; /* rising */
    size_t points;
    double slope, low, high; /* of the error, for each further counter; 95 % interval */
};
/* The same number of counters, other events: what the choice changes. */
struct error_choice {
    uint32_t machine;
    const char *event, *path, *others;
    enum pattern pattern;
    uint32_t counters;
    double median, plain; /* with these others, and with the event itself repeated; NaN: a
                             path may take no event twice */
};

/* --- duration (judge-duration.c) --- */
struct error_slope {
    uint32_t machine;
    const char *event, *path;
    enum count_mode mode;
    enum pattern pattern;
    size_t runs, points;     /* points: different N */
    uint64_t longest;        /* the largest N */
    double slope, low, high; /* error for each iteration, 95 % interval; runs of a process that
                                depend on each other must not narrow it; infinite bounds where
                                nothing repeats */
    double intercept;
    bool exact;        /* no run deviates from the line: the interval is a point */
    double detectable; /* the smallest slope four of five such samples would show */
};
/* Kernel-only counts by loop size: the paper's Figure 9. */
struct error_by_size {
    uint32_t machine;
    const char *event, *path;
    uint64_t n;
    struct error_spread spread;
    double mean;
    size_t runs;
    double interrupts; /* mean of those counted along; NaN: not counted */
};
/* user+kernel slope against what ticks explain. Counting interrupts adds instructions to each (500
 * of 4000 in the lab), so like is compared with like: user+kernel cells that count interrupts
 * along, too, where there are such, else `why` says that they did not. */
struct error_ticks {
    bool known;
    struct reasons why;                              /* not, or what to mind */
    double each, each_low, each_high;                /* instructions for each interrupt */
    double rate, rate_low, rate_high;                /* interrupts for each iteration */
    double predicted, predicted_low, predicted_high; /* their product */
    double measured, measured_low, measured_high;    /* the slope of the user+kernel cells */
    bool agrees;                                     /* the intervals overlap */
};

/* --- placement (judge-placement.c) --- */
struct error_place {
    const char *event;
    int64_t offset;       /* in a page */
    double per_iteration; /* the fastest run of all processes: a busy neighbour only ever slows */
    double low, high;     /* smallest and largest process */
    size_t processes;
};
struct error_placement {
    uint32_t machine;
    const char *event;
    bool is_time;             /* ticks, cycles or ns: what a place can change in any CPU */
    struct error_place *list; /* in error_report.places, by offset */
    size_t places;
    double least, most;             /* per iteration; most: of the place that `factor` is of */
    double factor;                  /* of the dearest place, or of the 2nd, 4th ... where chance
                                       would not explain that one as easily */
    double factor_low, factor_high; /* 95 % interval */
    double by_place;                /* share of variance that places explain */
    bool has_windows;
    struct error_windows {
        double factor;
        double by_pattern, by_opt, by_both; /* shares; by_both: the combination beyond the two */
        double p_pattern, p_opt, p_both;
    } windows; /* the inline loop in those of the patterns and levels */
};

/* --- multiplexing (judge-counters.c) --- */
struct error_multiplex {
    uint32_t machine;
    const char *event, *path, *specimen;
    bool phased;              /* its work comes in phases */
    uint32_t counters;        /* asked for */
    double share;             /* of the time that the counter ran, median */
    double median, low, high; /* error in percent of the truth: median, smallest, largest run */
    double
        per_rotation; /* phases for each turn of the counters, as far as known; NaN: not phased */
    size_t runs;
    double single; /* percent, with one counter and no multiplexing; NaN: not measured */
};

/* --- what to do (judge-advice.c) --- */
struct error_advice {
    enum count_mode mode;
    const char *event;
    struct reasons why; /* "Count instructions:u with perf-user, read-read: it adds 12; …" */
};

#define ERROR_FINDINGS 10
struct error_report {
    uint64_t measurements;                  /* runs in all cells */
    size_t cells_measured, least_processes; /* of a null cell; */
    struct error_row *rows; /* one for each cell of the case that has runs, in its order */
    size_t row_count;
    struct error_stepped stepped;
    struct error_best *best;
    size_t best_count;
    struct error_effect *effects;
    size_t effect_count;
    struct error_anova *anovas;
    size_t anova_count;
    struct error_by_counters *by_counters;
    size_t by_counters_count;
    struct error_choice *choices;
    size_t choice_count;
    struct error_slope *slopes;
    size_t slope_count;
    struct error_by_size *by_size;
    size_t by_size_count;
    struct error_ticks ticks;
    struct error_place *places;
    size_t place_count;
    struct error_placement *placements;
    size_t placement_count;
    struct error_multiplex *multiplex;
    size_t multiplex_count;
    struct error_advice *advice;
    size_t advice_count;
    struct finding findings[ERROR_FINDINGS]; /* Z1 … Z10 */
};

/* Points into the case, which must outlive it. seed: for resampling. */
struct error_report error_judge(const struct error_case *file, uint64_t seed);

/* --- the parts, in the order in which they are called; each may use what those before it filled in
 * --- */
typedef void error_judge_part(const struct error_case *file, struct error_report *report);
error_judge_part error_judge_rows, error_judge_stepped, error_judge_best, error_judge_factors,
    error_judge_counters, error_judge_duration, error_judge_multiplex, error_judge_advice,
    error_judge_findings;
void error_judge_placement(const struct error_case *file, uint64_t seed,
                           struct error_report *report);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told error_told;

/* ----------------------------------------------------------------------------------------------
 * What the files of the judge share. */

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
static inline void because_all(struct reasons more, struct finding *finding)
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
