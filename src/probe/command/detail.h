/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The file of details: what a counting process tells beside counts, for the driver to pass on when
 * the visit has succeeded. Its lines are frames `ran` and `call` of the wire without cell and
 * process, each whole by itself; their sequence numbers mean nothing. */
#pragma once

#include <stdio.h>

#include "wire/frame.h"

/* Keys of a frame `ran` (struct sent_ran): object function address bytes instructions executions
 * repetitions. Of a frame `call` (struct sent_call): position task name result asked sum what. */
#define DETAIL_RAN  "ran"
#define DETAIL_CALL "call"

/* So many calls are told. Where there were more, one last `call` says so: its name is this, its
 * result how many were left out. */
#define DETAIL_MOST_CALLS 200000u
#define DETAIL_LEFT_OUT   "(left out)"

#define DETAIL_STRETCH_BYTES 4096u /* of code in one frame; what is longer comes in several */

/* Writing: wire_begin, wire_put_…, wire_end on this writer. Several may write one after the other,
 * since each appends. */
static inline struct wire_writer detail_writer(int descriptor)
{
    return (struct wire_writer){.fd = descriptor};
}
/* Sends what waits, and frees: the result of all that was written. 0 or negative errno. */
int detail_finish(struct wire_writer *writer);

/* Reading: *line and *size as of getline, to be freed. 1 with a frame of one of the two types that
 * is valid until the next call, 0 at the end, -EBADMSG for anything else with what is wrong. */
int detail_next(FILE *file, char **line, size_t *size, struct wire_frame *frame,
                struct failure *failure);
