/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a result goes: standard output, or -o FILE, which appears whole or not at all. */
#pragma once

#include <stdio.h>

#include "base/failure.h"

struct output {
    FILE *stream;
    char *path;      /* NULL: standard output */
    char *temporary; /* renamed to path at the end; NULL: written in place (devices, pipes) */
};

/* Could FILE be written? Asked before a long run, so that it does not fail at its end. A database
 * is never written over (-EEXIST). */
int output_check(const char *path, struct failure *failure);

/* path NULL or "-": standard output. */
int output_open(struct output *output, const char *path, struct failure *failure);
/* Flushes and puts the file in its place; on failure what was there before is untouched. */
int output_commit(struct output *output, struct failure *failure);
/* Gives up what was written and not committed; harmless after output_commit. */
void output_discard(struct output *output);
