/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a result goes: standard output, or -o FILE, which appears whole or not at all.
 *
 * The folder:
 *
 *     output.h, .c            where a result goes, progress, words for a shell
 *     table.h, .c             text for people: tables, paragraphs
 *     field.h, .c             field tables, and formats over them: JSON, CSV, Markdown, plain
 * tables schema.c                what field tables say of themselves: JSON Schema, docs/json.md
 *     json.h, .c              the envelope, and how numbers are written
 *     figure.h, .c            rows with a kind of picture */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/failure.h"
#include "base/text.h"

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

/* ----------------------------------------------------------------------------------------------
 * One line of progress on a terminal's standard error while work is done elsewhere. */

struct progress {
    bool shown;       /* false: not a terminal, or quiet; every call is then a no-op */
    const char *what; /* what is counted off: "processes", "events" */
    const char *part; /* of the work that this is a part of; NULL: it is all of it */
    uint64_t done, total;
    uint64_t
        ends_ms; /* when all parts will have ended, monotonic; 0: told by the pace of this one */
    uint64_t samples;              /* shown when there are any */
    uint64_t started_ms, drawn_ms; /* monotonic */
};

void progress_begin(struct progress *progress, const char *what, uint64_t total, bool quiet);
/* One part of work that ends in left_ms altogether; 0: nobody knows. */
void progress_begin_part(struct progress *progress, const char *what, uint64_t total, bool quiet,
                         const char *part, uint64_t left_ms);
/* Draws at most ten times a second. */
void progress_step(struct progress *progress);
void progress_samples(struct progress *progress, uint64_t count);
/* Clears the line and gives the cursor back. */
void progress_end(struct progress *progress);

/* What all further work is a part of until the next call: words before every line ("3 of 6 error"),
 * which must outlive that, and when everything will have ended, monotonic; NULL: of nothing. */
void progress_outer(const char *words, uint64_t ends_ms);

/* For signal handlers: gives the cursor back when a line is being shown. */
void progress_restore_terminal(void);
/* Also for signal handlers: a remark on a line of its own. */
void progress_interject(const char *words);

/* "3 of 40 processes, 1,200 samples, 52,000/s, 12 s left", or "duration: 3 of 40 processes, …, 70 s
 * left in all", or "3 of 6 error: duration: 3 of 40 processes, 70 s left in all": the line without
 * terminal control; now_ms is monotonic. Returns its length as snprintf does. */
int progress_line(const struct progress *progress, uint64_t now_ms, char *line, unsigned size);

/* ----------------------------------------------------------------------------------------------
 * Words for a command line that a reader will paste into a shell. */

/* Appends word as it is where the shell takes it literally, else in single quotes. */
void text_put_shell(struct text *text, const char *word);
