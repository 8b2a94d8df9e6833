/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The other side as the session sees it: frames out and in at the same time, what it said beside
 * them, and how it is declared lost. */
#pragma once

#include "engine/session.h"
#include "wire/frame.h"

#define CHATTER_LINES 4
#define CHATTER_BYTES 160

/* The last lines from the other side that were no frames. */
struct chatter {
    char lines[CHATTER_LINES][CHATTER_BYTES];
    size_t count; /* of all that came */
};

struct session {
    struct via_link link;
    struct wire_writer writer;
    struct wire_reader reader;
    struct wire_frame frame; /* the last one received */
    struct chatter chatter;
    struct catalogue catalogue;
    struct batch_storage storage;
    const volatile int *stop;
    int64_t heard;  /* when the last frame came, or a request began; monotonic ms */
    int silence_ms; /* longer silence while something is due means that the probe hangs */
    bool running;   /* a plan is being carried out: what is lost now can be resumed */
    bool over;      /* lost or broken off: nothing more may be asked */
};

/* A request begins: the probe has something to do from now on. -EPIPE when the session is over. */
int peer_begin(struct session *session, struct failure *failure);

/* Sends and receives for at most 100 ms, so that the caller can look at flags and clocks. 1 with a
 * frame in session->frame, 0 without, negative errno when the probe was lost. `alive` is swallowed,
 * `error` is the probe's last word. */
int peer_receive(struct session *session, struct failure *failure);

/* Gives up: ends the transport and says what happened (printf-like), how the other side ended,
 * what it said last, and what to do. Returns code. */
int peer_lost(struct session *session, struct failure *failure, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sends a request of one field. -EINVAL when the value is too long for a line. */
int peer_ask(struct session *session, const char *type, const char *key, const char *value,
             struct failure *failure);
/* Waits for the next frame of an answer; the stop flag ends the session at once, because there is
 * nothing worth finishing. */
int peer_answer(struct session *session, struct failure *failure);
/* The answer is `refused`: its reason as a failure. */
int peer_refused(struct session *session, struct failure *failure);

bool peer_stopped(const struct session *session);

/* --- fields of session->frame; a missing or malformed one loses the peer --- */
int peer_number(struct session *session, const char *key, uint64_t highest, uint64_t *value,
                struct failure *failure);
int peer_string(struct session *session, const char *key, const char **value,
                struct failure *failure);

/* Reads hello and the catalogue up to `ready`. */
int catalogue_read(struct session *session, int hello_timeout_ms, struct failure *failure);
