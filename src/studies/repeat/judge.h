/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the judge of repeated programs share. */
#pragma once

#include <stdio.h>

#include "engine/findings.h"
#include "stats/interval.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * Why two sources count one program differently, by the functions that each of them executed. */

/* In the order in which they are tried; the last takes what is left. */
enum align_why {
    WHY_VDSO,
    WHY_CPUID,
    WHY_ENVIRONMENT,
    WHY_REPEATED,
    WHY_FLOATING_POINT,
    WHY_START_UP,
    WHY_ADDRESSES,
    WHY_OPERATING_SYSTEM,
    WHY_UNKNOWN,
    WHY_COUNT
};
extern const char *const align_why_names[WHY_COUNT];

/* One function as both executed it. */
struct align_function {
    const char *object, *name; /* the object without its folder */
    uint64_t counts[2];        /* of the source, of the reference */
    uint64_t repetitions[2];
    double difference;
    bool resolves; /* it chooses between forms of itself, which are there under longer names */
    bool replaced; /* it is a form that one of the two executes, and the other executes another */
};

/* What else is known of the program. */
struct align_known {
    bool addresses; /* its counts follow addresses, by a control, a sweep or its nature */
    bool converges; /* it is made to show floating-point width (M9) */
    bool preloads;  /* one of the two loads a library of its own into it */
    bool looks_up;  /* it is linked statically, and one of the two looks up functions in a vDSO that
                       the other does not have */
    double adjusted; /* what faults and interrupts add to the source's count beyond the other's */
};
enum align_why align_why_of(const struct align_function *function, const struct align_known *known);
/* Is it one of several forms of a function between which the CPU's features choose? */
bool align_is_variant(const char *name);
/* … of this one? "__memcpy_avx2" of "memcpy". */
bool align_is_variant_of(const char *variant, const char *name);
/* Are both forms of one and the same function? */
bool align_are_variants(const char *one, const char *other);
/* Does it look up symbols, which a statically linked program does for the vDSO alone? */
bool align_looks_up(const char *name);
/* Does it only serve others: allocate, copy, compare, lock? Then it is executed less or more often
 * because of those. */
bool align_serves(const char *name);

/* Fills reasons and unexplained, so that they add up to the difference. executed: of the source and
 * of the reference; NULL: not recorded. -ENOMEM. */
int align_explain(const struct repeat_cell *const executed[2], const struct align_known *known,
                  struct repeat_alignment *alignment);

/* ----------------------------------------------------------------------------------------------
 * What a system call can bring into a program that is not the same each time, and two executions
 * walked beside each other. */

/* What is to be known of a call, by its name and file (judge-causes.c: a table). */
struct call_kind {
    const char *name; /* NULL: any */
    const char *file; /* how its file begins; NULL: any */
    enum repeat_parting cause;
    bool source; /* it brings something in by its nature: worth telling even where nothing came of
                    it */
    bool weak;   /* what it gives differs without anybody minding: times of access, inode numbers */
    bool place;  /* its result is an address or somebody's number: success is all that counts */
};
const struct call_kind *call_kind_of(const struct repeat_call *call);
/* What may come of it: partial input or output is seen by the result alone. -1: nothing. */
int call_source(const struct repeat_call *call);
/* Is it the same request? */
bool call_same(const struct repeat_call *one, const struct repeat_call *other);
/* Did the same request give something else? Then why: a cause, and whether that is weak. */
bool call_differs(const struct repeat_call *one, const struct repeat_call *other,
                  enum repeat_parting *cause, bool *weak);

/* Where two executions first got something else, by cause, and where they began to do something
 * else. */
struct call_difference {
    const struct repeat_call *call; /* of the first execution; NULL: none */
    size_t at, of;                  /* the how-manieth of its task's, from 1, and how many */
    uint64_t times;
};
struct calls_walked {
    struct call_difference gave[PARTING_COUNT]; /* weak ones are left out */
    bool parted;
    uint32_t task;
    size_t at, of;                         /* as above */
    const struct repeat_call *one, *other; /* what they did there; NULL: it had ended */
    int blamed;                            /* the cause nearest before that; -1: none */
    struct call_difference blame;
    struct call_difference
        last[PARTING_COUNT]; /* nearest before that, by cause, weak ones left out */
    bool order;              /* all tasks did the same, but in another order */
    uint32_t tasks;
};
/* Runs of one cell that were watched. -ENOMEM. */
int calls_walk(const struct repeat_cell *cell, size_t one, size_t other,
               struct calls_walked *walked);

/* ----------------------------------------------------------------------------------------------
 * What a claim about repetition is, and what its rules share (docs/findings.md). Claims are data
 * in findings.c. */

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

/* ----------------------------------------------------------------------------------------------
 * What the rules share that programs of the kit decide: which cells speak, and how far apart the
 * counts of two of them lie. */

