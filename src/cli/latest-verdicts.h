/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the latest run of `assay validate` on a machine says of its events, for commands that show
 * events or their counts. */
#pragma once

#include "cli/command.h"
#include "judge/verdict.h"
#include "session/session.h"

struct latest_verdicts {
    struct case_file file;
    struct judgements judgements; /* empty: nothing is known */
    int64_t age_s;                /* seconds since that run began */
};

/* Judges the machine's latest store of that command. A store is kept by the machine's fingerprint,
 * so that one of another kernel, microcode or hypervisor is not found. Where there is none, or none
 * that can be used (said unless --quiet), nothing is known. */
void latest_verdicts_load(const struct catalogue *catalogue, const struct common_options *common,
                          struct latest_verdicts *latest);
/* Of the event under this name, else under the name with :u; NULL: it was not validated. */
const struct judgement *latest_verdict(const struct latest_verdicts *latest, const char *name);
void latest_verdicts_free(struct latest_verdicts *latest);
