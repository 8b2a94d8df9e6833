/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What `assay error` would measure: from the catalogue, the events that open and what phases take
 * to the wishes of each stage. Pure: touches no machine and no store. */
#pragma once

#include "engine/session.h"
#include "engine/wishes.h"
#include "studies/error/study.h"

/* In the order in which they are measured; each has wishes, the most important first. */
enum error_stage {
    STAGE_CROSSING,  /* null cells, and the same windows stepped: path x pattern x opt x link */
    STAGE_DURATION,  /* the loop with many N */
    STAGE_PLACEMENT, /* the loop at many places */
    STAGE_TOOL,      /* whole commands under another program */
    STAGE_CALIBRATE, /* how long phases take, for … */
    STAGE_MULTIPLEX, /* … more counters than the CPU has */
    STAGE_COUNTERS,  /* how many counters, and which: takes whatever is left */
    STAGE_COUNT,
};
extern const char *const error_stage_names[STAGE_COUNT];

/* An event that opens. */
struct error_event {
    const char *name, *kind;
    const char *class; /* NULL: none known */
    bool crossed;      /* every -O level and link mode */
    bool placed_only;  /* wanted for placement alone */
    bool companion;    /* wanted as a further counter alone */
};
/* Is it a counter of the CPU? */
bool error_event_of_cpu(const struct error_event *event);

struct error_study {
    const struct catalogue *catalogue;
    const struct error_event *events; /* the most important first; source events are not here */
    size_t event_count;
    const char *stepped;    /* "step/instructions/"; NULL: nothing steps here */
    const char *interrupts; /* the event that counts interrupts; NULL: none can be had */
    const char *clock;      /* the event of path clock; NULL: none */
    const char *const *paths;
    size_t path_count;        /* 0: all that the catalogue has */
    uint32_t processes, runs; /* of a null cell; 0: as the plan thinks */
    bool full;                /* no limits of cost: cross everything */
    bool emulated;            /* visits are dear, times mean nothing */
    int32_t cpu;              /* -1: the scheduler's choice */
    double phase_ns;          /* one N of the specimen phases; 0: not calibrated yet */
};

/* Adds what the stage would measure if it cost nothing. */
void error_wish(const struct error_study *study, enum error_stage stage, struct wishes *wishes);

/* Adds what the store holds: its machine (once for a fingerprint), cells with all runs (those with
 * the factors of an earlier store's join them), and what could not be opened. Reads ten million
 * samples in seconds, holding little more than the values. */
int error_load(struct store *store, struct error_case *file, struct failure *failure);
