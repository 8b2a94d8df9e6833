/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The end of every study: its report for people, or the envelope for programs; or both, and
 * figures with them, kept for a command that shows several. */
#pragma once

#include "base/text.h"
#include "engine/command.h"
#include "cli/gate.h"
#include "engine/skips.h"
#include "machine/facts.h"
#include "output/json.h"
#include "output/table.h"

struct finish {
    const char *command; /* "clocks" */
    const struct common_options *common;
    bool unseeded; /* nothing was drawn: there is no seed */
    uint64_t seed;
    const struct facts *facts;
    const char *fingerprint;
    const struct skips *skips;
    const char *nothing;     /* that nothing was measured, and why; NULL: something was */
    const struct gate *gate; /* of --fail-on; NULL: the command has none */
    bool aside;      /* standard output is another's: without -o it goes to standard error */
    int undelivered; /* the exit code when it cannot be handed over; 0: EXIT_FAILED */
    const void *run;
    void (*put_report)(const void *run, const struct style *style, struct text *out);
    json_t *(*results)(const void *run);
    json_t *(*analysis)(const void *run);
    json_t *(*skipped)(const void *run);  /* NULL: skips */
    json_t *(*findings)(const void *run); /* NULL: the command judges no paper */
    json_t *(*figures)(const void *run);  /* show/figure.h; NULL: none */
};

/* Is the envelope asked for, by --json or by whoever keeps it? Then absences are skips, too; a
 * report for people shows the case as it is, which names them. */
bool finish_is_for_programs(const struct common_options *common);

/* The exit code: `status`, unless nothing was measured, the gate failed, or the result cannot be
 * written. */
int finish_show(const struct finish *finish, int status);

/* The sentence of a study that has or has not measured something; complete: all of its plan ended.
 * NULL: it has. */
const char *finish_nothing(bool measured, bool complete);

/* How judging went: EXIT_DONE, or the exit code after saying what failure holds, or that memory ran
 * out. */
int finish_judged(const char *command, int error, const struct failure *failure);

/* Judges and shows what measuring ended with: all of it, or where it was interrupted what the store
 * has. The exit code; of all else than that it is `status`. */
int finish_study(int status, bool stored, void *study, int (*judge)(void *study),
                 int (*show)(void *study, int status));
