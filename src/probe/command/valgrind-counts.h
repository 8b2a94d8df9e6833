/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What Valgrind's exp-bbv says of a whole program, and whether Valgrind itself was the trouble. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

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
