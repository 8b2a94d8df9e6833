/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stored runs, each judged again by its own command, and what a report says of them
 * (docs/report.md). report, run and compare begin here; page.h writes it as a page. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "commands/doctor.h"
#include "engine/finish.h"
#include "engine/study.h"
#include "engine/told.h"
#include "store/store.h"

struct reported_run {
    struct listed_run *run; /* whose store it is */
    int status;             /* exit code of judging it again */
    struct retold retold;   /* what came of it; not there where that failed */
    char *reason;           /* why it is not; NULL: it is */
};
struct reported {
    struct run_list *files; /* [file_count] */
    size_t file_count;
    struct reported_run *list; /* their runs, in the order of the files and within them */
    size_t count;
};

/* A file that cannot be read is a failure; a run that cannot be judged again is one that is not
 * there, and its reason was said, by the command teller. copies: a run is taken as often as it is
 * named, else once, which is said. Release in either case. */
int reported_load(const char *teller, const char *const *paths, size_t count, bool copies,
                  struct reported *reported, struct failure *failure);
/* Could all of them be judged? */
bool reported_is_whole(const struct reported *reported);
void reported_release(struct reported *reported);
/* What its machine is known by; "" of one whose store says none. */
const char *reported_fingerprint(const struct reported *reported, size_t run);

/* ----------------------------------------------------------------------------------------------
 * The report: sections, each what one run found, and the machines that they are of. */

struct report_machine {
    char label[8]; /* "A", "B" … "Z", "AA" */
    const char *fingerprint;
    char *sentence;
    struct facts facts;       /* what it said of itself when it was measured … */
    struct opinions opinions; /* … and what the doctor says of that */
};
struct report_section {
    const char *id; /* "validate-2": the second run of that command in this report */
    const char *command, *title;
    char machine[8];  /* its label; "": it is of all of them */
    struct lead lead; /* what came out */
    const char *started;
    const char *finished, *ended;   /* NULL: it is not; and how it ended then, where it is told */
    const char *reproduce, *store;  /* NULL: not known */
    int status;                     /* exit code of judging it again */
    const char *reason;             /* why there is nothing of it; NULL: there is */
    const struct finish *finish;    /* what it shows; empty where there is a reason */
    struct study_verdict *verdicts; /* of events, what must not be trusted first */
    size_t verdict_count;
    json_t *figures; /* an array of them (output/figure.h); NULL: none */
    char *words;     /* the report for people, plain and 100 columns wide; NULL: none */
};
struct report {
    const char *title, *how; /* how: the command line that makes it; NULL: nobody said */
    char made[32];
    struct report_machine *machines;
    size_t machine_count;
    struct report_section *sections;
    size_t section_count;
    struct string_list notes; /* what the whole is short of */
};

/* Of what was reported, which must outlive it. title NULL: by what is in it. */
void report_make(const struct reported *reported, const char *title, struct report *report);
void report_release(struct report *report);
/* The first section of a command; NULL: there is none. */
const struct report_section *report_section_of(const struct report *report, const char *command);
/* For programs: of struct report. */
extern const struct fields report_table;
/* All of it on one screen, as lines for people: each begins with what it is about. */
void report_put_summary(const struct report *report, const struct style *style, struct text *out);
/* The same as data. */
extern const struct fields report_summary_table;

/* --- parts of it --- */

#define REPORT_WIDTH 100 /* columns of words: enough for tables, narrow enough for a page */

/* It is made now. */
void report_note_moment(struct report *report);
/* The command line that makes a report, for its head. */
char *report_how(int argc, char **argv);
/* What a report calls its machines. */
void report_label(size_t number, char label[8]);
/* The machine of a run, under the label of this number. */
struct report_machine report_machine_of(const struct listed_run *run, size_t number);

/* ----------------------------------------------------------------------------------------------
 * The command line of a stored run as somebody else would type it. */

/* Appends it, quoted for a shell: with the seed that was drawn, without where the result went then.
 * argv: a JSON list as stores keep it; seed: its digits, NULL: not known. Nothing of what is no
 * command line. */
void reproduce_put(const char *argv, const char *seed, struct text *out);
