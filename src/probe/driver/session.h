/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The probe's end of a session (docs/protocol.md): what it holds, and the way requests reach it
 * while it works.
 *
 * What is in this folder:
 *
 *     main.c            requests and the order of a session; the words of assay-probe
 *     session.h         what of a session its parts share
 *     visit.c           one visit: a process started, watched, streamed, explained
 *     cells.c           cells by id, and who measures each: a path, a tour, a watch, a command
 *     answers.c         what is answered besides visits: events, code, looks, brought files
 *     catalogue.h, .c   what this kit can do on this machine: asking harnesses, hello
 *     offers.c          the same as lists: paths, operations, clocks, presets, absences
 *     kit.c             the kit on disk: manifest, receiving, keeping (catalogue.h)
 *     workspace.h, .c   processes: started, ended, their output; private folders, and the memory
 *                       shared with visits
 *     boot.c            the first process of an emulated machine */
#pragma once

#include <stdbool.h>

#include "events/event.h"
#include "probe/clocks/clock.h"
#include "probe/command/command.h"
#include "probe/driver/catalogue.h"
#include "probe/driver/workspace.h"
#include "probe/sources/source.h"
#include "wire/cell.h"
#include "wire/command.h"
#include "wire/frame.h"

/* --- the cells of a session: a cell's events are resolved once, at its first visit; what came of
 * that, good or bad, serves all further visits --- */

struct known_cell {
    struct cell cell;
    bool resolved;             /* tried, with the outcome below */
    struct failure failure;    /* code 0: it can be visited */
    const struct offer *offer; /* NULL: it is a tour, a watch or a command */
    size_t harness;            /* index into the kit's */
    bool needs_folder;
    const struct source *source; /* whose events they are, or the tool that counts those of the
                                    operating system; NULL: the path does */
    const struct command_counter *counter;  /* of a command; else NULL */
    struct event events[CELL_MAX_COUNTERS]; /* none of a watch: its events are clocks */
    struct event counted;                   /* by the calls of a tour */
};

struct cells {
    struct known_cell **list; /* by ascending id */
    size_t count;
};

/* Defines the cell, or replaces the one with its id; takes over what *cell holds. */
int cells_define(struct cells *cells, struct cell *cell);
struct known_cell *cells_find(const struct cells *cells, uint32_t id);
void cells_free(struct cells *cells);

/* Makes sure harness and events are known; the cell's failure says why it cannot be visited. */
int cell_resolve(struct known_cell *known, const struct event_view *view,
                 const struct probe_kit *kit, const struct offers *offers);

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

/* --- the session itself --- */

struct planned_visit {
    uint32_t cell, process;
};

struct session {
    struct wire_reader reader;
    struct wire_writer writer;
    int signals; /* signalfd: SIGCHLD and what ends the session */
    struct probe_kit kit;
    struct outlets outlets;
    int lent[2]; /* standard output and error of the controller; -1: it lent none */
    struct offers offers;
    struct sources sources;
    struct event_view view;
    struct cells cells;
    struct workspace workspace;
    struct looks looks;
    const char *tunables; /* of commands: probe/command/environment.c */
    struct brought brought;
    struct planned_visit *queue;
    size_t queued, next;                /* next: first that has not run */
    const struct known_cell *under_way; /* of the visit that runs; NULL: none */
    bool stop;                          /* asked: after the visit under way */
    bool bye;                           /* asked: end the session */
    struct failure failure;             /* why the session ends, when it fails */
};

/* Takes in what has arrived, without waiting. For use while a visit runs: everything that does not
 * ask for an answer. -EPIPE: the controller is gone. */
int session_take(struct session *session);

/* Takes signals off the descriptor. -EINTR when one of them ends the session. */
int session_signals(struct session *session);

/* One visit: a fresh process that runs one cell. Runs it and sends begin, output, samples, end. A
 * visit that fails is reported and is no error here; negative errno only when the session must end
 * (-EPIPE, -EINTR). */
int visit_run(struct session *session, struct planned_visit visit);

/* `assay-probe boot`: the first process of an emulated machine of the lab. The plan it follows is
 * /lab/plan (src/lab/machine.h); the controller wrote it. Never returns where this is the first
 * process: it turns the machine off. */
int boot_machine(void);
