/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stored runs as the object that a report is made of (docs/report.md): every run in the files is
 * judged again by its own command. report, run and compare begin here. */
#pragma once

#include <jansson.h>

#include "base/failure.h"
#include "cli/retold.h"
#include "store/collection.h"

struct reported_run {
    struct listed_run *run; /* whose store it is */
    int status;             /* exit code of judging it again */
    struct retold retold;   /* what came of it; without an envelope where that failed */
};
struct reported {
    struct run_list *files; /* [file_count] */
    size_t file_count;
    struct reported_run *list; /* all runs, in the order of the files and within them */
    size_t count;
};

/* A file that cannot be read is a failure; a run that cannot be judged again is one without an
 * envelope, and its reason was said. Release in either case. */
int reported_load(const char *const *paths, size_t count, struct reported *reported,
                  struct failure *failure);
void reported_release(struct reported *reported);

/* Sections of a report, one a run, and the machines they are of. NULL: out of memory. */
json_t *reported_json(const struct reported *reported, const char *title);
