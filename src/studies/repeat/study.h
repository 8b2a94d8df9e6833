/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the judge says of repetition (docs/repeat.md). Pure: a case in, a report out. Every part
 * fills its own field.
 *
 * The folder:
 *
 *     study.h                 the case of repetition, the report of the judge, and what its files
 *                             share
 *     study.c                 options, programs and sources that they ask for, entry in the driver
 *     suite.h, .c             lists of real programs, and their inputs
 *     parts.h                 what the files outside of the judge share
 *     plan.c                  which executions a budget holds
 *     store.c                 executions -> the store -> the case
 *     judge.c                 variation; which runs belong together; all parts in order; pure
 *     judge-controls.c        which control brought which part; do the points of a sweep differ
 *     judge-causes.c          why a program is not the same from run to run
 *     judge-align.c           sources compared, and why they differ
 *     judge-adjust.c          counts less what the operating system added
 *     findings.c, -subjects.c M1 to M11
 *     words.c                 every sentence of the judge
 *     fields.c                the report as tables: JSON, CSV, Markdown
 *     show.c, show-table.c    the report for people
 *     figures.c               which rows make which picture
 *     summary.c               what reports, runs and comparisons say of it */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/findings.h"
#include "stats/interval.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * What is laid before the judge of repetition: programs, and for each the executions under every
 * setting and source, with what they counted. Nothing here knows a machine, a store or a tool, so
 * a test can plant any program. */

/* Every sentence of the judge (words.c). */
/* clang-format off */
enum repeat_word {
    SAYS_IDENTICAL, SAYS_VARIES_BY, SAYS_UNKNOWN, SAYS_TIMED_OUT, SAYS_FEW_RUNS,
    SAYS_FROM_TO, SAYS_UNDECIDED, SAYS_NOT_SINGLY, SAYS_NEEDED, SAYS_ALONE_MOST,
    SAYS_NONE_ALONE, SAYS_EACH_ENOUGH, SAYS_DID_IT, SAYS_NEEDED_ONLY, SAYS_WITH_IT,
    SAYS_WITHOUT_IT, SAYS_AS_WELL, SAYS_MOVES, SAYS_FEWER, SAYS_MORE, SAYS_REST,
    SAYS_FOLLOWS, SAYS_HAS_TASKS, SAYS_OUTPUT_TOO, SAYS_ALWAYS_SAME, SAYS_WORSE,
    SAYS_NO_CONTROL, SAYS_ONE_POINT, SAYS_UNREPEATED, SAYS_SAME_COUNT, SAYS_NO_MORE,
    SAYS_DRAWS, SAYS_PERIOD, SAYS_LINE, SAYS_LEVELS, SAYS_GAVE, SAYS_PART, SAYS_PART_LATER,
    SAYS_OPEN_ORDER, SAYS_NO_CALL, SAYS_COUNTS_SAME, SAYS_CALLED, SAYS_OTHER_ORDER,
    SAYS_SAME_ORDER, SAYS_TASKS, SAYS_WROTE, SAYS_ADDRESSES, SAYS_ADDRESSES_CALLS,
    SAYS_ADDRESSES_SAME, SAYS_FUNCTION, SAYS_FUNCTIONS, SAYS_REPEATED, SAYS_UNRECORDED,
    SAYS_UNACCOUNTED, SAYS_SYSTEM, SAYS_UNTOLD, SAYS_FEW_DIFFER, SAYS_NO_COUNTER,
    SAYS_ABSENT, SAYS_ONLY_TASKS, SAYS_ONLY_KIT, SAYS_NO_PAIR, SAYS_MOST_LEFT,
    SAYS_MOST_AS_IS, SAYS_TASKS_OUT, SAYS_PLACES, SAYS_TOO_LITTLE, SAYS_CHANGES,
    SAYS_MAY_CHANGE, SAYS_NONE_DEPENDS, SAYS_NO_RANDOM, SAYS_NO_SIZES, SAYS_ONE_MACHINE,
    SAYS_SAME_MACHINE, SAYS_FOREIGN, SAYS_UNLIKE, SAYS_MADE_TO_VARY, SAYS_NOT_ON_TWO,
    SAYS_FARTHEST, SAYS_PAIRS, SAYS_EMULATED, SAYS_LEFT_OUT, SAYS_BY_NAME,
    SAYS_NOTHING_SHOWS, SAYS_NEEDS_COUNTER, SAYS_NONE_COUNTED, SAYS_NO_FLDCW, SAYS_OPCODES,
    SAYS_GROWS, SAYS_OWN_DOING, SAYS_REPETITIONS, SAYS_TOO_MANY, SAYS_NO_TOOL,
    SAYS_NOT_EVERY_TOOL, SAYS_NO_STRINGS, SAYS_NO_STACK, SAYS_LAYOUT, SAYS_LOWER,
    SAYS_WIDE_TOO, SAYS_STACK_SAME, SAYS_STACK_UNSURE, SAYS_TOOL_DIFFERS, SAYS_TOOL_AGREES,
    SAYS_ENDLESS, SAYS_NOT_WIDTH, SAYS_NO_DOUBLES, SAYS_NO_ROUNDING, SAYS_NOT_ADDRESSES,
    SAYS_NO_LOOP, SAYS_NO_HASH, REPEAT_WORDS
};
/* clang-format on */
extern const struct reason_words repeat_words[REPEAT_WORDS];
#define SAY(reasons, word, ...)                                                                    \
    REASON(reasons, CLAUSE, &repeat_words[word] __VA_OPT__(, ) __VA_ARGS__)
