/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay truth`: a command -> the fastest source that can count it -> one execution in
 * a store -> what it executed, shown.
 *
 * The folder:
 *
 *     study.c    options, and the command from start to end
 *     measure.c  one source after the other until one can count all of it
 *     load.c     what a store has of the execution
 *     show.c     what was executed, for people and for programs */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "engine/executed.h"
#include "engine/run-store.h"
#include "engine/session.h"
#include "engine/skips.h"
#include "output/json.h"
#include "output/table.h"
#include "store/store.h"

struct truth_options {
    struct common_options common;
    const char *source, *control;
    struct string_list by, bring, keep;
    const char *store, *from, *input, *directory;
    struct optional cpu;
    uint64_t timeout; /* ms */
    bool show_output, all;
};

/* Instructions of one function, opcode or class. */
struct truth_sum {
    char *object, *name;
    uint64_t count, repetitions;
};
struct truth_sums {
    struct truth_sum *list; /* the most executed first; classes in the order of their table */
    size_t count;
};

/* Why something was not told. */
#define TRUTH_NO_CODE "the source did not tell which code was executed"
#define TRUTH_NOT_BY  "not counted in that run: execute the command again with --by opcode"
#define TRUTH_LOST    "the source tells them at the end of the command, and was killed with it"

/* One execution, as a source counted it. */
struct truth_counted {
    char source[32];
    uint64_t instructions; /* a repeated string instruction once */
    bool lost;             /* the source was killed with the command before it told them */
    bool has_raw;
    uint64_t raw; /* each repetition counted */
    uint64_t status, output_bytes, tasks, processes, left, nanoseconds;
    bool output_known; /* what it wrote was read */
    uint64_t rights;   /* enum command_rights */
    struct account account;
    struct truth_sums functions, opcodes, classes;
    bool has_code;    /* its code was told */
    uint64_t told;    /* instructions of the code that was told */
    uint64_t unknown; /* of these, that no decoder knows */
    uint64_t repetitions;
};

/* One execution of the command. */
struct truth_run {
    const struct truth_options *options;
    bool by_opcode, by_function;
    uint32_t controls;
    int32_t cpu;
    uint64_t timeout; /* ms */
    bool shown;       /* what it wrote was passed on */
    char *line, *name, *input, *directory, *keep;
    /* --- the machine; of a stored run that is judged again there is no session, and the catalogue
     * has what the store knows: the program of the kit that was executed --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct stored_run stored;
    struct catalogue known;
    struct catalogue_counter known_counter;
    const struct facts *facts;
    const char *fingerprint;
    const struct catalogue_counter **candidates; /* the fastest first */
    size_t candidate_count;
    struct skips skips; /* sources that could not, with the reason */
    struct store *store;
    struct executed *executed; /* of the visit under way */
    bool ran;                  /* stretches of it came */
    struct truth_counted counted;
    const struct catalogue_counter *counter; /* that counted; NULL: none could */
    int error;                               /* errno of the last that could not */
    double seconds;
};

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why: one of ours is 125. */

/* Sources that can count a command here, or the one that was asked for. */
int truth_find_sources(struct truth_run *run);
/* Executes it by one source after the other until one counted it. */
int truth_execute(struct truth_run *run);
/* What the store has of the cell. Negative errno. */
int truth_load(struct truth_run *run, uint32_t cell, struct failure *failure);

int truth_fail(const struct failure *failure);

void truth_put_report(const struct truth_run *run, const struct style *style, struct text *out);
json_t *truth_results_json(const void *run);
json_t *truth_analysis_json(const void *run);
/* Telling which code was executed costs it much more than counting: only when it is asked for. */
bool truth_tells_late(const struct catalogue_counter *counter);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told truth_told;
