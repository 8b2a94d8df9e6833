/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * lackey's trace of a whole program, read as it comes: one line an instruction, one an access.
 * Where counts alone would mislead (instructions that repeat or lock, wide accesses), this order of
 * execution does not: what was executed is looked up in the program's own bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"
#include "probe/sources/valgrind-output.h"

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
