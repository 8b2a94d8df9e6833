/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay repeat`: programs -> executions -> samples in a store -> judgement -> show.
 */
#pragma once

#include "engine/executed.h"
#include "engine/session.h"
#include "engine/study.h"
#include "engine/wishes.h"
#include "output/field.h"
#include "output/figure.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"
#include "studies/repeat/study.h"

/* ----------------------------------------------------------------------------------------------
 * What would be executed: programs, sources, settings, sweeps, the most important first, and which
 * of it a budget holds (plan.c). Pure: it knows what a catalogue and a store say and nothing else
 * of a machine. */

/* A program that is to be repeated. */
struct repeat_wanted {
    char *name;      /* "perl", "subject:loop" */
    char *words;     /* quoted */
    char *input;     /* NULL: nothing */
    char *directory; /* NULL: where the probe is */
    bool user;       /* what the command line named: first in everything */
    /* --- of subjects --- */
    const struct catalogue_subject *subject; /* NULL: it is none */
    uint64_t instructions;                   /* that it executes; 0: nobody knows yet */
};
struct repeat_source {
    char *name;    /* "perf_event", "step" … */
    char **events; /* that it is to count */
    size_t count;
    double slower;     /* how many times longer than undisturbed, expected */
    uint64_t start_ns; /* and what an execution costs more, however short */
    uint64_t each_ns;  /* of an instruction, where that is what decides; 0: it does not */
    uint64_t tell_ns;  /* of an instruction, to tell which it was; 0: as to count it */
    bool instructions; /* counts them */
    bool code;         /* can tell what was executed */
    char *calls;       /* the event that it counts while it watches system calls; NULL: it cannot */
};
struct repeat_study {
    struct repeat_wanted *programs;
    size_t program_count;
    struct repeat_source *sources; /* perf_event first, then the cheapest first */
    size_t source_count;
    uint32_t runs;     /* of each setting; at least 7 unless a person says fewer */
    uint32_t controls; /* those that "controlled" has on; settings one at a time are of these */
    bool subjects;     /* programs of the kit that show what findings are about */
    uint32_t sweeps;   /* bits 1u << enum command_sweep */
    uint32_t sweep_points;
    int32_t cpu;      /* to pin to; -1: none may be */
    char *keep;       /* variables, commas; NULL */
    uint64_t timeout; /* ms, of an execution that nothing slows down */
    uint64_t longest; /* ms, that an execution may take whatever counts it; 0: no limit */
    bool shown;
    bool quick;
    bool emulated;
    bool unstepped; /* programs take too long to be stepped through, but for subjects */
};

enum repeat_stage {
    REPEAT_SETTINGS, /* as-is and controlled */
    REPEAT_SINGLES,  /* one control at a time */
    REPEAT_SWEEPS,
    REPEAT_DETAILS,
    REPEAT_SUBJECTS,
    REPEAT_STAGES
};
extern const char *const repeat_stage_names[REPEAT_STAGES];

/* In which order wishes are opened: what answers the question is complete before anything else is
 * begun, however slow the machine. Of a suite the settings are by perf_event first, then by the
 * other source. Programs of the kit alone are not parted so. */
enum repeat_pass {
    REPEAT_FIRST,   /* both settings, by perf_event and the cheapest that counts instructions */
    REPEAT_SUSPECT, /* the controls that most often do it, by that source */
    REPEAT_FULL,    /* both of these as often as was asked for */
    REPEAT_LOOK,    /* once by every other source: does it end there, and when? */
    REPEAT_DETAIL,  /* what was executed and called, which explains what differs */
    REPEAT_OTHERS,  /* the other controls */
    REPEAT_REST,    /* and everything else */
};

#define REPEAT_PLAIN SIZE_MAX /* in place of a source: nobody counts, only its end is looked at */

/* What a wish is about; [wish]. */
struct repeat_aim {
    enum repeat_stage stage;
    size_t program, source; /* indexes; REPEAT_PLAIN */
    uint32_t controls;
    enum command_sweep sweep;
    enum command_detail detail;
    uint64_t runs, timed_out; /* that were seen */
    bool dropped;             /* nothing more of it: it never ends, or cannot be had */
    /* Looked at by nobody until the settings of all programs were: their prices are known then, and
     * looks at hundreds of others would use up the time. It waits for itself meanwhile. */
    bool held;
    size_t after;              /* what it waits for then */
    enum repeat_pass pass;     /* that opens it */
    uint32_t processes, least; /* that it has in the end */
};
/* What executions told of a program. */
struct repeat_told {
    size_t first;           /* the wish that everything else of it waits for */
    uint64_t ns, ns_runs;   /* of executions that nothing slowed down */
    uint64_t instructions;  /* the most that anyone counted; 0: nobody did */
    uint64_t runs, endless; /* of the first wish */
};
struct repeat_plan {
    struct wishes *wishes; /* the most important first */
    struct repeat_aim *aims;
    size_t aim_count;
    struct repeat_wanted *programs; /* the study's, then subjects */
    size_t program_count;
    struct repeat_told *told; /* [program] */
    struct repeat_source *sources;
    size_t source_count;
    bool passes; /* it goes by them */
    enum repeat_pass pass;
};
/* The same study and catalogue give the same wishes, which are added to `wishes`. The plan points
 * into all of them, and sorts nothing anew; -EINVAL where a cell would not make sense. */
int repeat_plan_make(const struct repeat_study *study, const struct catalogue *catalogue,
                     struct repeat_plan *plan, struct wishes *wishes, struct failure *failure);

/* What the store holds of the plan becomes prices; programs that never end or cannot be started are
 * given up, and with the user's command everything. Called between portions. */
int repeat_plan_learn(struct repeat_plan *plan, struct store *store, struct failure *failure);
/* Opens the wishes of the next pass; false: all are open. */
bool repeat_plan_further(struct repeat_plan *plan);
/* ns that an execution of this program is expected to take with that source. */
uint64_t repeat_plan_price(const struct repeat_plan *plan, size_t program, size_t source,
                           enum command_detail detail);

/* --- sources --- */
/* Fills in what is expected of one by its name: how much slower, at which price. */
void repeat_source_expect(struct repeat_source *source, bool emulated);

/* The wish of these, or NO_WISH. */
size_t repeat_find_wish(const struct repeat_plan *plan, size_t program, size_t source,
                        uint32_t controls, enum command_sweep sweep, enum command_detail detail);

/* Adds what the store holds to the case: its machine, programs, executions that ended, and
 * absences. Called once a store; programs of the same name and words are joined. Hostile stores get
 * a sentence. */
int repeat_load(struct store *store, struct repeat_case *file, struct failure *failure);

/* ----------------------------------------------------------------------------------------------
 * One execution of `assay repeat`. */

struct repeat_options {
    struct study_options study;
    struct string_list event, source;
    struct string_list control;    /* those that "controlled" has on; none: all */
    struct string_list no_control; /* all but these */
    struct string_list sweep;
    struct string_list bring; /* files for the machine under test */
    struct string_list keep;  /* variables */
    struct string_list suite; /* INI files, "open" for the one that comes with assay */
    const char *input, *directory;
    struct optional runs, cpu;
    uint64_t timeout; /* ms */
    bool install, quick, show_output, no_subjects;
};

struct repeating {
    struct studying studying;
    /* --- the user's command, as it was given or as the store has it --- */
    char *joined;            /* its words as one line; NULL: there is none */
    char *input, *directory; /* NULL: none */
    /* --- what is wished for --- */
    struct tried_events tried;
    struct repeat_study study;
    struct repeat_plan plan;
    /* --- while it measures --- */
    struct executed *executed; /* sums of the visit under way; NULL: there were none yet */
    bool ran;                  /* stretches of it came */
    bool showing;              /* what the program writes is still passed on */
    /* --- what came out --- */
    struct repeat_case file;
    struct repeat_report report;
    int status; /* how the user's command ended, as wire/command.h says; -1: there was none */
    int ending; /* the exit code that follows from it */
};

static inline const struct repeat_options *repeat_asked(const struct repeating *run)
{
    return (const void *)run->studying.options;
}

/* --- measuring: negative errno, with the reason in failure --- */

/* Entries of the study (engine/study.h). */
int repeat_put(void *kept, struct failure *failure);
int repeat_recall(void *kept, struct failure *failure);
int repeat_measure(void *kept);
/* What could not be measured becomes rows of `skips`, by the reason. */
void repeat_collect_skips(struct repeating *run);

/* --- what it looks like: for people, for programs, and as rows and kinds of pictures --- */
void repeat_put_report(const void *shown, const struct style *style, struct text *out);
json_t *repeat_figures(const void *shown);
/* As tables (fields.c). */
extern const struct field repeat_results, repeat_ranking;
extern const struct fields repeat_analysis, repeat_seen_table, repeat_rank_table;

/* ----------------------------------------------------------------------------------------------
 * The parts of what `assay repeat` shows, for people and for programs, and what they share. Each
 * part for people is a paragraph or a table, or nothing where nothing of it was measured.
 */

/* --- which programs --- */

/* Is it what a person asked for? Subjects that a study adds of itself are not; where there are but
 * subjects, the first is if it was the command, and all are where there was none. */
bool repeat_is_own(const struct repeating *run, size_t program);
/* Is this program shown in detail: one alone, or with --all? */
bool repeat_is_detailed(const struct repeating *run, size_t program);

/* --- which rows --- */

/* Of all effects of a program the one that says most: one with several runs before one without,
 * instructions before all else, by the CPU's own counter, then by the source that disturbs least.
 * NULL: there is none. */
const struct repeat_effect *repeat_leading(const struct repeating *run, size_t machine,
                                           size_t program);
/* These, by program and machine; own: of programs that were asked for alone. How many. */
size_t repeat_leaders(const struct repeating *run, bool own, const struct repeat_effect ***list);
/* How many runs have the count that most of them have. */
size_t repeat_alike(const struct repeat_row *row);

/* --- words --- */

/* Its name, "?" where there is none. */
const char *repeat_program_name(const struct repeating *run, size_t program);
const char *repeat_machine_name(const struct repeating *run, size_t machine);
/* " on NAME" where there are several machines. */
void repeat_put_machine(const struct repeating *run, size_t machine, struct text *out);
/* Numbers as people read them, and settings, where they are printed. */
/* "0.83", "0.0012", "0": percent, two digits that say something; "-" for what is no number. */
char *repeat_percent(double percent, char text[NUMBER_SIZE]);
/* 1,318,002, or "3.4"; always with a sign. */
char *repeat_difference(double value, char text[NUMBER_SIZE]);
#define REPEAT_PERCENT(value)    repeat_percent(value, (char[NUMBER_SIZE]){""})
#define REPEAT_NUMBER(value)     number_brief(value, (char[NUMBER_SIZE]){""}, NUMBER_SIZE)
#define REPEAT_DIFFERENCE(value) repeat_difference(value, (char[NUMBER_SIZE]){""})

/* Does the row count instructions with every repetition of string instructions? It goes as the
 * instructions do. */
bool repeat_counts_repetitions(const struct repeat_row *row);

/* --- for people (show-table.c; the others are only of show.c) --- */
typedef void repeat_part(const struct repeating *run, const struct style *style, struct text *out);
repeat_part repeat_put_table, repeat_put_controls, repeat_put_sweeps, repeat_put_system,
    repeat_put_ranking;