#define BECAUSE(finding, word, ...) SAY(&(finding)->why, word __VA_OPT__(, ) __VA_ARGS__)

/* A machine whose store is part of the case; one in most cases, several for M11. */
struct repeat_machine {
    char *name;        /* "AMD EPYC (x86_64)" */
    char *fingerprint; /* the same machine measured twice is one machine */
    bool emulated;
};

struct repeat_program {
    char *name;  /* cell.command.name */
    char *words; /* cell.command.words */
    /* of subjects; the others have neither */
    bool subject;
    char *subject_name; /* "" */
    char *shows;        /* ids of findings; "" */
    int bits;           /* 32, 64; 0: unknown */
    bool has_truth;
    int64_t truth; /* instructions, of the N that stands in its words */
};

/* One execution that ended by itself. */
struct repeat_run {
    uint32_t process;
    uint64_t status; /* wire/command.h */
    uint64_t output_bytes, output_sum;
    uint64_t tasks, processes, left;
    bool has_interrupts;
    uint64_t interrupts;
    uint64_t nanoseconds;
    struct account account;
};

/* A function (or opcode, or class) of one execution. */
struct repeat_executed {
    char *object, *name;
    uint64_t count, repetitions;
};
struct repeat_call {
    uint64_t position;
    uint32_t task;
    char *name, *what;
    int64_t result;
    uint64_t asked, sum;
};

/* Of what something is said: indexes into the case. */
struct repeat_place {
    size_t machine, program;
};
static inline bool is_same_place(const struct repeat_place *one, const struct repeat_place *other)
{
    return one->machine == other->machine && one->program == other->program;
}

/* All executions of one cell. */
struct repeat_cell {
    struct repeat_place at;
    char *source; /* "perf_event", "step", "qemu", "valgrind" */
    uint32_t controls;
    enum command_sweep sweep;
    uint64_t swept;
    enum command_detail detail;
    uint32_t events; /* without the columns run/…/ */
    char **event;    /* [events]: "instructions:u", "qemu/instructions/", as in the cell */
    char **class;    /* [events]: "instructions"; "" unknown. Of a source the class of its event */
    size_t runs;
    struct repeat_run *list; /* [runs], in the order in which they were made */
    uint64_t *counts;        /* [run * events + event] */
    double *scheduled;       /* [run * events + event]: running / enabled time; 1: all the time */
    /* DETAIL_CODE, of the first run */
    struct repeat_executed *functions;
    size_t function_count;
    /* DETAIL_CALLS, of each run: calls of run r are [call_begins[r], call_begins[r + 1]) */
    struct repeat_call *calls;
    size_t *call_begins; /* [runs + 1]; NULL: none */
    uint32_t failed;     /* executions that could not be counted */
    uint32_t timed_out;  /* of the runs */
    int error;
    char *reason; /* NULL: none failed */
    char
        *remark; /* why its counts are of another path than the program's own; NULL: they are not */
};

