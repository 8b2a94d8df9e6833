/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a study spends its time on what it wishes for: one look at everything, which tells what
 * visits cost; then portions that each hold some processes of all, so that whatever disturbs for a
 * while disturbs all alike. After each the plan is settled anew by what time is left. */
#pragma once

#include "engine/command.h"
#include "engine/gather.h"
#include "engine/skips.h"
#include "engine/session.h"
#include "engine/wishes.h"

struct portioning {
    const char *command; /* "clocks" */
    const struct common_options *common;
    struct session *session;
    struct store *store; /* NULL: nothing to measure */
    struct wishes *wishes;
    const char *all;                /* what the portions are of, for progress: "all tours" */
    const char *const *stage_names; /* what wishes are there for */
    unsigned stages;                /* how many of these */
    const char *unit;               /* "tour": what a wish is to people */
    const char *longer;             /* how to get more time: "give a larger --budget" */
    int64_t started;                /* monotonic ms */
    uint64_t budget, reserve;       /* ms; reserve: for judging at the end */
    uint64_t seed;
    uint32_t portions;
    bool resumed;
    bool dearest_last;                  /* within a look: prices differ a thousandfold */
    bool once;                          /* as in struct gathering */
    struct skips *skips;                /* gets what the time did not hold, of these stages */
    const struct gather_beside *beside; /* as in struct gathering */
    /* Called before the first visit, after every portion, and when all has ended. NULL: nobody has
     * anything to do then. EXIT_DONE, or the exit code after saying why. */
    int (*between)(void *context);
    /* Called when every goal that the time holds is reached: opens what was held back until then,
     * false: there is no more. NULL: all is open from the beginning. */
    bool (*further)(void *context);
    void *context;
};

/* EXIT_DONE (*complete: every visit of the plan has ended), or the exit code after saying why. */
int portions_measure(struct portioning *portioning, bool *complete);
