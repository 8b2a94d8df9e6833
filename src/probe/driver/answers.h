/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the controller asks for besides visits, and is answered at once. */
#pragma once

#include <stdbool.h>

#include "events/event.h"
#include "probe/clocks/clock.h"
#include "probe/driver/catalogue.h"
#include "wire/command.h"
#include "wire/frame.h"

/* --- events: listed, tried, explained --- */

/* This machine's view with every resolver the probe was built with. */
void events_view_open(struct event_view *view);

/* Opens the event for this process and closes it again; 0 or the positive errno. */
int event_try(const struct event *event);

/* An `event` frame for every event that matches, then `listed`. */
int events_list(struct wire_writer *writer, const struct event_view *view,
                const struct presets *presets, const char *glob);

/* One `event` frame, or `refused`. */
int events_try(struct wire_writer *writer, const struct event_view *view,
               const struct presets *presets, const char *name);

/* --- a specimen's instructions, for who wants to count them without running them --- */

/* Answers `code`: the specimen's code, or the reason why it cannot be read. name may be NULL. */
int code_send(struct wire_writer *writer, const char *name);

/* --- looks: the driver reads clocks itself, while no visits run --- */

/* Clocks that were looked at stay open for the next look; each is there once. */
struct looks {
    struct clock_reader **readers;
    size_t count;
};

/* Answers `look`: the readings of these clocks (names with commas), or why one cannot be had. names
 * may be NULL. */
int looks_answer(struct looks *looks, struct wire_writer *writer, const char *names);
void looks_free(struct looks *looks);

/* --- what commands need here: files that the controller brings ({brought} is their folder, which
 * is gone when the session ends), and whether something is there --- */

struct brought {
    char *folder;   /* NULL: nothing was brought */
    uint32_t files; /* that were begun */
    uint64_t bytes; /* that were written, of all of them */
    /* the file that is arriving */
    int fd; /* -1: none */
    char name[BROUGHT_NAME];
    uint64_t size, written;
    bool executable;
    bool refused; /* was said of it: what still comes of it is nobody's business */
};

/* Takes a frame `file`, one piece of one file; answers the last piece, and what cannot be. -EBADMSG
 * with a text: the pieces make no sense. */
int brought_take(struct brought *brought, struct wire_writer *writer,
                 const struct wire_frame *frame, struct failure *failure);
/* Removes all of it. */
void brought_free(struct brought *brought);

/* Answers `find`: is there such a program, or such a file? name may be NULL. */
int find_answer(struct wire_writer *writer, const char *name);
