/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind and its tools say of a whole program: exp-bbv's sums, lackey's trace, and
 * whether Valgrind itself was the trouble. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "base/text.h"
#include "probe/command/executed.h"

/* --- exp-bbv --- */

/* Sums of all threads. */
struct valgrind_counts {
    uint64_t instructions; /* a repeated one once */
    uint64_t repetitions;  /* beyond the first */
    uint64_t threads;      /* at a time: those that came later take the places of others; 0: it
                              was ended before it could tell */
};

/* From Valgrind's log: exp-bbv writes a file for each thread, but to the log of all. 0, or -EBADMSG
 * with what is wrong. text need not end with a zero. */
int valgrind_counts_read(const char *text, size_t length, struct valgrind_counts *counts,
                         struct failure *failure);

/* 0 where nothing stands in the log that makes the counts another program's; else negative errno
 * with what. */
int valgrind_log_check(const char *text, size_t length, struct failure *failure);

/* --- lackey: its trace, summed by instruction as it comes: a line says where an instruction lies
 * and how long it is, others which thread goes on --- */

#define SUMMED_LINE    192         /* bytes of a line that are looked at */
#define SUMMED_MOST    20000000u   /* lines of instructions: minutes */
#define SUMMED_THREADS 1024u       /* numbers of threads are used again */
#define SUMMED_WORDS   (64u << 10) /* bytes of Valgrind's own words that are kept */

struct summed {
    /* The bytes of an instruction that was never met before; false: they cannot be had. */
    bool (*look)(void *context, uint64_t address, uint8_t *bytes, size_t length);
    void *context;

    struct executed_instruction *list; /* as they were met */
    size_t count;
    uint64_t lines;   /* instructions, each repetition */
    bool unreadable;  /* of some instruction there are no bytes */
    bool changed;     /* different instructions lay at an address, or may have */
    struct text said; /* lines that are no trace: Valgrind's own */

    /* of valgrind-log.c alone */
    uint32_t *slots; /* by address; 1 + place in list */
    size_t capacity;
    uint64_t last[SUMMED_THREADS]; /* 1 + place of what each thread executed last; 0: nothing */
    bool runs[SUMMED_THREADS];
    uint32_t thread, running; /* who goes on; how many threads there are */
    char line[SUMMED_LINE];
    size_t length;
    bool damaged;
};

/* Takes the next bytes of the log. -E2BIG: there is more than could be traced; -ENOMEM. */
int summed_feed(struct summed *summed, const char *bytes, size_t length);
/* Every thread came to its end, so nothing is missing. */
bool summed_ended(const struct summed *summed);
/* At its end. 0, or -EBADMSG: it is no trace. */
int summed_check(const struct summed *summed, struct failure *failure);
/* Its sums. */
void summed_sum(const struct summed *summed, uint64_t *instructions, uint64_t *repetitions);
void summed_free(struct summed *summed);
