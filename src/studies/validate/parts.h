/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay validate`: events -> rounds of cells -> samples in a store -> judgement ->
 * show. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "machine/facts.h"
#include "output/json.h"
#include "store/store.h"
#include "studies/caches/parts.h"
#include "studies/validate/plan.h"
#include "studies/validate/study.h"

struct validate_options {
    struct common_options common;
    struct string_list source, path, specimen, fail_on;
    const char *store, *from;
    bool resume, full, all;
    uint64_t budget; /* ms; 0: nobody said */
    struct optional runs;
    int64_t cpu;
    struct seed seed;
};

/* An event that is to get a verdict, opened or not. */
struct candidate {
    char *name, *kind;
    char *class;  /* NULL: none known */
    char *reason; /* why it cannot be opened, or why nothing can judge it; "" */
    int error;    /* errno of opening it */
};

/* One execution of the command. */
struct validating {
    const struct validate_options *options;
    /* With --resume: what the run began with, and what it goes on with. */
    struct validate_options begun, resumed;
    int argument_count;
    char **arguments;
    uint64_t seed, budget; /* ms, 0: no limit */
    int64_t started;       /* monotonic ms */
    uint64_t judging_ms;   /* that judging took the last time */
    uint64_t prepared_ms;  /* that passed before measuring could begin */
    /* --- the machine; a stored run that is judged again has neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    const struct facts *facts;
    char fingerprint[33];
    /* --- the plan --- */
    struct candidate *candidates;
    size_t candidate_count;
    bool few; /* only events that were named, not everything the machine lists */
    struct geometry geometry;
    struct validate_study study;
    struct validate_specimen *specimens;
    struct validate_subject *subjects;
    struct string_list words; /* what study and plan point to */
    struct validate_plan plan;
    struct skips skips;
    /* --- what came of it --- */
    struct store *store;
    bool complete; /* every visit of the plan has ended */
    struct case_file file;
    struct judgements judgements;
    struct finding findings[VALIDATE_FINDINGS];
    char passport[4096]; /* the file that was written; "": none */
    json_t *earlier;     /* entries of the passport, by event: verdicts of what was refused now */
    double seconds;      /* that it all took */
};

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* Which events: what was asked for, else everything the machine lists. */
int validate_find_candidates(struct validating *validating);
/* Instead of validate_find_candidates, with --resume: opens the store and takes its events. */
int validate_reopen(struct validating *validating);
/* A new store with all events in it; or the cells of the one that was reopened become the plan's.
 */
int validate_open_store(struct validating *validating);
/* Rounds, until nothing more is worth its cost. */
int validate_measure(struct validating *validating);
/* From the store to verdicts and findings. */
int validate_judge(void *study);
/* What was found joins the machine's passport (docs/passport.md). That it cannot be written is a
 * remark, and changes nothing else. */
void validate_put_passport(struct validating *validating, int status);
/* --from: opens the store of an earlier run. */
int validate_open_from(struct validating *validating);
/* That nothing was measured, and why; nothing where something was. */
void validate_put_nothing(const struct validating *validating, struct text *out);

/* Why the machine has no source, path or specimen of that name; NULL: nobody said. */
const char *absence_of(const struct catalogue *catalogue, const char *kind, const char *name);

/* The command's name in front of a failure; EXIT_FAILED unless told. */
int validate_fail(const struct failure *failure, int status);
int validate_out_of_memory(void);

/* Decodes the specimen's code and puts its opcodes into the store. */
int validate_put_opcodes(struct validating *validating, const char *specimen,
                         struct failure *failure);

/* Marks events of which more is worth knowing, by what the store holds so far. */
int validate_learn(struct validating *validating, struct failure *failure);

extern const struct command command_validate;

extern const char *const validate_grade_names[]; /* by enum truth_grade; NULL for TRUTH_NONE */
json_t *validate_explanations_json(const struct judgement *judgement);
/* Of a struct validating, as finish.h has it. */
json_t *validate_results_json(const void *run);
json_t *validate_analysis_json(const void *run);
json_t *validate_figures(const void *run);
/* --- for people: the table and what stands below it --- */
void validate_put_report(const void *run, const struct style *style, struct text *out);

/* ----------------------------------------------------------------------------------------------
 * What the latest runs of `assay validate` on a machine say of its events, for commands that show
 * events or their counts. */

#define LATEST_RUNS 8 /* that are looked at: one of a few events leaves others to earlier ones */

struct latest_run {
    struct case_file file;
    struct judgements judgements;
    int64_t age_s;    /* seconds since that run began */
    char started[32]; /* and when that was: 2026-11-15T19:35:27Z */
};

struct latest_verdicts {
    struct latest_run runs[LATEST_RUNS]; /* the newest first */
    size_t count;                        /* 0: nothing is known */
};

/* Judges the machine's latest stores of that command. A store is kept by the machine's fingerprint,
 * so that one of another kernel, microcode or hypervisor is not found. One that cannot be used is
 * passed over, which is said unless --quiet. */
void latest_verdicts_load(const char *fingerprint, const struct common_options *common,
                          struct latest_verdicts *latest);
/* The newest of those that say most (verdict_weight) of the event under this very name; NULL: it
 * was not validated. *age_s is that of its run. */
const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name,
                                       int64_t *age_s);

/* ----------------------------------------------------------------------------------------------
 * What is known of an event's trust on a machine, for commands that show counts: from the latest
 * runs of `assay validate` there, else from the passport of the same CPU under another kernel,
 * microcode or hypervisor, which is stale. */

struct known_trust {
    char event[128];      /* the name it was validated under, which is the one asked for */
    char verdict[24];     /* "exact" … as verdict_names; "unknown": never validated */
    char cause[32];       /* of a verdict that is not good; "" */
    char note[512];       /* in words; where nothing is known: what to do */
    int64_t age_s;        /* since it was validated; -1: unknown */
    bool stale;           /* it was the same CPU, but not the same machine … */
    char difference[256]; /* … and what differs: "kernel 6.1.0 -> 6.18.0"; "" */
};

/* 0, or -ENOENT where nothing is known of the event (verdict "unknown"). Never fails otherwise: a
 * passport that cannot be read is as good as none, and the note says so. opens: it can be counted
 * now; that it could not be opened once, or that access was refused, is no verdict then. */
int trust_of(const struct latest_verdicts *latest, const struct facts *machine, const char *event,
             bool opens, struct known_trust *known);
