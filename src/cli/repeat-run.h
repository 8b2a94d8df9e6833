/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One execution of `assay repeat`, for those of its parts that measure. */
#pragma once

#include "engine/executed.h"
#include "studies/repeat/parts.h"
#include "studies/repeat/suite.h"
#include "cli/tried.h"
#include "studies/repeat/plan.h"

struct repeating {
    struct repeat_run_of run; /* what showing needs */
    /* With --resume: what the run began with, and what it goes on with. */
    struct repeat_options begun, resumed;
    uint64_t begun_budget; /* ms */
    int64_t started;       /* monotonic ms */
    /* --- the user's command, as it was given or as the store has it --- */
    const char *const *words;
    size_t word_count;       /* 0: there is none */
    char *joined;            /* its words as one line; NULL until they were joined */
    char *input, *directory; /* NULL: none */
    /* --- the machine; stored runs that are judged again have neither session nor catalogue --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct facts stored_facts;
    /* --- the plan --- */
    struct suite *suites;
    size_t suite_count;
    struct tried_events tried;
    struct repeat_wanted *programs;
    size_t program_count;
    struct repeat_source *sources;
    size_t source_count;
    struct repeat_study study;
    struct repeat_plan plan;
    struct store *store; /* NULL: nothing can be measured; of several the first */
    /* --- while it measures --- */
    struct executed *executed; /* sums of the visit under way; NULL: there were none yet */
    bool ran;                  /* stretches of it came */
    bool showing;              /* what the program writes is still passed on */
    bool given_up;             /* the user's command cannot be started, or never ends */
    int refusal;               /* errno of its first execution, where that failed */
};

extern const struct command command_repeat;

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* What can be said of the command line before a machine is reached. */
int repeat_check_options(const struct repeat_options *options, size_t word_count);
/* The user's command and suites, and what they need on the machine under test. */
int repeat_find_programs(struct repeating *repeating);
/* From options and the machine to sources, events, settings and the plan. */
int repeat_prepare(struct repeating *repeating);
/* A new store with events, subjects and absences in it. */
int repeat_create_store(struct repeating *repeating);
/* --resume: an unfinished one, and what it began with; when the plan was made, its cells become the
 * plan's. */
int repeat_reopen_store(struct repeating *repeating);
int repeat_adopt_store(struct repeating *repeating);
/* --from: loads every store that was named. */
int repeat_open_from(struct repeating *repeating);
/* Execution after execution, as far as the budget goes. */
int repeat_measure(struct repeating *repeating);
/* What could not be measured becomes rows of `skips`, by the reason. -ENOMEM. */
int repeat_collect_skips(struct repeating *repeating);
/* How the user's command ended, by the executions of the case: says what is to be said of it. The
 * exit code. */
int repeat_exit(struct repeating *repeating, int status);

/* The parts of these: negative errno, with the reason in failure. */

int repeat_find_suites(struct repeating *repeating, struct failure *failure);
int repeat_find_sources(struct repeating *repeating, struct failure *failure);
/* What comes beside counts. */
struct gather_beside repeat_beside(struct repeating *repeating);
/* "perf_event", or "" of REPEAT_PLAIN. */
const char *repeat_source_name(const struct repeating *repeating, size_t source);

/* Exit codes below 125 are the command's: whatever of ours failed is 125. */
int repeat_fail(const struct failure *failure);
int repeat_out_of_memory(void);
int repeat_ours(int status);
