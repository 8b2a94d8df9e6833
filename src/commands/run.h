/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay run, part by part: where it keeps what it measures, the record that lets it be gone on
 * with, measuring, and what is made of it at the end. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "commands/reported.h"
#include "engine/command.h"
#include "engine/skips.h"
#include "engine/study.h"
#include "machine/facts.h"
#include "output/table.h"

/* ----------------------------------------------------------------------------------------------
 * The parts of `assay run`: the studies that say when it is their turn (struct study_part), and how
 * they share the time. Nothing here touches a machine. */

enum part_state {
    PART_WAITING,
    PART_BEGUN, /* its store may hold a beginning */
    PART_DONE,
    PART_LACKING, /* the machine has not what it measures */
    PART_FAILED,
    PART_LEFT_OUT, /* the time does not hold it */
    PART_STATES
};

/* The study whose turn it is at this place, from 0 on; NULL: there are no more. */
const struct command *run_part_at(size_t part);

struct run_part {
    const struct command *command;
    const struct study_part *kind;
    enum part_state state;
    uint64_t spent_ms;
    char *reason; /* why there is nothing of it, or not all; NULL: none */
};

struct run_plan {
    bool quick, emulated;
    uint64_t total_ms; /* of everything, judging and writing at the end too */
    uint64_t seed;
    struct run_part *parts;
    size_t count;
};

/* Which part matters so much: 0 is the most important. */
size_t run_part_of_rank(size_t place);

extern const char *const part_state_names[PART_STATES];
/* false: there is no such word. */
bool part_state_read(const char *name, enum part_state *state);

/* What a run takes where nobody says. */
uint64_t run_usual_ms(bool quick, bool emulated);
/* All parts wait but those that are no use, or that total_ms does not hold, with the reason. */
void run_plan_parts(struct run_plan *plan);

/* ms kept for judging all parts again and writing at the end. */
uint64_t run_reserve_ms(const struct run_plan *plan);
/* ms for a part that begins now, when left_ms of the whole are left: its share of what the parts
 * that still wait have, and never less than what it says something with. */
uint64_t run_share_ms(const struct run_plan *plan, size_t part, uint64_t left_ms);
/* ms of the whole that parts have not spent. */
uint64_t run_left_ms(const struct run_plan *plan);
/* Does the part get --quick with so many ms? */
bool run_is_quick(const struct run_plan *plan, size_t part, uint64_t budget_ms);

/* ----------------------------------------------------------------------------------------------
 * Where `assay run` keeps what it measures: STORE.parts, a folder with one store a part, beside
 * the one store that they become. The folder has one owner at a time. */

struct run_place {
    char *store;  /* that will hold everything */
    char *folder; /* STORE.parts */
    int lock;     /* descriptor of the folder, locked; only where folder is set */
};

/* Makes the folder. store NULL: in the state folder of that machine. -EEXIST: there is something
 * already. */
int run_place_create(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure);
/* Opens that of a run which did not end; store NULL: the latest of that machine that nobody is
 * working at. -EBUSY: somebody is. */
int run_place_reopen(struct run_place *place, const char *store, const char *fingerprint,
                     struct failure *failure);
/* FOLDER/03-error.sqlite */
char *run_place_part(const struct run_place *place, size_t part);
/* FOLDER/run.json */
char *run_place_record(const struct run_place *place);
/* What a part may have begun there, and cannot be gone on with, is removed. */
void run_place_drop_part(const struct run_place *place, size_t part);
/* Removes what assay put into the folder, and the folder when nothing else is in it. */
void run_place_remove(struct run_place *place);
void run_place_release(struct run_place *place);

/* ----------------------------------------------------------------------------------------------
 * One execution. */

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
    bool collected;           /* the store is whole, and the parts were removed */
    struct reported reported; /* its parts, judged again … */
    struct report found;      /* … and what they say */
    bool is_found;            /* they were judged */
    bool page_is_there;       /* the page was written */
    struct skips skips;       /* parts that are not there */
};

/* --- run-parts.c: STORE.parts/run.json --- */
int run_record_write(const struct running *running, struct failure *failure);
/* Plan, via and place of the report; the caller releases them also after a failure. */
int run_record_read(struct running *running, struct failure *failure);