struct repeat_absence {
    char *what, *reason;
    int error;
};

struct repeat_case {
    struct repeat_machine *machines;
    size_t machine_count;
    struct repeat_program *programs; /* the same name and words on two machines are one program */
    size_t program_count;
    struct repeat_cell *cells;
    size_t cell_count;
    struct repeat_absence *absences;
    size_t absence_count;
};

/* Is it a command, a subject or a workload that was made to show something? By finding: "M9". */
bool repeat_program_shows(const struct repeat_program *program, const char *finding);
/* The event's column, or -1. */
int repeat_event(const struct repeat_cell *cell, const char *event);

/* --- the report; every part of the judge fills its own field --- */

/* --- one event of one program under one setting, by one source (judge.c) --- */
struct repeat_row {
    const struct repeat_cell *cell; /* with it machine, program, source, setting, sweep */
    uint32_t event;
    size_t runs;  /* that ended alike; others are left out, and counted here: */
    size_t apart; /* ended with another status than most, were scheduled for a part of the time
                     only, or wrote something else */
    uint64_t min, max;
    double mean, stdev, cv_percent; /* NaN where there are fewer than two runs, or the mean is 0 */
    size_t distinct;                /* how many different counts; 1: identical */
    double usual;                   /* the median */
    /* after subtracting what faults and interrupts add (judge-adjust.c) */
    bool is_adjusted;
    double adjusted_mean, adjusted_stdev, adjusted_cv_percent;
    double residual, residual_low, residual_high; /* adjusted mean less the truth or the aligned
                                                     count of a source; NaN: there is none */
};

static inline const char *repeat_event_of(const struct repeat_row *row)
{
    return row->cell->event[row->event];
}
#define REPEAT_SETTING(controls) setting_name(controls, (char[200]){""}, 200)

/* The same event of the same program, by the same source. */
bool is_same_count(const struct repeat_row *one, const struct repeat_row *other);

/* --- what a control brings (judge-controls.c) --- */
struct control_setting {
    double cv;        /* percent; NaN: not measured */
    double part;      /* share of the as-is variance that is gone, or that comes back; 1: all */
    double low, high; /* 95 % */
    double shift;     /* of the mean, events */
    bool shifts;      /* beyond chance */
};
struct control_part {
    enum control control;
    struct control_setting only;    /* everything as-is but this one on */
    struct control_setting without; /* everything controlled but this one off */
    bool brings;                    /* this control alone brings most of what can be had */
    bool is_needed; /* without it a good part of the variation comes back (NEEDED_SHARE) */
};
struct repeat_effect {
    const struct repeat_row *as_is, *controlled;
    double ratio; /* stdev as-is / controlled; INFINITY: identical when controlled; NaN: neither
                     varies */
    double ratio_low, ratio_high; /* 95 % */
    struct control_part parts[CONTROL_COUNT];
    struct reasons who; /* which control did it, or that several are needed, or that the rest
                           varies whatever is controlled, and what that is where it is known */
};

struct repeat_sweep {
    struct repeat_place at;
    const char *source, *event;
    enum command_sweep sweep;
    size_t points; /* values that were tried */
    uint64_t first, last;
    double lowest, highest;              /* medians of points */
    size_t levels;                       /* distinct medians */
    double slope, slope_low, slope_high; /* events a byte; NaN for aslr */
    double within;                       /* standard deviation of runs at the same point, pooled */
    bool matters;                        /* points differ beyond what runs at one point do */
    struct reasons what;                 /* how much, by which step, periodic or not */
};

/* --- why a program is not the same from run to run (judge-causes.c) --- */
enum repeat_parting {
    PARTING_TIME,      /* it asks for the time */
    PARTING_IDENTITY,  /* process or thread ids */
    PARTING_RANDOM,    /* getrandom, /dev/urandom */
    PARTING_PARTIAL,   /* reads or writes that gave less than asked, EINTR, EAGAIN */
    PARTING_THREADS,   /* several tasks whose order is not fixed */
    PARTING_ADDRESSES, /* counts follow address randomisation, and nothing else differs */
    PARTING_MACHINE,   /* it asks for CPUs, memory, load */
    PARTING_FILES,     /* a file had other contents or another state */
    PARTING_OUTPUT,    /* its output differs from run to run */
    PARTING_COUNT
};
extern const char *const repeat_parting_names[PARTING_COUNT]; /* "time" "identity" … */
struct repeat_seen {
    struct repeat_place at;
    enum repeat_parting cause;
    bool parted; /* two executions parted right here; else it only may */
    uint64_t times;
    struct reasons evidence; /* "getrandom gave other bytes at call 12 of 340" */
};

