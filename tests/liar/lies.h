/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The lies: what is made of a true count before the process sees it. Pure: a span in, a count out.
 * A span is what happened between two reads of one event while it was enabled; the process that
 * reads before and after a window sees the span between as its run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "instruction.h"

#define LIES_MOST 8

/* True figures of an event, as sums since it was opened or as a difference of two such. */
struct span {
    uint64_t count;
    uint64_t faults; /* page faults of the task */
    uint64_t calls;  /* system calls; this and the next only where the task is stepped */
    uint64_t branches;
    uint64_t
        switches;    /* calls that give up the CPU: reads of what somebody else has yet to write */
    uint64_t kernel; /* what the mode leaves out */
    uint64_t opcodes[LIES_MOST]; /* executions of the opcode that the lie of this index is about */
    uint64_t enabled, running;   /* ns */
};

struct lie {
    const struct lie_word *word; /* which one; see lies.c */
    double amount;
    bool percent;    /* the amount was given in percent */
    bool everywhere; /* empty windows too */
    double above;    /* windows of at most this count are empty */
    double after;    /* ns: windows that were enabled no longer are counted right */
    double more;     /* the second amount, of lies that have two */
    const struct opcode *opcode;
};

/* What lies remember of one event. */
struct lie_memory {
    bool has_previous;
    uint64_t previous;
};

struct lies {
    struct lie list[LIES_MOST];
    size_t count;
    uint64_t state; /* of the random numbers */
    uint64_t stuck; /* what a counter shows that no longer moves; 0: it does */
};

/* Adds the lie that SPEC describes: NAME, NAME=AMOUNT, with :everywhere, :above=COUNT or :after=MS
 * behind it, or opcode=NAME:TIMES, or rare=SHARE:K. 0, or a negative errno with the reason in *why.
 */
int lies_add(struct lies *lies, const char *specification, char *why, size_t size);
void lies_help(char *text, size_t size);

/* The count that is shown for this span instead of span->count; *running (ns) may be changed. */
uint64_t lies_tell(struct lies *lies, struct lie_memory *memory, const struct span *span,
                   uint64_t *running);

void span_add(struct span *sum, const struct span *more);
struct span span_difference(const struct span *later, const struct span *earlier);
