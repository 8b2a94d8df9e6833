/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay repeat` would execute: programs, sources, settings, sweeps, the most important first,
 * and which of it a budget holds. Pure: knows what a catalogue and a store say and nothing else of
 * a machine. */
#pragma once

#include "engine/session.h"
#include "engine/wishes.h"
#include "store/store.h"
#include "studies/repeat/study.h"

/* A program that is to be repeated. */
struct repeat_wanted {
    char *name;           /* "perl", "subject:loop" */
    char *words;          /* quoted */
    char *input;          /* NULL: nothing */
    char *directory;      /* NULL: where the probe is */
    bool threaded;        /* a workload says so */
    bool user;            /* what the command line named: first in everything */
    uint64_t expected_ns; /* of an undisturbed execution; 0: unknown */
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
/* Does the layout of memory reach programs there, or does the tool decide on it? */
bool repeat_source_sees(const char *source, enum control control);

/* --- the parts that make wishes --- */
struct repeat_wisher {
    const struct repeat_study *study;
    struct repeat_plan *plan;
    int error; /* the first failure; nothing is added after it */
    struct failure *failure;
};
struct wished_execution {
    enum repeat_stage stage;
    size_t program, source;
    uint32_t controls;
    enum command_sweep sweep; /* over all points */
    enum command_detail detail;
    uint32_t processes, least;
    size_t after; /* a wish; NO_WISH */
};
/* A wish gets its pass, and waits for it. */
void repeat_plan_assign(const struct repeat_wisher *wisher, const struct wished_execution *wished,
                        size_t wish);
/* The index of the wish, NO_WISH after a failure. */
size_t repeat_wish(struct repeat_wisher *wisher, const struct wished_execution *wished);
/* The wish of these, or NO_WISH. */
size_t repeat_find_wish(const struct repeat_plan *plan, size_t program, size_t source,
                        uint32_t controls, enum command_sweep sweep, enum command_detail detail);
void repeat_wish_settings(struct repeat_wisher *wisher, enum repeat_stage stage, size_t begin,
                          size_t end);
void repeat_wish_as_is(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                       size_t source);
void repeat_wish_singles(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                         uint32_t controls, size_t source);
void repeat_wish_sweep(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                       enum command_sweep sweep);
/* What was executed, once for each source that can tell; calls: and what was called, twice. */
void repeat_wish_details(struct repeat_wisher *wisher, enum repeat_stage stage, size_t program,
                         bool calls);
/* Adds subjects of the catalogue to the plan's programs; and what they are wanted for. */
void repeat_add_subjects(struct repeat_wisher *wisher, const struct catalogue *catalogue);
void repeat_wish_subjects(struct repeat_wisher *wisher, size_t begin);
/* Does it show nothing but what a counter of the CPU has too many? */
bool repeat_subject_needs_counter(const struct catalogue_subject *subject);

/* Adds what the store holds to the case: its machine, programs, executions that ended, and
 * absences. Called once a store; programs of the same name and words are joined. Hostile stores get
 * a sentence. */
int repeat_load(struct store *store, struct repeat_case *file, struct failure *failure);
