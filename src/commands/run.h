/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay run, part by part: where it keeps what it measures, the record that lets it be gone on
 * with, measuring, and what is made of it at the end. */
#pragma once

#include <jansson.h>

#include "engine/command.h"
#include "cli/run-parts.h"
#include "cli/run-place.h"
#include "engine/skips.h"
#include "machine/facts.h"

struct run_options {
    struct common_options common;
    bool quick, resume;
    uint64_t budget; /* ms; 0: the usual one */
    struct seed seed;
    const char *store, *report;
};

struct running {
    const struct run_options *options;
    const char *via; /* of the run: that of a run that is gone on with may not be given again */
    uint64_t ends;   /* monotonic ms when it should have ended; 0: it did not begin */
    struct run_plan plan;
    struct run_place place;
    struct facts facts;
    char fingerprint[17];
    char *recorded_via, *recorded_fingerprint;
    char *report; /* where the page goes */
    bool was_interrupted;
    bool collected;     /* the store is whole, and the parts were removed */
    json_t *sections;   /* what was found, the report's object; NULL: nothing */
    bool page_is_there; /* the page was written */
    struct skips skips; /* parts that are not there */
};

/* --- run-record.c: STORE.parts/run.json --- */
int run_record_write(const struct running *running, struct failure *failure);
/* Plan, via and place of the report; the caller releases them also after a failure. */
int run_record_read(struct running *running, struct failure *failure);

/* --- run-measure.c --- */
/* Every part that still waits. EXIT_DONE, EXIT_INTERRUPTED, or EXIT_FAILED after saying why. */
int run_measure(struct running *running);

/* --- run-finish.c --- */
/* One store of all parts, what they say together, and the page. EXIT_DONE, or EXIT_FAILED after
 * saying why; what there is can be shown in either case. */
int run_collect(struct running *running);

/* --- run-show.c --- */
/* "assay run --quick --seed 17 --via lab:aarch64": what measures the same again. */
void run_put_command(const struct running *running, struct text *out);
/* The result: the summary, or the envelope. */
int run_show(const struct running *running, int status);
