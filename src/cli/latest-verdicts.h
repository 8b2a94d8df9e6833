/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the latest runs of `assay validate` on a machine say of its events, for commands that show
 * events or their counts. */
#pragma once

#include "engine/command.h"
#include "studies/validate/study.h"
#include "engine/session.h"

#define LATEST_RUNS 8 /* that are looked at: one of a few events leaves others to earlier ones */

struct latest_run {
    struct case_file file;
    struct judgements judgements;
    int64_t age_s;    /* seconds since that run began */
    char started[32]; /* and when that was: 2026-11-15T19:35:27Z */
};

struct latest_verdicts {
    struct latest_run runs[LATEST_RUNS]; /* the newest first */
    size_t count;                        /* 0: nothing is known */
};

/* Judges the machine's latest stores of that command. A store is kept by the machine's fingerprint,
 * so that one of another kernel, microcode or hypervisor is not found. One that cannot be used is
 * passed over, which is said unless --quiet. */
void latest_verdicts_load(const char *fingerprint, const struct common_options *common,
                          struct latest_verdicts *latest);
/* The newest of those that say most (verdict_weight) of the event under this very name; NULL: it
 * was not validated. *age_s is that of its run. */
const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name,
                                       int64_t *age_s);
void latest_verdicts_free(struct latest_verdicts *latest);
