/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What transports are made of: starting a program on pipes, and talking to it while connecting. */
#pragma once

#include "base/words.h"
#include "engine/via.h"

/* Starts argv (NULL-terminated, looked up in PATH) with its three standard descriptors as pipes,
 * in a session of its own. Fails with the program's name and the reason when it cannot run. */
int child_start(struct via_link *link, const char *const *argv, struct failure *failure);
/* The same, and these descriptors (3 or above) stay open in it under their numbers. */
int child_start_with(struct via_link *link, const char *const *argv, const int *inherited,
                     size_t inherited_count, struct failure *failure);

/* As child_start, for a probe that will measure this machine: it may read the CPU's counter of time
 * only where the controller could when it was started. */
int child_start_here(struct via_link *link, const char *const *argv, const int *inherited,
                     size_t inherited_count, struct failure *failure);
/* Could it not? Then ASSAY_TICKS is "forbidden": main sets it, and a person may. */
bool child_without_ticks(void);

/* Did the user ask, by ASSAY_VERBOSE, for what children say on standard error? */
bool child_verbose(void);

enum child_news {
    CHILD_SPOKE,  /* a line beginning with the mark came; it and what follows are in link->early */
    CHILD_ENDED,  /* its output ended first */
    CHILD_SILENT, /* neither within the time, or too much else came */
    CHILD_STOPPED /* the stop flag was raised */
};
/* Waits for a line that begins with mark. Everything read stays in link->early. */
enum child_news child_await(struct via_link *link, const char *mark,
                            const struct via_patience *patience);

/* Waits for a whole line that begins with mark, copies it without its end (cut to size) and forgets
 * it and everything before it. */
enum child_news child_take_line(struct via_link *link, const char *mark, char *line, size_t size,
                                const struct via_patience *patience);

/* Sends all bytes while draining what the child says, so that neither side waits for the other.
 * 0, -EPIPE when it stopped listening, -ETIMEDOUT when it did not listen for timeout_ms, -EINTR. */
int child_send(struct via_link *link, const void *bytes, size_t length,
               const struct via_patience *patience);
