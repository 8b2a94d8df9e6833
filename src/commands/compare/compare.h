/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay compare`: files -> runs judged again -> sides, their facts, what was said and
 * measured -> judgement -> show.
 *
 * The folder:
 *
 *     compare.c    options, files, the command from start to end
 *     load.c       a store -> quantities of a side, where its study has no way of its own
 *     judge.h, .c  what differs; pure
 *     show.c       for people
 *     fields.c     for programs; what is about several machines
 *     figures.c    as pictures */
#pragma once

#include "base/text.h"
#include "commands/compare/judge.h"
#include "commands/reported.h"
#include "engine/command.h"
#include "engine/study.h"
#include "engine/told.h"
#include "machine/facts.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"

struct compare_options {
    struct common_options common;
    struct string_list label;
    const char *fail_on, *html;
    bool all;
};

/* Runs of one study on all sides, judged together by it: the machine is a factor. */
struct compare_together {
    const char *command;
    const struct study_compared *told;
    size_t sides; /* that have such a run */
    struct retold retold;
    struct compared_factor *factors; /* where the machine is one of them */
    size_t factor_count;
};

struct comparing {
    const struct compare_options *options;
    const char *const *named; /* the files, as they were */
    struct reported reported;
    size_t *side_of;          /* [reported.count] */
    const char **paths;       /* [side]: one of these files */
    struct facts *facts;      /* [side]: of its first run */
    struct compare_case file; /* sides are in here */
    struct compare_report report;
    struct compare_together *together;
    size_t together_count;
    struct finding *findings; /* of papers, about several machines */
    size_t finding_count;
    struct lead headline;     /* three to six sentences: what was compared, in which facts
                                        these differ, then what came out */
    struct string_list notes; /* what was left out, and what to know */
    struct skips skips;       /* runs that could not be judged */
};

/* Each: 0, or a negative errno with the reason in failure. */

/* What every run's command says of it, and the doctor of its machine. */
void compare_take_claims(struct comparing *comparing);
/* Which studies judge several machines together; before claims are taken. */
void compare_find_together(struct comparing *comparing);
/* They do, where there are several. */
int compare_take_together(struct comparing *comparing, struct failure *failure);

/* "A", "B" … as in reports. */
const char *compare_letter(size_t side);
/* Do sides differ in what makes their code other code? Their facts are judged. */
bool compare_executes_other_code(const struct comparing *comparing);
void compare_note(struct comparing *comparing, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* --- for people --- */
struct lead compare_headline(const struct comparing *comparing);
/* "A (old) and B (new)". */
void compare_put_sides(const struct comparing *comparing, struct text *out);
void compare_put_report(const void *run, const struct style *style, struct text *out);
/* "varies (4 of 7)", "biased (kernel-leak)"; there is a word. */
void compare_put_word(const struct compare_word *word, struct text *out);
/* "instructions:u · perf-read", and "error: …" of a claim. */
void compare_put_group(const struct comparing *comparing, const struct compare_group *group,
                       struct text *out);
/* --- for programs --- */
extern const struct field compare_results;
extern const struct fields compare_analysis;

/* --- what is about several machines --- */

/* What papers say of them, when all is judged; what was not tested of it is said, and then it is no
 * verdict. */
void compare_take_findings(struct comparing *comparing);
/* The analyses of variance with the machine as a factor; NULL: there are none. */
const struct compare_together *compare_anova(const struct comparing *comparing);
/* Is the machine among the factors of this event, and does any of them explain something? */
bool compare_has_machine(const struct compare_together *anova, const char *event);
/* --- as a page --- */
json_t *compare_figures(const struct comparing *comparing);

extern const struct command command_compare;

/* ----------------------------------------------------------------------------------------------
 * The study of comparison: from stores to the quantities that its judge gets. */

/* Adds what was measured in this store to a side, the median of each process as one value. Hostile
 * stores get a sentence. */
int compare_load(struct store *store, size_t side, struct compare_case *file,
                 struct failure *failure);