/* --- sources held against each other (judge-align.c) --- */
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
extern const char *const align_why_names[WHY_COUNT]; /* "vdso", "cpuid", … */
struct align_reason {
    enum align_why what;
    double instructions;     /* of the difference */
    struct reasons evidence; /* functions that differ */
};
struct repeat_alignment {
    struct repeat_place at;
    const char *source, *against;
    double raw;         /* instructions as the source counts them itself; NaN: not told */
    double repetitions; /* of string instructions */
    double aligned;     /* each once */
    double reference;   /* the other source's, aligned; or the subject's truth ("truth") */
    double difference;  /* aligned − reference */
    bool same;          /* to the instruction, in every run */
    struct align_reason *reasons; /* the largest first */
    size_t reason_count;
    double unexplained; /* instructions of the difference that no reason covers */
};

/* --- what the operating system adds (judge-adjust.c) --- */
enum disturbance { DISTURBANCE_FAULT, DISTURBANCE_INTERRUPT, DISTURBANCES };
extern const char *const disturbance_names[DISTURBANCES]; /* "page-fault", "interrupt" */
struct repeat_contribution {
    size_t machine;
    const char *event;
    enum disturbance of;
    bool known;
    double each, low, high; /* events per fault or interrupt, 95 % */
    size_t runs, programs;
    double residual;    /* standard deviation that is left */
    bool firm;          /* the programs' own instructions are known, or known not to vary; else what
                           goes with faults may be what the programs themselves do then */
    struct reasons why; /* why it is not known */
};

/* --- the proper counter (judge-adjust.c): events of one class by agreement with the truth --- */
struct repeat_rank {
    size_t machine;
    const char *class, *event;
    uint32_t place; /* from 1 */
    double off_percent, stdev_percent;
    size_t programs;
};

#define REPEAT_FINDINGS 11
struct repeat_report {
    size_t executions;
    struct repeat_row *rows; /* by machine, program, source, event, sweep, setting, swept */
    size_t row_count;
    struct repeat_effect *effects; /* by machine, program, source, event */
    size_t effect_count;
    struct repeat_sweep *sweeps;
    size_t sweep_count;
    struct repeat_seen *seen;
    size_t seen_count;
    struct repeat_alignment *alignments;
    size_t alignment_count;
    struct repeat_contribution *contributions;
    size_t contribution_count;
    struct repeat_rank *ranks;
    size_t rank_count;
    struct finding findings[REPEAT_FINDINGS]; /* M1 … M11 */
};

/* All parts in order. */
void repeat_judge(const struct repeat_case *file, uint64_t seed, struct repeat_report *report);

/* The parts after the rows, in this order; each reads what those before it filled. */
void repeat_judge_contributions(const struct repeat_case *file, struct repeat_report *report);
void repeat_adjust(const struct repeat_case *file, struct repeat_report *report);
void repeat_judge_controls(uint64_t seed, struct repeat_report *report);
void repeat_judge_sensitivity(const struct repeat_case *file, struct repeat_report *report);
void repeat_find_causes(const struct repeat_case *file, struct repeat_report *report);
void repeat_align(const struct repeat_case *file, struct repeat_report *report);
void repeat_rank_events(const struct repeat_case *file, struct repeat_report *report);
/* Those without evidence say why. */
void repeat_judge_findings(const struct repeat_case *file, struct repeat_report *report);

/* ----------------------------------------------------------------------------------------------
 * Where the judge of repetition draws its lines; docs/repeat-judging.md says why each lies there.
 */

/* --- rows: which runs belong together --- */

/* An event that perf_event counted for a smaller share of the time was extrapolated by nobody, and
 * is set apart. The two times are taken one after the other, hence not 1. */
