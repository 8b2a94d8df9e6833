/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stored runs as the object that a report is made of (docs/report.md): every run in the files is
 * judged again by its own command. report, run and compare begin here. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "engine/finish.h"
#include "store/store.h"

struct reported_run {
    struct listed_run *run; /* whose store it is */
    int status;             /* exit code of judging it again */
    struct retold retold;   /* what came of it; without an envelope where that failed */
    char *reason;           /* why there is no envelope; NULL: there is one */
};
struct reported {
    struct run_list *files; /* [file_count] */
    size_t file_count;
    struct reported_run *list; /* their runs, in the order of the files and within them */
    size_t count;
};

/* A file that cannot be read is a failure; a run that cannot be judged again is one without an
 * envelope, and its reason was said, by the command teller. copies: a run is taken as often as it
 * is named, else once, which is said. Release in either case. */
int reported_load(const char *teller, const char *const *paths, size_t count, bool copies,
                  struct reported *reported, struct failure *failure);
/* Could all of them be judged? */
bool reported_is_whole(const struct reported *reported);
void reported_release(struct reported *reported);

/* Sections of a report, one a run, and the machines they are of. title NULL: by what is in it.
 * */
json_t *reported_json(const struct reported *reported, const char *title);
/* Adds the command line that makes this report, for its head. */
void reported_put_how(json_t *report, int argc, char **argv);

/* --- parts of it --- */

/* "A", "B" … "Z", "AA": what a report calls its machines. */
void reported_machine_label(size_t number, char label[8]);
/* What its machine is known by; "" of one whose store says none. */
const char *reported_fingerprint(const struct reported *reported, size_t run);
/* The machine of a run, under the label of this number. */
json_t *reported_machine_json(const struct listed_run *run, size_t number);
/* The sentences that tell what came out. */
json_t *reported_lead(const json_t *envelope);

/* ----------------------------------------------------------------------------------------------
 * The command line of a stored run as somebody else would type it. */

/* Appends it, quoted for a shell: with the seed that was drawn, without where the result went then.
 * argv: a JSON list as stores keep it; seed: its digits, NULL: not known. Nothing of what is no
 * command line. */
void reproduce_put(const char *argv, const char *seed, struct text *out);
