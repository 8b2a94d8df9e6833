/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay stat`: which events -> a program of known truth, then the command, in a store
 * -> figures -> shown for people, as JSON or as CSV.
 *
 * The folder:
 *
 *     study.c      options, standard input, its entry in the driver
 *     measure.c    events; a program of known truth, then the command, into a store
 *     load.c       what a store has of both -> what is laid before the judge
 *     judge.h, .c  readings of an event -> a corrected count with its bar; pure
 *     show.c       the counts for people, as JSON, as CSV
 *     summary.c    what reports, runs and comparisons say of it */
#pragma once

#include <sys/types.h>

#include "base/text.h"
#include "engine/study.h"
#include "output/field.h"
#include "output/table.h"
#include "studies/stat/judge.h"
#include "studies/validate/parts.h"

struct stat_options {
    struct study_options study;
    struct string_list events, bring, keep;
    const char *input, *directory;
    struct optional cpu;
    uint64_t repeat;
    uint64_t timeout; /* ms */
    bool controlled;
};

#define STAT_NULLS 11u /* executions of the program whose truth is known */
#define STAT_PACES 32u /* invocations at most that tell how times drift, this one included */
#define STAT_RELAYS                                                                                \
    5u /* executions each of a program that writes a page, and of one that writes more */
#define STAT_PAGE       4096u         /* that such a program writes at once */
#define STAT_MOST_PAGES 1024u         /* what more adds is taken to be in proportion */
#define STAT_COUNTER    "perf_event"  /* that counts here; in a store: why it does not */
#define STAT_CUT_OFF    "interrupted" /* how a run ended whose last execution is but a part */
#define STAT_UNREAD     "unread"      /* the same, because nobody read what it wrote any more */

/* Why nothing is known of what starting a program adds. */
#define STAT_NO_PROGRAM  "the kit has no program to learn what starting one adds"
#define STAT_NULL_FAILED "the program of the kit that tells it could not be executed"
#define STAT_NO_TRUTH                                                                              \
    "no program of the kit is known to make a certain number of them, so that what starting adds " \
    "cannot be told from the rest"

/* One event, from its name to its figure. */
struct stat_event {
    char *name, *kind, *class;  /* kind and class NULL: none is known */
    bool asked;                 /* by -e: what cannot be counted then is told by itself */
    bool is_counted;            /* by perf_event; else state says why there is no count */
    bool has_truth;             /* of the program that is executed to learn what starting adds */
    int64_t truth;              /* for one execution of it */
    struct stat_reading *runs;  /* [run->run_count] */
    struct stat_reading *nulls; /* [run->null_count] */
    struct stat_reading relays[2][STAT_RELAYS]; /* of a page relayed, and of several */
    struct stat_figure figure;
    int error;                       /* errno of opening it */
    char *reason;                    /* why there is no count; NULL: there is one */
    const char *overhead_reason;     /* why nothing is known of what starting adds; NULL: it is */
    const struct judgement *verdict; /* of the latest validation here; NULL: none */
    bool is_validated;               /* here, or on the same CPU: trust says what was found */
    struct known_trust trust;
};

/* One execution of the command. */
struct stat_execution {
    uint64_t status, output_bytes, tasks, processes, left, nanoseconds, interrupts;
    uint64_t cpu_nanoseconds; /* 0: an older version did not keep it */
    uint64_t rights;          /* enum command_rights */
    bool tasks_known, interrupts_known;
    bool relayed; /* what it wrote was read and passed on: output_bytes */
    struct account account;
    bool broken_off; /* by Ctrl-C: it is not among those that are averaged, unless it is alone */
};

/* From `line` on it is what the store has, once that was loaded. */
struct stat_run {
    struct studying studying;
    uint64_t repeat;
    uint64_t timeout; /* ms */
    bool is_controlled;
    bool asked; /* events were named */
    uint32_t controls;
    int32_t cpu;
    char *line, *name, *input, *directory, *keep;
    pid_t relay;   /* passes standard input on, where the command cannot open it; 0: none does */
    int relayed;   /* its pipe; -1 */
    bool no_input; /* the machine is another one: standard input is not passed on */
    const char *overhead_reason; /* of events without a truth, by the store */
    const char *refused;         /* why perf_event counts nothing here; NULL: it does */
    struct stat_event *events;
    size_t event_count;
    struct cell *cells; /* of the store's plans */
    size_t cell_count;
    uint32_t null_cell, command_cell; /* ids; 0: none */
    uint32_t relay_cells[2];          /* of programs whose output was relayed; 0: none */
    struct stat_execution *runs;
    size_t run_count;
    size_t null_count;
    size_t relay_counts[2];
    double paces[STAT_PACES]; /* ns of the program of known truth: of this run, of earlier ones */
    size_t pace_count;
    uint64_t relayed_bytes; /* of the command, while it runs */
    bool relays;            /* what is written now is not the command's: it is dropped */
    bool reader_left;       /* nobody reads what the command writes */
    bool reader_ended;      /* and that ended it: no signal had come before */
    int unwritten;          /* errno: what the command writes could not be passed on; 0: it could */
    bool was_interrupted;
    bool cut_off; /* a signal came while the last execution was under way, which is kept */
    int error;    /* of the command, errno: it was not executed */
    char *reason; /* why; NULL: it was */
    struct latest_verdicts latest;
};

static inline const struct stat_options *stat_asked(const struct stat_run *run)
{
    return (const struct stat_options *)run->studying.options;
}
/* Programs read the report from standard output: what the command writes stands beside it. */
static inline bool stat_is_for_programs(const struct stat_run *run)
{
    const struct common_options *common = &stat_asked(run)->study.common;
    return common->json || common->csv || common->markdown;
}

/* What to count: the events that were asked for, else those that this machine offers. */
int stat_find_events(void *kept, struct failure *failure);
/* The one that is counted under that name; NULL: none is. */
struct stat_event *stat_find_counted(const struct stat_run *run, const char *name);
/* Executes the program of known truth, then the command. */
int stat_measure(void *kept);

/* What the store has of both. */
int stat_load(void *kept, struct store *store, struct failure *failure);
/* Figures of all events, with what validation says of them, and how fast the machine was, as the
 * latest runs in the state folder tell. */
int stat_judge_all(void *kept, struct failure *failure);

/* Executions whose counts are averaged: that one that was broken off is left out beside others. */
bool stat_is_averaged(const struct stat_run *run, size_t index);
size_t stat_averaged(const struct stat_run *run); /* how many */
/* Means over these. */
struct stat_means {
    double seconds, faults, switches, interrupts;
    double relayed; /* bytes; 0: it wrote none, or wrote them itself */
};
struct stat_means stat_means(const struct stat_run *run);
/* What makes its count differ from one execution to the next. */
enum stat_nature stat_nature_of(const struct stat_run *run, const struct stat_event *event);

/* --- how a figure is told, whoever it is told to --- */

bool stat_is_time(const struct stat_event *event); /* counts ns of a clock */
bool stat_has_figure(const struct stat_event *event);

/* Its verdict is good; it is, but what the command wrote was relayed: this is no count that is
 * known to be; why it is not (NULL: it is, or nobody knows). */
bool stat_is_good(const struct stat_event *event);
bool stat_is_withheld(const struct stat_run *run, const struct stat_event *event);
const char *stat_trust_cause(const struct stat_event *event);
#define STAT_WITHHELD_CAUSE "relayed-output"
/* It counted nothing, and nothing here shows that it ever counts. */
bool stat_is_empty(const struct stat_event *event);
#define STAT_EMPTY_CAUSE "reads-zero"

void stat_put_report(const void *kept, const struct style *style, struct text *out);
extern const struct field stat_results, stat_csv; /* fields.c */
extern const struct fields stat_analysis;
const struct skips *stat_skipped(const void *kept);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told stat_told;
