/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay overhead`: operations -> tours -> samples in a store -> judgement -> show. */
#pragma once

#include <string.h>

#include "base/failure.h"
#include "base/text.h"
#include "engine/session.h"
#include "engine/study.h"
#include "engine/wishes.h"
#include "output/field.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/overhead/study.h"
#include "wire/cell.h"

/* ----------------------------------------------------------------------------------------------
 * The plan: from the catalogue's operations and the meters that can be had to tours and their
 * cells. Pure: touches no machine and no store. */

/* What a tour is there for. */
enum overhead_stage {
    OVERHEAD_READS,    /* all that reads, side by side */
    OVERHEAD_SWITCHES, /* start, stop and read of paths that share counters */
    OVERHEAD_SINGLES,  /* the same of everybody else, each alone */
    OVERHEAD_COLD,     /* first calls, each tour in processes of its own */
    OVERHEAD_COMMANDS, /* whole commands */
    OVERHEAD_EVENTS,   /* more counters, as a group and one by one */
    OVERHEAD_REPEATS,  /* several reads in one span */
    OVERHEAD_STAGES,
};
extern const char *const overhead_stage_names[OVERHEAD_STAGES];

/* Read around every call at the same time. */
#define OVERHEAD_MOST_METERS 3u
struct overhead_meters {
    const char *events[OVERHEAD_MOST_METERS];
    uint32_t count;
};
bool overhead_tells_time(const struct overhead_meters *meters);
/* What the tour calls of its own. */
bool overhead_is_timer(const struct catalogue_operation *operation);

struct overhead_study {
    const struct catalogue *catalogue;
    const struct overhead_meters *meters; /* the most important first; each has tours of its own */
    size_t meters_count;
    const char *counted; /* event that the calls switch and read */
    bool uncounted;      /* it cannot be opened: only what counts nothing is called */
    const char *const *paths;
    size_t path_count;  /* 0: all that the catalogue has */
    uint32_t processes; /* of a tour; 0: as the plan thinks */
    uint32_t most_open; /* counters that an instrument can have; 0: 8 */
    bool full;          /* whatever it costs */
    bool emulated;      /* visits are dear, counts do not vary */
    int32_t cpu;
    uint64_t seed;
};

/* Everything that could be measured, tours that are each visited in several orders of their calls,
 * drawn from the study's seed: the same study gives the same orders. Fails with what overhead_order
 * refused. */
int overhead_wish(const struct overhead_study *study, struct wishes *wishes,
                  struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The order of a tour's calls. What was called before changes what a call costs, so in one pass
 * every call follows every other, and itself, exactly once: a closed walk over all ordered pairs
 * that make sense, drawn from a seed. Pure; the first thing that the plan of `assay overhead`
 * asks. */

/* What fills up a state that has fewer calls than the other. */
#define ORDER_FILLER "timer.nothing"

enum order_effect { ORDER_KEEPS, ORDER_STARTS, ORDER_STOPS };
enum order_when { ORDER_ANY, ORDER_RUNNING, ORDER_STOPPED };

struct order_call {
    const char *call; /* "perf-read.start", "perf-read.read*8" */
    enum order_effect effect;
    enum order_when when;
    const char *then; /* follows it always, and changes nothing; NULL: nothing does */
};

/* Where nobody starts or stops, everything is called while the instrument runs: all pairs, count²
 * calls (and what follows always). Otherwise there are two states, and calls that make sense in
 * both stand in both; fillers make the states equally large and, where one kind of switch has fewer
 * calls than the other, the first ones of that kind stand twice: else no closed walk would exist.
 * Every walk is drawn with the same chance; one with switches begins with one, which tells the
 * state that the tour begins in. *calls are joined by commas.
 *
 * -EINVAL: no walk exists (nothing to call, a start without a stop, a switch in the state that it
 * leads to, the same call twice); -E2BIG: longer than a tour may be. */
int overhead_order(const struct order_call *list, size_t count, uint64_t seed, char **calls,
                   size_t *length, struct failure *failure);

/* The `index`-th of the count! orders in which calls that change nothing can stand, each once; all
 * of them together have every pair of different calls equally often. -EINVAL: there are not so
 * many. */
int overhead_permutation(const struct order_call *list, size_t count, size_t index, char **calls,
                         struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The study of overhead: from stores to the case that its judge gets. */

/* Adds what the store holds: its machine (once for a fingerprint, whose tours are then joined),
 * operations (once for a name), tours with the calls of all processes that ended well, and what
 * failed everywhere as absences. Passes that are not whole are left out. Hostile stores (calls that
 * no text parses, runs beyond the tour, meters that disagree) get a sentence. */
int overhead_load(struct store *store, struct overhead_case *file, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * The command. */

struct overhead_options {
    struct study_options study;
    struct string_list path, meter;
    const char *counted; /* NULL: the plan chooses what opens */
    bool full;
    struct optional processes;
    int64_t cpu;
};

#define OVERHEAD_MOST_SETS 8u

/* One execution of the command. */
struct overhead_run {
    struct studying studying;
    /* --- the plan --- */
    struct tried_events tried;
    char *counted; /* with --resume: the event that was counted before */
    struct overhead_meters meters[OVERHEAD_MOST_SETS];
    struct overhead_study study;
    /* --- what it says --- */
    char *taken; /* the runs of --from so far, a line each */
    struct overhead_case file;
    struct overhead_report report;
};

static inline const struct overhead_options *overhead_asked(const struct overhead_run *run)
{
    return (const struct overhead_options *)run->studying.options;
}

/* --- for people, and for programs --- */
void overhead_put_report(const void *kept, const struct style *style, struct text *out);
/* fields.c */
extern const struct field overhead_results;
extern const struct fields overhead_analysis;
/* Rows and kinds of pictures (output/figure.h), as a page shows them. */
json_t *overhead_figures(const void *kept);

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay overhead` shows, and what they share. Each part is a paragraph or a
 * table with a heading, or nothing where nothing of it was measured. */