repeat_rule rule_opcodes;     /* M2 */
repeat_rule rule_stack;       /* M5 */
repeat_rule rule_faults;      /* M6 */
repeat_rule rule_interrupts;  /* M7 */
repeat_rule rule_repetitions; /* M8 */
repeat_rule rule_rounding;    /* M9 */
repeat_rule rule_tool_layout; /* M10 */

/* Tools that execute programs their own way; ends with NULL. */
extern const char *const repeat_tools[];

/* The next program (from *index on) that is this subject; NULL: no more. *index is then its own. */
const struct repeat_program *subject_next(const struct repeat_case *file, const char *name,
                                          size_t *index);
/* N of "subject:NAME N"; 0: it has none. */
uint64_t subject_n(const struct repeat_program *program);

/* The cell of this program by this source under as many controls as there are, neither swept nor
 * watched, with an event of user instructions; NULL: none that ended. *event is that. */
const struct repeat_cell *controlled_cell(const struct repeat_case *file, size_t machine,
                                          size_t program, const char *source, uint32_t *event);
/* The same on the CPU itself: by its counter, or stepped. */
const struct repeat_cell *cpu_cell(const struct repeat_case *file, size_t machine, size_t program,
                                   uint32_t *event);

/* How much more one cell counts than another: means, with a 95 % interval. Whole counts leave half
 * of one open. known: both have at least two runs. */
struct apart {
    bool known;
    double from, to; /* means */
    double events, low, high;
    double percent, percent_low, percent_high; /* of from */
    bool differs;                              /* by at least a count, beyond chance */
};
/* What the paper saw without any control, in percent: a smaller difference would not matter, and a
 * larger one that may be there decides nothing. */
#define APART_DECIDES 1.07
bool apart_is_none(const struct apart *apart); /* no difference of that size, for certain */
/* -ENOMEM */
int apart_of(const struct repeat_cell *from, uint32_t from_event, const struct repeat_cell *to,
             uint32_t to_event, struct apart *apart);

/* The same of two counts of each run: moments of what the second has more, from a mean. */
struct moments;
void apart_paired(const struct moments *more, size_t runs, double from, struct apart *apart);

/* Did every execution have to be ended because its time was over? */
bool never_ended(const struct repeat_cell *cell);
/* The largest of those that were found, by what lies between. */
bool apart_larger(const struct apart *one, const struct apart *other);
void apart_report(const struct apart *apart, enum finding_verdict verdict, struct finding *finding);

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
/* A cell or an event that does not exist has none. -ENOMEM. */
int kept_counts(const struct repeat_cell *cell, uint32_t event, struct kept *kept);
void kept_release(struct kept *kept);
#define AUTO_KEPT __attribute__((cleanup(kept_release)))

double kept_mean(const struct kept *kept);                         /* NaN: none */
double kept_variance(const struct kept *kept);                     /* NaN: fewer than two */
double kept_shift(const struct kept *from, const struct kept *to); /* of the mean */
size_t kept_distinct(const struct kept *kept);                     /* different counts */
/* What each run differs from the usual: less the centre of the half that lies closest together.
 * values: [count] */
void kept_residuals(const struct kept *kept, double *values);
/* The status with which most of the cell's runs ended; 0 where there are none. */
uint64_t kept_status(const struct repeat_cell *cell);
/* A run that ended so and wrote what is usual (REPEAT_USUAL_OUTPUT); NULL: there is no usual
 * output. */
const struct repeat_run *kept_output(const struct repeat_cell *cell, uint64_t status);
/* The variance without the runs that lie farthest off, one in KEPT_TRIMMED. -ENOMEM. */
int kept_trimmed(const struct kept *kept, double *variance);

/* ----------------------------------------------------------------------------------------------
 * All settings of one program, source and event: what the part about controls reckons with. */

struct settings {
    const struct repeat_case *file;
    const char *event;
    uint32_t controls; /* that "controlled" has on */
    /* indexes into rows; SIZE_MAX: not measured */
    size_t as_is_row, controlled_row;
    struct kept as_is, controlled;
    struct kept only[CONTROL_COUNT], without[CONTROL_COUNT]; /* without runs: not measured */
    const struct repeat_cell *as_is_cell, *controlled_cell;
    size_t singles; /* how many of only and without were measured */
};
/* -ENOMEM; release in either case. */
int settings_gather(const struct repeat_case *file, const struct repeat_report *report,
                    size_t as_is_row, struct settings *settings);
void settings_release(struct settings *settings);
#define AUTO_SETTINGS __attribute__((cleanup(settings_release)))

/* Has it runs enough for statements about a control? */
bool settings_enough(const struct kept *kept);