#define REPEAT_SCHEDULED 0.999
/* An output is the usual one when at least this share of the runs wrote it; where no output is, all
 * of them are kept: then what it writes differs by nature. */
#define REPEAT_USUAL_OUTPUT (2.0 / 3)

/* --- controls --- */

/* Chance that any control is named where none does anything, over all controls of one program. */
#define CONTROLS_LEVEL 0.02
/* Chance that a level is said to have moved where it has not, of one program. */
#define SHIFT_LEVEL 0.01
/* Chance that as-is is said to vary more where it does not. */
#define VARIES_LEVEL 0.01
/* Draws of the permutation tests; the least p they can give is the inverse. */
#define PERMUTATIONS 20000u
/* Draws of resampled intervals, used beside the F distribution from this many runs. */
#define RATIO_DRAWS     1000u
#define RATIO_RESAMPLED 7u
/* A control brings most when it alone takes away this share of what all of them together do. */
#define BRINGS_SHARE 0.5
/* It is needed when without it this share of that comes back: a third of the standard deviation. */
#define NEEDED_SHARE 0.1
/* Shares are also taken without the runs that lie farthest off, one in so many: a stray one must
 * not hide what all others show. */
#define KEPT_TRIMMED 6u
/* Fewer runs than this allow no statement about a control. */
#define CONTROLS_RUNS 4u
/* What is left is said to follow interrupts or faults when they explain this share of it … */
#define FOLLOWS_SHARE 0.5
/* … and chance would not, by this. */
#define FOLLOWS_LEVEL 0.001

/* --- sweeps --- */

/* Points differ when chance within points would hardly do it. */
#define SWEEP_LEVEL 0.001
/* Medians that lie closer than this many standard deviations within points are one level. */
#define SWEEP_SAME_LEVEL 3.0
/* A period is said when points that lie it apart explain this share of the variance … */
#define PERIOD_SHARE 0.9
/* … and there are at least this many of them. */
#define PERIOD_TIMES 2u
/* Powers of two that are tried, bytes. */
#define PERIOD_LEAST 4u
#define PERIOD_MOST  8192u

/* --- findings --- */

#define PAPER_RUNS 7u /* of each setting, in the paper */
/* What it reports, in percent. */
#define PAPER_AS_IS      1.07
#define PAPER_CONTROLLED 0.002
/* Machines count the same when their usual counts lie within this of each other, in percent. */
#define PAPER_BETWEEN 0.002

/* ----------------------------------------------------------------------------------------------
 * Forms of functions, by their names: why two sources count one program differently follows from
 * the functions that each of them executed. */

/* Is it one of several forms of a function between which the CPU's features choose? */
bool align_is_variant(const char *name);
/* … of this one? "__memcpy_avx2" of "memcpy". */
bool align_is_variant_of(const char *variant, const char *name);
/* Are both forms of one and the same function? */
bool align_are_variants(const char *one, const char *other);

/* Do a program's counts follow random addresses? What is said of that: by which control, or by
 * which sweep (of addresses; any_sweep: or of what moves them). NULL: not as far as is known. */
const struct reasons *follows_addresses(const struct repeat_report *report,
                                        const struct repeat_place *at, bool any_sweep);
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

/* A figure in percent of the count with its interval. */
struct relative {
    double percent, low, high;
};
/* Copies it with a verdict; the smallest detectable effect follows from the interval. */
void relative_report(const struct relative *relative, enum finding_verdict verdict,
                     struct finding *finding);

/* Programs of which a tool may make something else, and those that tell whether it is this. */
struct otherwise {
    const char *made, *plain;
    const char *endless; /* that may never end; NULL: none is */
    enum repeat_word as_well, alone, nobody;
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
bool counts_best(const struct repeat_report *report, const struct repeat_row *row);

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

double kept_mean(const struct kept *kept); /* NaN: none */
/* By so much that shares of the one and of the other are two figures? */
bool mean_differs(double mean, double as_is);
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

/* What one page fault (or interrupt) adds to the event; NULL: nobody knows. */
const struct repeat_contribution *contribution_of(const struct repeat_report *report,
                                                  size_t machine, const char *event,
                                                  enum disturbance disturbance);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told repeat_told;
