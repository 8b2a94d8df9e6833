/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a system call can bring into a program that is not the same each time, and two executions
 * walked beside each other. */
#pragma once

#include "studies/repeat/study.h"

/* What is to be known of a call, by its name and file (calls.c: a table). */
struct call_kind {
    const char *name; /* NULL: any */
    const char *file; /* how its file begins; NULL: any */
    enum repeat_parting cause;
    bool source; /* it brings something in by its nature: worth telling even where nothing came of
                    it */
    bool weak;   /* what it gives differs without anybody minding: times of access, inode numbers */
    bool place;  /* its result is an address or somebody's number: success is all that counts */
};
const struct call_kind *call_kind_of(const struct repeat_call *call);
/* What may come of it: partial input or output is seen by the result alone. -1: nothing. */
int call_source(const struct repeat_call *call);
/* Is it the same request? */
bool call_same(const struct repeat_call *one, const struct repeat_call *other);
/* Did the same request give something else? Then why: a cause, and whether that is weak. */
bool call_differs(const struct repeat_call *one, const struct repeat_call *other,
                  enum repeat_parting *cause, bool *weak);

/* Where two executions first got something else, by cause, and where they began to do something
 * else. */
struct call_difference {
    const struct repeat_call *call; /* of the first execution; NULL: none */
    size_t at, of;                  /* the how-manieth of its task's, from 1, and how many */
    uint64_t times;
};
struct calls_walked {
    struct call_difference gave[PARTING_COUNT]; /* weak ones are left out */
    bool parted;
    uint32_t task;
    size_t at, of;                         /* as above */
    const struct repeat_call *one, *other; /* what they did there; NULL: it had ended */
    int blamed;                            /* the cause nearest before that; -1: none */
    struct call_difference blame;
    struct call_difference
        last[PARTING_COUNT]; /* nearest before that, by cause, weak ones left out */
    bool order;              /* all tasks did the same, but in another order */
    uint32_t tasks;
};
/* Runs of one cell that were watched. -ENOMEM. */
int calls_walk(const struct repeat_cell *cell, size_t one, size_t other,
               struct calls_walked *walked);
