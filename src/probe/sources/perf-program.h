/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * perf(1) as a program of the machine: whether it works here, whether it can be given an event by
 * its name, what it left in its files. For who counts with `perf stat`, and for who times it. */
#pragma once

#include <stddef.h>

#include "base/failure.h"

/* Between the fields of its output, as a word: "-x;". */
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