/* What is left when all is controlled follows something that was counted with the runs. */
enum follows { FOLLOWS_NOTHING, FOLLOWS_INTERRUPTS, FOLLOWS_FAULTS, FOLLOWS_SWITCHES };
struct followed {
    enum follows what;
    double each;  /* counts for one of them */
    double share; /* of the variance that it explains */
};
/* also: the as-is runs are asked too. -ENOMEM. */
int settings_follow(const struct settings *settings, bool also, struct followed *followed);

/* The sentence; varies: as-is varies more for certain, p: chance of that; named: controls for which
 * there is evidence. */
struct told {
    bool varies, varies_less;
    uint32_t named;
    struct followed followed;
};
void settings_tell(const struct settings *settings, const struct told *told,
                   struct repeat_effect *effect);

/* ----------------------------------------------------------------------------------------------
 * Is one row of counts more spread out than another, and how much? The question is answered by
 * permutation, because counts of programs are seldom normal: they have levels and outliers. The
 * size is the ratio of variances. */

/* Probability that chance alone makes the runs of `more` lie as much farther from what is usual
 * in their own cell than those of `less` do. 1 where one of them has no runs. -ENOMEM. */
int spread_p(const struct kept *const *more, size_t more_count, const struct kept *const *less,
             size_t less_count, uint64_t seed, double *p);

/* 95 % of variance(over) / variance(under): by the F distribution, widened by resampling where
 * outliers make that wider. Where all counts of one are identical nobody knows its variance; as
 * many of its runs as could have been missed are taken to vary like the other's. From 0 to infinity
 * where fewer than two runs are, or neither varies. -ENOMEM. */
int spread_ratio(const struct kept *over, const struct kept *under, uint64_t seed,
                 struct interval *interval);

/* ----------------------------------------------------------------------------------------------
 * What runs count beyond the instructions of their program, and how much of it goes with page
 * faults and with interrupts. */

enum disturbance { DISTURBANCE_FAULT, DISTURBANCE_INTERRUPT, DISTURBANCES };
extern const char *const disturbance_names[DISTURBANCES]; /* "page-fault", "interrupt" */

/* One run. */
struct surplus {
    double events; /* counted, less what is known of its program or of its cell */
    double by[DISTURBANCES];
    size_t group; /* what all runs of a group have in common is no contribution of either */
};
struct surplus_list {
    struct surplus *list;
    size_t count, groups;
};
int surplus_add(struct surplus_list *list, const struct surplus *surplus); /* -ENOMEM */
void surplus_release(struct surplus_list *list);
#define AUTO_SURPLUS __attribute__((cleanup(surplus_release)))

/* events = of its group + each · faults + each · interrupts, by least squares. Counts are whole
 * numbers: where runs scatter less than rounding would make them, the interval is that of rounding,
 * so that an exact 0 is no more certain than so many runs make it. */
struct surplus_fit {
    bool known[DISTURBANCES]; /* false: it did not vary, or there are too few runs */
    double each[DISTURBANCES], low[DISTURBANCES], high[DISTURBANCES];
    double residual; /* standard deviation that is left */
};
/* with_interrupts: else they take no part. -ENOMEM. */
int surplus_fit(const struct surplus_list *list, bool with_interrupts, struct surplus_fit *fit);

/* What one page fault (or interrupt) adds to the event; NULL: nobody knows. */
const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance);
/* Of these, what is certain to be there: 0 where the interval holds 0, or where it may be what
 * programs do themselves. */
double contribution_certain(const struct repeat_contribution *contribution);

/* Faults or interrupts of a run; false: they were not told. */
bool run_disturbances(const struct repeat_run *run, enum disturbance disturbance, double *number);

/* ----------------------------------------------------------------------------------------------
 * The points of one sweep, and questions about them. */

struct swept_point {
    uint64_t at;
    struct kept kept;
    double offset; /* base less the smallest base of all points */
    double median;
};
struct swept {
    struct swept_point *points; /* [count], by rising value */
    size_t count;
    size_t runs;       /* of all points */
    struct kept plain; /* the same setting, not swept; may have no runs */
};
void swept_release(struct swept *swept);
#define AUTO_SWEPT __attribute__((cleanup(swept_release)))

void swept_offset(struct swept *swept);
/* Standard deviation of runs at one point, pooled; of random addresses that of the setting without
 * the sweep, since its points are draws themselves. NaN: nobody repeated anything. */
double swept_within(const struct swept *swept, enum command_sweep sweep);
/* Do points differ beyond that? -ENOMEM. */
int swept_matters(const struct swept *swept, enum command_sweep sweep, uint64_t seed,
                  bool *matters);
/* The smallest distance at which counts repeat; 0: none does. */
uint64_t swept_period(const struct swept *swept);

struct sweep_shape {
    double straight; /* share of the variance that a straight line explains */
    uint64_t period;
};
void swept_tell(const struct swept *swept, const struct sweep_shape *shape,
                struct repeat_sweep *sweep);
