/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay truth`: a command -> the fastest source that can count it -> one execution in
 * a store -> what it executed, shown.
 *
 * The folder:
 *
 *     study.c    options, the entry, and why nobody could count it
 *     measure.c  one source after the other until one can count all of it
 *     load.c     what a store has of the execution
 *     show.c     what was executed, for people and for programs
 *     summary.c  what reports, runs and comparisons say of it */
#pragma once

#include "engine/executed.h"
#include "engine/study.h"

struct truth_options {
    struct study_options study; /* first */
    const char *source, *control, *input, *directory;
    struct string_list by, bring, keep;
    struct optional cpu;
    uint64_t timeout; /* ms */
    bool show_output;
};

/* Instructions of one function, opcode or class. */
struct truth_sum {
    char *object, *name;
    uint64_t count, repetitions;
    uint64_t unsure; /* that may be of it, too: then the count is a limit */
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
    char *other_path;      /* why it is not what the program executes elsewhere; NULL: it is */
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
    struct studying studying; /* first */
    bool by_opcode, by_function;
    /* --- what is executed --- */
    char *words, *called, *input, *directory, *keep;
    int32_t cpu;
    const struct catalogue_counter **candidates; /* the fastest first */
    size_t candidate_count, tried;
    bool found;                /* the last one counted it */
    char *reason;              /* why it could not, or what it counted is not the program's path */
    struct executed *executed; /* of the visit under way */
    bool ran;                  /* stretches of it came */
    /* --- what the store has of it --- */
    char *line, *name;
    uint32_t controls;
    uint64_t timeout; /* ms */
    bool shown;       /* what it wrote was passed on */
    struct catalogue known;
    struct catalogue_counter known_counter;
    const struct catalogue *catalogue;       /* of a stored run the programs of the kit in it */
    const struct catalogue_counter *counter; /* that counted; NULL: none could */
    struct truth_counted counted;
    int error; /* errno of the last that could not */
};

static inline const struct truth_options *truth_asked(const struct truth_run *run)
{
    return (const struct truth_options *)run->studying.given;
}

/* Entries of the study; kept is struct truth_run. */

/* Sources that can count a command here, or the one that was asked for. */
int truth_find_sources(struct truth_run *run, struct failure *failure);
/* What a new store holds before any was tried. */
int truth_put(void *kept, struct failure *failure);
/* Executes it by one source after the other until one counted it. */
int truth_measure(void *kept);
int truth_load(void *kept, struct store *store, struct failure *failure);
void truth_put_report(const void *kept, const struct style *style, struct text *out);
/* What its results are (fields.c), and what follows from a count. */
extern const struct field truth_results;
extern const struct fields truth_analysis;
/* Why there is no list of opcodes, which were asked for; NULL: there is one. */
const char *truth_no_opcodes(const struct truth_run *run);
/* Does the code that was told cover all that was counted? */
bool truth_is_covered(const struct truth_run *run);
uint64_t truth_repetitions(const struct truth_counted *counted);
/* Telling which code was executed costs it much more than counting: only when it is asked for. */
bool truth_tells_late(const struct catalogue_counter *counter);

/* What reports, runs and comparisons say of it (summary.c). */
extern const struct study_told truth_told;
