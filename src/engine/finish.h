/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of every study: its report for people, or the envelope for programs; or both, and
 * figures with them, kept for a command that shows several. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/failure.h"
#include "base/memory.h"
#include "base/text.h"
#include "engine/command.h"
#include "engine/findings.h"
#include "engine/skips.h"
#include "machine/facts.h"
#include "output/json.h"
#include "output/table.h"

struct field;
struct fields;

/* ----------------------------------------------------------------------------------------------
 * The last step of every command: hand over the result, or say why there is none. Each returns an
 * exit code. */

/* What the place the result goes to can show. */
struct style deliver_style(const struct common_options *common);
/* Writes text to -o FILE or standard output; returns status, or EXIT_FAILED when it cannot. */
int deliver_text(const char *command, const struct common_options *common, const struct text *text,
                 int status);
/* Fills in command and argv, writes the envelope and releases it. */
int deliver_json(const char *command, const struct common_options *common,
                 struct envelope *envelope, int status);
/* What programs asked for, with --json the envelope with these results and analysis, else the
 * results alone; both are made of `kept`. */
int deliver_results(const char *command, const struct common_options *common,
                    struct envelope *envelope, const struct field *results,
                    const struct fields *analysis, const void *kept, int status);
/* Was that asked for? */
bool common_is_for_programs(const struct common_options *common);
/* "assay COMMAND: text" on standard error, cleaned. */
void deliver_message(const char *command, const char *text);
/* Until the next call messages are kept in `kept` instead, the latest alone and as they are; NULL:
 * they are said again. For a command that tells itself what became of another. */
void deliver_divert(struct text *kept);
/* The same with a failure's text; returns status. */
int deliver_failure(const char *command, const struct failure *failure, int status);
/* The exit code of something that was asked for by name and cannot be had: a wrong name is wrong
 * usage, what this machine has not is lacking. */
int deliver_status_of_name(int error);
/* Appends the line that says which machine a report is from. */
void deliver_put_machine(const struct facts *facts, const struct style *style, struct text *out);
/* Appends " --via X" as it was given, for commands that a reader is told to type. */
void deliver_put_via(const struct common_options *common, struct text *out);
/* A remark on standard error unless --quiet. */
void deliver_remark(const struct common_options *common, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ----------------------------------------------------------------------------------------------
 * The gate that --fail-on makes of a command, by one rule for all of them: what has a property that
 * --fail-on names fails it, and so does what was named on the command line and could not be judged.
 * A failed gate says which, and is EXIT_VERDICT, also where the machine lacks what was asked. */

struct gate {
    bool asked; /* --fail-on was given */
    struct gate_failure {
        char *name, *why;
    } * failed;
    size_t count;
};

/* This failed it, and why in a word or two: "unsupported", "not compared". */
void gate_fail(struct gate *gate, const char *name, const char *why);
/* The exit code of a command that would end with `status`, after saying what failed the gate.
 * Failures, wrong usage and interruptions stay what they are. gate NULL: there is none. */
int gate_close(const struct gate *gate, const char *command, int status);
extern const struct fields gate_table; /* output/field.h */
/* For the envelope; NULL: --fail-on was not given. */
json_t *gate_json(const struct gate *gate);

/* ----------------------------------------------------------------------------------------------
 * The end of every study: its report for people, or the envelope for programs; or both, and
 * figures with them, kept for a command that shows several. */

struct finish {
    const char *command; /* "clocks" */
    const struct common_options *common;
    bool unseeded; /* nothing was drawn: there is no seed */
    uint64_t seed;
    const struct facts *facts;
    const char *fingerprint;
    const struct skips *skips;      /* NULL: nothing was left out */
    const struct finding *findings; /* those without an id were not judged */
    size_t finding_count;
    const char *nothing;     /* that nothing was measured, and why; NULL: something was */
    const struct gate *gate; /* of --fail-on; NULL: the command has none */
    bool aside;      /* standard output is another's: without -o it goes to standard error */
    int undelivered; /* the exit code when it cannot be handed over; 0: EXIT_FAILED */
    const struct command *tables; /* results and analysis as tables of `run`; NULL, or without
                                     them: by functions */
    const void *run;
    void (*put_report)(const void *run, const struct style *style, struct text *out);
    json_t *(*results)(const void *run);
    json_t *(*analysis)(const void *run);
    json_t *(*figures)(const void *run); /* output/figure.h; NULL: none */
};

/* Is the envelope asked for, by --json or by whoever keeps it? Then absences are skips, too; a
 * report for people shows the case as it is, which names them. */
bool finish_is_for_programs(const struct common_options *common);

/* Both as JSON. */
json_t *finish_results(const struct finish *finish);
json_t *finish_analysis(const struct finish *finish);

/* The exit code: `status`, unless nothing was measured, the gate failed, or the result cannot be
 * written. */
int finish_show(const struct finish *finish, int status);

/* The sentence of a study that has or has not measured something; complete: all of its plan ended.
 * NULL: it has. */
const char *finish_nothing(bool measured, bool complete);

/* ----------------------------------------------------------------------------------------------
 * What every study says where its run is not finished. */

/* Appends how the run in that store goes on, and a space; a run in a collection does not. */
void unfinished_put(const char *command, const char *stored, const struct common_options *common,
                    struct text *out);

/* ----------------------------------------------------------------------------------------------
 * What a study found, kept with all that it knows instead of shown: report, compare and run show
 * several of them together. */

struct retold {
    bool is_there;        /* it got that far that there is something to show */
    struct finish finish; /* `run` is what the study keeps */
    void *kept;           /* which release ends, where that is more than memory; NULL: nothing */
    void (*release)(void *kept);
    struct memory_scope memory; /* of the command */
};
void retold_release(struct retold *retold);
