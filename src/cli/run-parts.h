/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of `assay run`: which commands measure a machine, in what order, and how they share the
 * time. Nothing here touches a machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_PARTS 6

enum part_state {
    PART_WAITING,
    PART_BEGUN, /* its store may hold a beginning */
    PART_DONE,
    PART_LACKING, /* the machine has not what it measures */
    PART_FAILED,
    PART_LEFT_OUT /* the time does not hold it */
};

/* A command as a part. */
struct part_kind {
    const char *command;
    /* How parts share time: what each would like, in s. emulated_s 0: it is no use there. */
    unsigned quick_s, full_s, emulated_s;
    unsigned least_s, emulated_least_s; /* with less it says nothing */
    /* The lower, the more it matters: kept longer where the time does not hold all, and told
     * before others. Each has its own. */
    unsigned rank;
    unsigned quick_flag; /* s below which it gets --quick; 0: it has no such option */
};
extern const struct part_kind part_kinds[RUN_PARTS];

struct run_part {
    const struct part_kind *kind;
    enum part_state state;
    uint64_t spent_ms;
    char *reason; /* why there is nothing of it, or not all; NULL: none */
};

struct run_plan {
    bool quick, emulated;
    uint64_t total_ms; /* of everything, judging and writing at the end too */
    uint64_t seed;
    struct run_part parts[RUN_PARTS];
};

/* Which of part_kinds that is. */
size_t part_of_rank(unsigned rank);

const char *part_state_name(enum part_state state);
/* false: there is no such word. */
bool part_state_read(const char *name, enum part_state *state);

/* What a run takes where nobody says. */
uint64_t run_usual_ms(bool quick, bool emulated);
/* All parts wait but those that are no use, or that total_ms does not hold, with the reason.
 * -ENOMEM. */
int run_plan_parts(struct run_plan *plan);
void run_plan_release(struct run_plan *plan);

/* ms kept for judging all parts again and writing at the end. */
uint64_t run_reserve_ms(const struct run_plan *plan);
/* ms for a part that begins now, when left_ms of the whole are left: its share of what the parts
 * that still wait have, and never less than what it says something with. */
uint64_t run_share_ms(const struct run_plan *plan, size_t part, uint64_t left_ms);
/* ms of the whole that parts have not spent. */
uint64_t run_left_ms(const struct run_plan *plan);
/* Does the part get --quick with so many ms? */
bool run_is_quick(const struct run_plan *plan, size_t part, uint64_t budget_ms);
