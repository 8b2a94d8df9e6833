/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay validate`: events -> rounds of cells -> samples in a store -> judgement ->
 * show. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "cli/geometry.h"
#include "engine/run-store.h"
#include "engine/skips.h"
#include "studies/validate/study.h"
#include "engine/session.h"
#include "output/json.h"
#include "store/store.h"
#include "studies/validate/plan.h"
#include "study/validate.h"

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
/* Specimens, ways, CPUs: what the plan works with. */
int validate_prepare(struct validating *validating);
/* Instead of validate_find_candidates, with --resume: opens the store and takes its events. */
int validate_reopen(struct validating *validating);
/* The cells of the store that was reopened become the plan's. */
int validate_adopt_plan(struct validating *validating, struct failure *failure);
/* A new store with all events in it; or the cells of the one that was reopened become the plan's.
 */
int validate_open_store(struct validating *validating);
/* Rounds, until nothing more is worth its cost. */
int validate_measure(struct validating *validating);
/* From the store to verdicts and findings. */
int validate_judge(struct validating *validating);
/* What was found joins the machine's passport (docs/passport.md). That it cannot be written is a
 * remark, and changes nothing else. */
void validate_put_passport(struct validating *validating, int status);
/* --from: opens the store of an earlier run. */
int validate_open_from(struct validating *validating);
/* That nothing was measured, and why; nothing where something was. */
void validate_put_nothing(const struct validating *validating, struct text *out);

/* Copies what was tried. -ENOMEM. */
int validate_add_candidate(struct validating *validating, const struct candidate *like);
void candidates_free(struct candidate *list, size_t count);

/* The command's name in front of a failure; EXIT_FAILED unless told. */
int validate_fail(const struct failure *failure, int status);
int validate_out_of_memory(void);

/* Says why the store cannot be had. */
int validate_refuse(const struct validating *validating, int error, struct failure *failure);
/* Whose store it is. */
struct run_store validate_run_of(const struct validating *validating);

/* Cells that the plan got since `first` go into the store, with what is predicted of them. */
int validate_store_cells(struct validating *validating, size_t first, struct failure *failure);

/* Is the cell's event counted by a source? */
bool validate_is_of_source(const struct validating *validating, size_t cell);

/* Decodes the specimen's code and puts its opcodes into the store. */
int validate_put_opcodes(struct validating *validating, const char *specimen,
                         struct failure *failure);

/* Marks events of which more is worth knowing, by what the store holds so far. */
int validate_learn(struct validating *validating, struct failure *failure);

extern const struct command command_validate;

extern const char *const validate_grade_names[]; /* by enum truth_grade; NULL for TRUTH_NONE */
json_t *validate_explanations_json(const struct judgement *judgement);
json_t *validate_results_json(const struct validating *validating);
json_t *validate_analysis_json(const struct validating *validating);
json_t *validate_findings_json(const struct validating *validating);
json_t *validate_figures(const struct validating *validating);
/* --- for people: the table and what stands below it --- */
void validate_put_report(const struct validating *validating, const struct style *style,
                         struct text *out);
void validate_put_table(const struct validating *validating, const struct style *style,
                        struct text *out);
void validate_put_unsupported(const struct validating *validating, const struct style *style,
                              struct text *out);
void validate_put_caps(const struct validating *validating, const struct style *style,
                       struct text *out);
enum tone validate_tone(enum verdict verdict);
/* Was nothing measured? Such events are told of below the table, by the reason. */
bool validate_is_grouped(const struct judgement *judgement);
/* The same event with :u instead of no mode, or without where this one has :u; NULL: none. */
const struct judgement *validate_twin(const struct judgements *judgements,
                                      const struct judgement *judgement);
bool validate_is_user(const struct judgement *judgement); /* its name ends with :u */
/* Do they differ in the mode alone? */
bool validate_same_base(const char *left, const char *right);
/* "page-faults[:u]", for both names. */
void validate_put_folded(const char *plain, struct text *out);
