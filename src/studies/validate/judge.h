/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps from counts to a verdict, which files of the judge share. */
#pragma once

#include <stddef.h>

#include "studies/validate/study.h"

/* ----------------------------------------------------------------------------------------------
 * What the judge says; words.c has the sentences. */

/* clang-format off */
enum validate_why {
    /* one ladder */
    WHY_OUTSIDE_LIMITS, WHY_FACTOR_ONCE, WHY_FACTOR, WHY_RIGHT_UP_TO, WHY_RIGHT_FROM, WHY_STUCK,
    WHY_EXCESS, WHY_OFFSET, WHY_ONE_POINT, WHY_SCATTERED, WHY_NO_COUNTER, WHY_FAILED, WHY_NO_TURN,
    WHY_NO_PREDICTION, WHY_ONE_RUN, WHY_SPREAD, WHY_NULL_SPREAD, WHY_EXACT_LADDER,
    WHY_WITHIN_LIMITS, WHY_EQUALS_MODEL, WHY_WITHIN, WHY_WITHIN_MODEL, WHY_OFF_MODEL,
    WHY_WEAK_LIMITS, WHY_NEARLY_ZERO, WHY_ZERO, WHY_TOO_SMALL, WHY_DEAD_LADDER,
    /* one event */
    WHY_REFUSED, WHY_DISTURBED_RIGHT, WHY_DISTURBED_WRONG, WHY_OF_SPECIMEN, WHY_ADDS,
    WHY_TAKES_AWAY, WHY_UNKNOWN_CLASS, WHY_NO_SPECIMEN, WHY_NONE_PREDICTS, WHY_NOT_JUDGED,
    WHY_EXACT, WHY_DEAD, WHY_FIRST_RUN, WHY_PROCESSES, WHY_NO_NULL, WHY_DRIFTS, WHY_UNSCHEDULED,
    WHY_ACCOUNT, WHY_REACH, WHY_STRAYED, WHY_AGAINST_MODEL, WHY_WIDE_LIMITS, WHY_UNDIAGNOSED,
    /* events beside one another */
    WHY_PATTERNS, WHY_COUNTERS, WHY_CORES, WHY_PATHS, WHY_SUM, WHY_OTHER_MODE, WHY_MODE_REFUSED,
    WHY_NO_FILTER, WHY_NO_FILTER_IN_KERNEL, WHY_HYPERVISOR, WHY_FILTER_OF_PMU,
    /* causes */
    WHY_POINT_OFF, WHY_LONG_WINDOWS, WHY_UNFILTERED, WHY_OTHER_CLASS, WHY_LOST, WHY_EXTRAPOLATED, WHY_MULTIPLEXED, WHY_WRAPS,
    WHY_CEILING, WHY_FIRST_MISSING, WHY_THRESHOLD, WHY_TICKS, WHY_INTERRUPTS, WHY_INTERRUPT_HANDLER,
    WHY_STRAY_FAULTS, WHY_FAULT_HANDLER, WHY_EACH, WHY_EACH_IN_KERNEL, WHY_EACH_BORDER,
    WHY_EACH_TICK, WHY_EACH_HANDLER, WHY_EACH_CLASS, WHY_OPCODE, WHY_CONSTANT, WHY_CONSTANT_BEYOND,
    WHY_SCALED,
    /* findings */
    WHY_READING, WHY_SINGLE_READING, WHY_ENDS, WHY_NO_ENDS, WHY_ZERO_UP_TO, WHY_COUNTS_FROM,
    WHY_NO_CLEAR_THRESHOLD, WHY_NOT_ABOUT_100, WHY_ALWAYS_ZERO, WHY_EMULATED, WHY_DECIDES,
    WHY_HOLDS_LIMIT, WHY_TOO_WIDE, WHY_DEAD_EVENT, WHY_EXCEPTION_KEEPS, WHY_EXCEPTION_BREAKS,
    WHY_EXCEPTION_OPEN, WHY_NOT_TESTED, WHY_OF_TEST, WHY_CANNOT_OPEN, WHY_NEVER_SCHEDULED,
    WHY_CANNOT_COUNT, WHY_NOT_FORETOLD, WHY_NOT_MEASURABLE, WHY_COUNTS_TOO_SMALL,
    WHY_COUNTS_TOO_LARGE, WHY_NOT_MEASURED_ON, WHY_NO_EVENT, WHY_ONLY_SOURCES, WHY_COUNT
};
/* clang-format on */
extern const struct reason_words validate_words[WHY_COUNT];
/* One more sentence of a note, and one more clause of a finding. */
#define SAY(reasons, code, ...)                                                                    \
    REASON(reasons, SENTENCE, &validate_words[WHY_##code] __VA_OPT__(, ) __VA_ARGS__)
#define BECAUSE(reasons, code, ...)                                                                \
    REASON(reasons, CLAUSE, &validate_words[WHY_##code] __VA_OPT__(, ) __VA_ARGS__)

/* ----------------------------------------------------------------------------------------------
 * The errors of all runs of one event, point by point: what every explanation looks at. An
 * explanation that was found takes its part out of them (a run that wrapped is unwrapped, a lost
 * one is left out), and what remains is laid before the next. */

struct error_run {
    const struct evidence_run *run;
    double error; /* count minus overhead minus truth */
    bool disturbed, multiplexed;
    bool left_out; /* an explanation has claimed it */
    const struct error_point *point;
};

struct error_point {
    const struct judged_point *judged;
    const struct point *point;
    double truth;     /* predicted count; of a bounded truth its lower limit */
    bool proven;      /* … to the count: the others have shapes, but no place in a regression */
    bool far_outside; /* of the limits of a bounded truth: it has a place all the same */
    bool left_out;    /* an explanation has claimed it */
    struct error_run *runs;
    size_t run_count;
    /* Of the quiet runs that are not left out: */
    size_t quiet, processes;
    double spread;   /* between the quartiles of the errors */
    double location; /* of the error; robust */
    double sigma;    /* of the location, at least half a count and a small part of the truth … */
    double scatter;  /* … and as the runs alone say, without that part */
    double excess;   /* variance of the location that only shows between processes */
    double enabled;  /* mean, s */
    double interrupts, faults, switches;
    size_t way; /* points with the same one have their overhead from the same null cell … */
    double added_noise;    /* counts that runs of this way differ by however small they are */
    double overhead_sigma; /* … and share its error */
};

struct errors {
    const struct judgement *judgement;
    struct error_point *points; /* null cells and points without truth are not among them */
    size_t count;
    size_t way_count;
    struct error_run **runs; /* of all points */
    size_t run_count;
    bool all_zero;   /* every run reads 0 before anything is subtracted */
    bool exact;      /* no point that is not left out shows any noise */
    double noise_df; /* how well the points' sigmas are known */
};

/* Does the point take part in a regression? */
bool error_point_counts(const struct error_point *point);
/* Behind the runs of the process that run `from` is one of; they stand together. */
size_t error_process_end(const struct error_point *point, size_t from);
/* The count of a run: what was reported, less the overhead, not extrapolated. */
double run_count_raw(const struct error_point *point, const struct error_run *run);

/* ----------------------------------------------------------------------------------------------
 * Why an event deviates: what the errors of all its points have in common. Called by the judge
 * once rows and points are summed up; decides no verdict. */

/* What was found, best first. */
struct explained {
    struct explanation list[EXPLANATIONS_MOST];
    size_t count;
    const char *fits;    /* the class that the event counts instead; NULL */
    double right_to_ns;  /* windows longer than that are off; INFINITY: no such length was found */
    struct reasons note; /* a sentence of each, with its size */
};

/* Looks at judgement->rows (points, overheads), not at their verdicts. Reports what is significant
 * even where it is small: the verdict may still be accurate. Nothing found: count 0. */
void explain(const struct judgement *judgement, struct explained *explained);

/* The error of one run of a judged point: count minus overhead minus truth (0 within limits); false
 * for a run that got no counter, or that has no truth. */
bool run_error(const struct judged_point *point, const struct evidence_run *run, double *error);
/* Did a second account see more than the code does itself? */
bool run_is_disturbed(const struct judged_point *point, const struct evidence_run *run);

/* ----------------------------------------------------------------------------------------------
 * The parts of explain(), in the order in which they are asked. Each says what it found, takes it
 * out of the errors and leaves the rest to those after it. */

struct explaining {
    struct errors errors;
    struct explained *explained;
    struct reasons sentences[EXPLANATIONS_MOST + 1]; /* beside explained->list */
};

struct explanation explanation_of(enum cause cause, const char *per, double size, double low,
                                  double high, double share);
/* One more, dropped when the list is full; SAY what it is. */
struct reasons *explaining_add(struct explaining *explaining,
                               const struct explanation *explanation);

/* Shapes of single counts. They leave runs or points out. */
void explain_wrap(struct explaining *explaining);
void explain_threshold(struct explaining *explaining);
void explain_saturation(struct explaining *explaining);
/* Within the runs of a point: errors that come and go with interrupts, or with time. */
void explain_interrupts(struct explaining *explaining);
void explain_stray_faults(struct explaining *explaining);
/* Sparse regression of the points' errors on what their code does: faults, system calls,
 * interrupts, opcodes, classes, its own truth (a factor), a constant (an offset). */
void explain_regression(struct explaining *explaining);

/* Is the event asked to leave out what the operating system executes ("instructions:u")? */
bool event_is_user_only(const struct evidence *evidence);
#define CALLS_LEAST 500 /* system calls, or faults, in a window for what each adds to be seen */
/* Does the code of the point enter the operating system: by calls, faults or switches? */
bool point_enters_system(const struct point *point);
/* Fills filter and leak of the judgement from its points. */
void test_filter(struct judgement *judgement);

/* ----------------------------------------------------------------------------------------------
 * From the runs of one point to what they say: the first step of the judge. Whether a count is
 * exact is decided in integers here; everything later works on doubles. */

__extension__ typedef __int128 wide;

/* The count of a run as a signed number: one above 2^63 is a difference that went below zero.
 * Extrapolated where the counter had the PMU part of the time, to the nearest. false: it never had
 * it. */
bool run_count_of(const struct evidence_run *run, wide *count);
bool run_is_multiplexed(const struct evidence_run *run);
/* Page faults, and context switches, of both kinds. */
int64_t account_faults(const struct account *account);
int64_t account_switches(const struct account *account);

/* The error of a run, exactly: see run_error. */
bool run_exact_error(const struct judged_point *judged, const struct evidence_run *run,
                     wide *error);

/* Fills judged from the point, which it points to. */
void judge_point(const struct evidence *evidence, const struct point *point,
                 struct judged_point *judged);
/* Of a null cell: did the account see more than it usually does in it? */
bool null_run_is_disturbed(const struct judged_point *judged, const struct evidence_run *run);
/* How much the overhead differs from run to run. */
double overhead_spread(const struct judged_point *judged);

/* What 1 % of the truth is, but never less than half a count: no integer comes closer. */
double point_tolerance(const struct judged_point *judged);
/* The truth as one number: the middle of the limits; of an account the mean over the runs. */
double point_predicted(const struct judged_point *judged);

/* Calls for every quiet run that got a counter (for every one of them when none is quiet). */
bool run_is_judged(const struct judged_point *judged, const struct evidence_run *run);

/* ----------------------------------------------------------------------------------------------
 * From points to ladders, and where each point of a ladder stands. */

/* Where a point stands against its truth. */
enum standing {
    STANDING_NONE,    /* nothing was counted, or nothing predicts it */
    STANDING_EXACT,   /* every judged run equals the truth, or lies within its limits */
    STANDING_WITHIN,  /* it matters, and the interval of its error is within the tolerance */
    STANDING_SMALL,   /* too small against the overhead to say more than that it is not far off */
    STANDING_UNCLEAR, /* neither within nor off */
    STANDING_OFF,     /* off, and surely so */
    STANDING_EXCESS,  /* nothing was to be counted, and far too much was */
    STANDING_COUNT
};

/* What is known of the event as a whole when its points are looked at. */
struct circumstances {
    bool explained;    /* most of the errors have an explanation: they are no noise */
    bool strays_count; /* too many points have strays for chance */
};

enum standing point_standing(const struct judged_point *judged,
                             const struct circumstances *circumstances);
/* Of what its runs are held against. */
enum truth_grade point_grade(const struct judged_point *judged);
/* Truth that says that something was to be counted: more than zero for certain. */
bool point_demands_counts(const struct judged_point *judged);
/* Counts that are all over the place are off by no amount that could be stated. */
bool point_is_wild(const struct judged_point *judged);
/* So far beyond its truth, or beside a truth of zero, that no model is wrong by as much. */
bool point_is_far(const struct judged_point *judged);
/* Are the limits as narrow as what is called accurate? Others let through what is wrong. */
bool point_limits_tell(const struct judged_point *judged);
/* Does the grade allow for exact, dead and biased? */
bool grade_is_firm(enum truth_grade grade);

/* Groups the points of the judgement's evidence into rows, sums up every point, fits every ladder.
 * judgement->evidence must be set. */
void gather_rows(struct judgement *judgement);
/* Verdict, and the note that goes with it; the cause is the event's, where the row deviates. */
void judge_row(struct judged_row *row, const struct circumstances *circumstances);
/* Does the truth outweigh the overhead anywhere on this ladder? Where it does not, noise says
 * little of the counter. */
bool row_matters(const struct judged_row *row);

/* ----------------------------------------------------------------------------------------------
 * The steps from the rows of one event to its verdict, and from there to what events say of one
 * another. */

/* One event by itself: rows, explanation, verdict, cause, note. */
void judge_event(const struct evidence *evidence, struct judgement *judgement);

/* Runs of a process that are not alike. */
struct run_order {
    bool first_differs; /* in nearly every process, from those after it */
    size_t processes;
    double error; /* of a first run, relative to what was to be counted: mean */
    bool drifts;  /* in nearly every process each run counts more (or less) than the one before */
    bool up;
    size_t drifting; /* processes that were looked at for that */
};
struct run_order compare_runs(const struct judgement *judgement);

/* Strays in so many points and runs that they are a property of the counter. */
bool too_many_strays(const struct judgement *judgement);
/* What became of the runs that the verdict does not rest on. */
void note_disturbed(struct judgement *judgement);

/* The event's name without its mode; its length. mode: the letters, or "" where it has none. */
size_t event_base(const char *event, const char **mode);
/* Do they differ in the mode alone? */
bool event_same_base(const char *left, const char *right);
