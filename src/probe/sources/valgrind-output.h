/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind's tools say at the end, as numbers. Their words come from a file or a pipe that a
 * program under test could have written to: whatever is not exactly as expected is refused. */
#pragma once

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
