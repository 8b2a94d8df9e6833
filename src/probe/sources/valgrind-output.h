/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind's tools say at the end, as numbers. Their words come from a file or a pipe that a
 * program under test could have written to: whatever is not exactly as expected is refused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

enum valgrind_column {
    VALGRIND_INSTRUCTIONS,     /* a repeated one once */
    VALGRIND_INSTRUCTIONS_RAW, /* each repetition, and the look at the end */
    VALGRIND_LOADS,
    VALGRIND_STORES,
    VALGRIND_CONDITIONAL,
    VALGRIND_TAKEN,
    VALGRIND_INDIRECT,
    VALGRIND_MISPREDICTED,
    VALGRIND_I1_MISSES,
    VALGRIND_D1_LOAD_MISSES,
    VALGRIND_D1_STORE_MISSES,
    VALGRIND_LL_CODE_MISSES,
    VALGRIND_LL_LOAD_MISSES,
    VALGRIND_LL_STORE_MISSES,
    VALGRIND_UNREADABLE, /* executed instructions of which no file has the bytes */
    VALGRIND_COLUMN_COUNT
};

/* Each fills the columns its tool knows, and leaves the others. 0, or -EBADMSG with what is wrong.
 * text need not end with a zero. */
int cachegrind_read(
    const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
    struct failure *failure); /* the file it writes, caches and branches simulated */
int lackey_read(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
                struct failure *failure); /* the end of its log, with detailed counts */
int bbv_read(const char *text, size_t length, uint64_t counts[VALGRIND_COLUMN_COUNT],
             struct failure *failure); /* the file exp-bbv writes */

/* ----------------------------------------------------------------------------------------------
 * lackey's trace of a whole program, read as it comes: one line an instruction, one an access.
 * Where counts alone would mislead (instructions that repeat or lock, wide accesses), this order of
 * execution does not: what was executed is looked up in the program's own bytes. */

/* A static program at the addresses it is linked for. */
struct image {
    const uint8_t *file; /* the whole of it, mapped */
    size_t bytes;
};
int image_open(struct image *image, const char *path, struct failure *failure);
void image_close(struct image *image);
/* The program's bytes from this address on, at most *length; NULL: not part of the file. */
const uint8_t *image_at(const struct image *image, uint64_t address, size_t *length);

#define TRACE_LINE 64

struct trace {
    const struct image *image;
    uint64_t counts[VALGRIND_COLUMN_COUNT];
    char line[TRACE_LINE]; /* the one that is not complete yet */
    size_t length;
    bool overlong;          /* it is longer than any line of a trace: somebody's words */
    uint64_t address, next; /* of the instruction executed last; 0: none */
    bool repeats, conditional;
    bool loaded, stored;
    bool damaged; /* a line that should be one of a trace is none */
};

/* Takes the next bytes of the log. */
void trace_feed(struct trace *trace, const char *bytes, size_t length);
/* At its end: 0, or -EBADMSG with the reason. */
int trace_end(const struct trace *trace, struct failure *failure);
