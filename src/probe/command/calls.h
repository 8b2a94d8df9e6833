/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * System calls of a traced program: their names, what matters about them to who follows it, and
 * what they gave, for the detail `calls`. */
#pragma once

#include <sys/types.h>

#include "probe/command/detail.h"
#include "stepped-kind.h"

/* What a call does to a program that is followed. */
enum call_role {
    CALL_OTHER,
    CALL_MAPS,        /* (address, length, protection) */
    CALL_UNMAPS,      /* (address, length) */
    CALL_MOVES,       /* (address, length, new length): code, in any case */
    CALL_FORKS,       /* a process of its own memory */
    CALL_CLONES,      /* (flags) */
    CALL_CLONES_BY,   /* (struct whose first field are flags) */
    CALL_VFORKS,      /* a process that shares memory */
    CALL_ASKS_CPUS,   /* (task): sched_getaffinity */
    CALL_CHOOSES_CPUS /* (task): sched_setaffinity */
};
/* One as it is made. */
struct call {
    struct stepped_call made;
    char name[32];
    enum call_role role;
    char *what; /* the file; NULL: none is known yet. Owned */
};

/* Names by number, generated from the operating system's headers (call-names.py). */
#define CALL_NUMBERS 1024 /* those beyond have no name here; the last one stands for none */

extern const char *const call_names_native[CALL_NUMBERS];
extern const char *const call_names_narrow[CALL_NUMBERS]; /* of 32-bit programs */

/* Its name, from the headers of the operating system; "call-4000" where they have none, and
 * "32-bit-call-7" of a 32-bit program on an ISA whose header is not known. */
void call_name(const struct stepped_call *made, char *name, size_t size);

enum call_role call_role(const char *name);

/* --- what calls gave: detail `calls` --- */

struct call_record {
    struct wire_writer writer;
    uint64_t told, left_out;
    int result; /* of writing, negative errno */
};

/* The task stands at or in a call: notes what is gone afterwards (a file that it closes). */
void call_begin(pid_t task, struct call *call);
/* It returned with this result: tells it. */
void call_end(struct call_record *record, pid_t task, uint32_t number, struct call *call,
              int64_t result);
/* It never returned, as exit does not. */
void call_gone(struct call_record *record, uint32_t number, struct call *call);
/* How many were left out, and the end of all. 0 or negative errno. */
int call_finish(struct call_record *record);
