/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay measure`: options -> events -> cells -> samples in a store -> judgement. */
#pragma once

#include "base/failure.h"
#include "engine/command.h"
#include "engine/predict.h"
#include "engine/skips.h"
#include "cli/stored-run.h"
#include "engine/session.h"
#include "store/store.h"
#include "study/measure.h"

struct measure_options {
    struct common_options common;
    struct string_list event, path, pattern, specimen, n, counters, opt, link;
    bool separate, each, no_overhead, resume;
    struct optional runs;
    uint64_t processes, budget;
    int64_t cpu;
    struct seed seed;
    const char *store, *from;
};

/* One execution of the command. */
struct measuring {
    const struct measure_options *options;
    /* --- the machine; of a stored run that is judged again there is no session, and the catalogue
     * has what the store knows: specimens and their truths --- */
    struct session *session;
    const struct catalogue *catalogue;
    struct stored_run stored;
    struct catalogue known;
    const struct facts *facts;
    const char *fingerprint;
    /* --- what is measured --- */
    struct counted_event *events;
    size_t event_count;
    struct cell *cells;
    size_t cell_count;
    struct skips skips;
    struct geometry *geometry; /* what `assay caches` measured here */
    struct store *store;
    bool complete; /* every visit of the plan has ended */
    uint64_t seed;
};

/* Each stage returns EXIT_DONE to go on, or the exit code after saying why. */

/* Tries every event that was asked for; keeps those that open. */
int measure_try_events(struct measuring *measuring);
/* The cross product of the factors, null cells included; what cannot be is skipped with a reason.
 */
int measure_sweep(struct measuring *measuring);
/* A new store with plan and predictions, or (--resume) an old one; then measuring->cells are those
 * of the store. */
int measure_open_store(struct measuring *measuring);
/* Runs what is not yet in the store. */
int measure_execute(struct measuring *measuring);
/* --from: opens the store of an earlier run, with its events and specimens. */
int measure_open_from(struct measuring *measuring);
void measure_release_known(struct catalogue *known);
/* Judges what the store holds and shows it. */
int measure_show(struct measuring *measuring);

/* Adds an event to those that are counted. -ENOMEM. */
int measure_keep_event(struct measuring *measuring, const struct counted_event *event);

/* Message on standard error and, with --json or where it is kept, an envelope that lists what was
 * skipped. */
int measure_refuse(struct measuring *measuring, const struct failure *failure, int status);