/* Differences below it are not told: a reader would not act on them. */
#define OVERHEAD_TOLD 0.05

/* --- words --- */
/* "perf-read.read"; "?" for an index that leads nowhere. */
const char *overhead_name(const struct overhead_case *file, uint32_t operation);
/* "perf-read.read, lazy", "perf-syscall.read" */
void overhead_put_call(const char *name, const char *variant, struct text *out);
/* The same of whatever begins with OVERHEAD_CALLED. */
void overhead_put_called(const struct overhead_run *run, const void *called, struct text *out);
/* The call of a row, with its variant, link mode where that is not the variant, number of counters
 * and of calls where they are not 1. */
void overhead_put_row_call(const struct overhead_case *file, const struct overhead_row *row,
                           struct text *out);
/* "nothing", "plain additions", "perf-read.read": what a call stood behind. */
const char *overhead_before(const struct overhead_case *file, int32_t predecessor);
/* " on NAME, Linux RELEASE" where there are several machines, " on Linux RELEASE" where the version
 * tells them apart. */
void overhead_put_machine(const struct overhead_case *file, uint32_t machine, struct text *out);
/* "ticks", "instructions in user mode": what a figure is in. */
const char *overhead_unit(const struct overhead_meter *meter);
/* Whole from 100 on, three digits below; "-" for what is no number. */
const char *overhead_cost(double value, char text[NUMBER_SIZE]);
/* Where it is printed. */
#define OVERHEAD_COST(value) overhead_cost(value, (char[NUMBER_SIZE]){""})
void overhead_add_cost(struct table *table, enum tone tone, double value);
/* "What the call before changes, in ticks on NAME". */
void overhead_put_heading(const struct overhead_run *run, const char *what,
                          const struct overhead_meter *meter, uint32_t machine,
                          const struct style *style, struct text *out);
/* "1,014 (998 to 1,020)", each as `write` has it; the interval only where it shows. */
void overhead_put_interval(double value, double low, double high,
                           const char *(*write)(double value, char text[NUMBER_SIZE]),
                           struct text *out);
/* "40 %": whole above one, one digit below. */
void overhead_put_share(double share, struct text *out);
/* Were counters of the CPU switched under meters that are such themselves? The operating system
 * halts all of them meanwhile. */
bool overhead_hides_switches(const struct overhead_report *report);
/* User mode or kernel alone, where both together were metered as well: with --all only. */
bool overhead_is_half(const struct overhead_report *report, const struct overhead_meter *meter);
/* Counts what is executed: exact on an emulated machine, where time means nothing. */
bool overhead_counts_code(const struct overhead_meter *meter);

/* --- which rows --- */
/* Does the row sum up a call of an instrument as a reader first wants it: warm, over all
 * predecessors, one call in a span, with the fewest counters that were measured? Several link modes
 * of a call that binds nothing count as one. */
bool overhead_is_usual(const struct overhead_run *run, size_t index);
/* Of a usual row: does one before it, of another variant of the same call, cost as much? */
bool overhead_is_folded(const struct overhead_run *run, size_t index);
/* Is the row of the same call as the summary `usual`, after one predecessor? */
bool overhead_is_pair(const struct overhead_row *row, const struct overhead_row *usual);
/* The place of a kind in the order in which a program makes calls; all unknown ones behind them. */
size_t overhead_kind_order(const char *kind);
/* Is this the first of a list of its machine and meter? */
#define OVERHEAD_LEADS(list, index) overhead_leads(list, sizeof(*(list)), index)
bool overhead_leads(const void *list, size_t size, size_t index);
bool overhead_is_emulated(const struct overhead_case *file, uint32_t machine);

/* --- parts, in the order in which they are shown --- */
typedef void overhead_part(const struct overhead_run *run, const struct style *style,
                           struct text *out);
overhead_part overhead_put_predecessors, overhead_put_cold, overhead_put_sweeps, overhead_put_peers,
    overhead_put_machines;
