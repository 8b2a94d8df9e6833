/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * perf(1) as a program of the machine: whether it works here, whether it can be given an event by
 * its name, what it left in its files. For who counts with `perf stat`, and for who times it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/failure.h"

/* Between the fields of its output, and as a word: "-x;". No name of an event holds one. */
#define PERF_STAT_SEPARATOR ';'
extern const char perf_separated[];

/* Can it be run here? Negative errno with the reason. */
int perf_usable(char *reason, size_t size);

/* Does the name of this event mean to perf what it means to us? -EINVAL with the reason. */
int perf_takes_event(const char *event, struct failure *failure);

/* At most 64 KiB of a regular file, to be freed; NULL with errno. Not terminated. */
char *perf_read_file(const char *path, size_t *length);

/* What perf said in this file, in one line; "" where it said nothing. */
#define PERF_WORDS 300
void perf_read_words(const char *path, char words[PERF_WORDS]);

/* ----------------------------------------------------------------------------------------------
 * What `perf stat` writes with a separator, read strictly: whatever is not exactly the one count
 * that was asked for is refused. */

struct perf_stat_count {
    uint64_t value;            /* clocks in ns, else as counted */
    uint64_t enabled, running; /* ns */
};

/* event: the name that was asked for. 0, or negative errno with what is wrong: -ENOENT the machine
 * has no such event, -EBUSY it got no counter, -EACCES perf took another mode, -EBADMSG what is
 * there is no such output. text need not end with a zero. */
int perf_stat_read(const char *text, size_t length, const char *event,
                   struct perf_stat_count *count, struct failure *failure);
