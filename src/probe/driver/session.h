/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The probe's end of a session (docs/protocol.md): what it holds, and the way requests reach it
 * while it works.
 *
 * What is in this folder:
 *
 *     main.c            the words of assay-probe
 *     session.h, .c     requests and the order of a session
 *     visit.c           one visit: a process started, watched, streamed, explained
 *     cells.h, .c       cells by id, and who measures each: a path, a tour, a watch, a command
 *     answers.h, .c     what is answered besides visits: events, code, looks, brought files
 *     catalogue.h, .c   what this kit can do on this machine: asking harnesses, hello
 *     offers.c          the same as lists: paths, operations, clocks, presets, absences
 *     kit.h, .c         the kit on disk: manifest, receiving, keeping
 *     child.h, .c       processes: started, ended, their output
 *     workspace.h, .c   private folders, and the memory shared with visits */
#pragma once

#include "probe/driver/answers.h"
#include "probe/driver/catalogue.h"
#include "probe/driver/cells.h"
#include "probe/driver/workspace.h"
#include "probe/sources/source.h"
#include "wire/cell.h"

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
    const char *tunables; /* of commands: probe/command/environment.h */
    struct brought brought;
    struct planned_visit *queue;
    size_t queued, capacity, next;      /* next: first that has not run */
    const struct known_cell *under_way; /* of the visit that runs; NULL: none */
    bool stop;                          /* asked: after the visit under way */
    bool bye;                           /* asked: end the session */
    struct failure failure;             /* why the session ends, when it fails */
};

/* Serves over input and output until bye, a lost peer or a signal. lent: where commands that are
 * shown may write (enum command_lent); -1: nothing was. folder: of the kit, taken over. Returns 0,
 * or a negative errno (-EPIPE lost peer, -EINTR signal). */
int session_serve(int input, int output, const int lent[2], char *folder);

/* Takes in what has arrived, without waiting. For use while a visit runs: everything that does not
 * ask for an answer. -EPIPE: the controller is gone. */
int session_take(struct session *session);

/* Takes signals off the descriptor. -EINTR when one of them ends the session. */
int session_signals(struct session *session);

/* One visit: a fresh process that runs one cell. Runs it and sends begin, output, samples, end. A
 * visit that fails is reported and is no error here; negative errno only when the session must end
 * (-EPIPE, -EINTR). */
int visit_run(struct session *session, struct planned_visit visit);
