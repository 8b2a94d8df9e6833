/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The conversation with a probe: opening it, questions and answers, and what is said when it
 * breaks off. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/monotonic.h"
#include "base/text.h"
#include "engine/peer.h"

/* ----------------------------------------------------------------------------------------------
 * Lines from the other side that are no frames: banners, a console's noise, a loader's complaint.
 * The last few are kept for messages, cut to size and made printable. */

/* A wire_reader's chatter callback; context is a struct chatter. */
static void chatter_keep(void *context, const char *line)
{
    struct chatter *chatter = context;
    if (line[strspn(line, " \t\r")] == '\0')
        return;
    char *kept = chatter->lines[chatter->count++ % CHATTER_LINES];
    printable_copy(kept, CHATTER_BYTES, line, strlen(line));
}

/* The kept lines as one, each in quotes; "" when there were none. */
static void chatter_quote(const struct chatter *chatter, char *words, size_t size)
{
    size_t first = chatter->count > CHATTER_LINES ? chatter->count - CHATTER_LINES : 0;
    size_t used = 0;
    words[0] = '\0';
    for (size_t i = first; i < chatter->count && used + 1 < size; i++) {
        int added = snprintf(words + used, size - used, "%s'%s'", used ? " " : "",
                             chatter->lines[i % CHATTER_LINES]);
        used += added < 0 ? 0 : (size_t)added;
    }
}

/* ----------------------------------------------------------------------------------------------
 * What a person is told when the probe is lost: the cause, how the other side ended, what it said
 * last, and how to go on. */

int peer_lost(struct session *session, struct failure *failure, int code, const char *format, ...)
{
    AUTO_TEXT struct text cause = {0};
    /* Sized so that all parts fit a struct failure, the advice at the end included. */
    char sentence[350];
    char words[220];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof(sentence), format, arguments);
    va_end(arguments);
    text_puts(&cause, sentence);
    if (!session->over) {
        session->over = true;
        /* A peer that closed its output is about to end; one that hangs or babbles is not. */
        int status = via_close(&session->link, code == -EPIPE || code == -EPROTO ? 1000 : 0);
        via_status_text(status, words, sizeof(words));
        if (code != -EINTR) /* then it was we who ended it */
            text_printf(&cause, "; it ended with %s", words);
    }
    chatter_quote(&session->chatter, words, sizeof(words));
    if (*words)
        text_printf(&cause, "; on its output stood: %s", words);
    via_last_words(&session->link, words, sizeof(words));
    if (*words)
        text_printf(&cause, "; its errors: %s", words);
    if (session->running)
        text_puts(&cause, ". What is stored is safe: the same command with --resume goes on");
    return fail_with(failure, code, "%s", text_string(&cause));
}

/* ----------------------------------------------------------------------------------------------
 * Moves frames both ways at once. Writing never blocks: a probe that is busy sending samples does
 * not read, and a controller that only wrote would wait for it for ever. */

#define TICK_MS 100

bool peer_stopped(const struct session *session)
{
    return session->stop && *session->stop;
}

int peer_begin(struct session *session, struct failure *failure)
{
    if (session->over)
        return fail_with(failure, -EPIPE, "the session with the probe is over");
    session->heard = monotonic_ms();
    return 0;
}

/* Sends what waits. A peer that no longer listens may have said why: its last frames are still to
 * be read, so that is no failure here; reading meets the end soon enough. */
static int flush_some(struct session *session, struct failure *failure)
{
    int status = wire_flush(&session->writer);
    if (status == 0 || status == -EAGAIN)
        return 0;
    if (status != -EPIPE)
        return peer_lost(session, failure, status, "sending to the probe failed: %s",
                         strerror(-status));
    text_clear(&session->writer.pending);
    session->writer.frame_start = 0;
    return 0;
}

static int explain_read(struct session *session, int status, const struct failure *cause,
                        struct failure *failure)
{
    if (status == -EPIPE && !session->catalogue.version)
        return peer_lost(session, failure, -EPIPE, "no probe said hello: the connection closed");
    if (status == -EPIPE)
        return peer_lost(session, failure, -EPIPE, "the probe has gone");
    if (status == -EBADMSG)
        return peer_lost(session, failure, -EBADMSG, "what came from the probe is damaged: %s",
                         cause->text);
    return peer_lost(session, failure, status, "%s",
                     *cause->text ? cause->text : strerror(-status));
}

/* A text for a message: what the probe wrote in `key`, printable, "" when it is missing. */
static void peer_words(struct session *session, const char *key, char *words, size_t size)
{
    const struct wire_field *field = wire_field(&session->frame, key);
    printable_copy(words, size, field ? field->value : "", field ? field->length : 0);
}

/* 1 with a frame that is the caller's business, 0 for `alive`, or negative errno. */
static int take_frame(struct session *session, struct failure *failure)
{
    session->heard = monotonic_ms();
    if (strcmp(session->frame.type, "alive") == 0)
        return 0;
    if (strcmp(session->frame.type, "error") == 0) {
        char reason[300];
        peer_words(session, "reason", reason, sizeof(reason));
        return peer_lost(session, failure, -EPROTO, "the probe gave up: %s",
                         *reason ? reason : "it did not say why");
    }
    return 1;
}

int peer_receive(struct session *session, struct failure *failure)
{
    struct failure cause = {0};
    int status = session->writer.pending.length ? flush_some(session, failure) : 0;
    if (status < 0)
        return status;
    status = wire_read(&session->reader, 0, &session->frame, &cause);
    if (status == 1)
        return take_frame(session, failure);
    if (status < 0 && status != -EINTR)
        return explain_read(session, status, &cause, failure);
    if (monotonic_ms() - session->heard > session->silence_ms)
        return peer_lost(session, failure, -ETIMEDOUT,
                         "the probe hangs: it has been silent for %d ms", session->silence_ms);
    const bool writing = session->writer.pending.length > 0;
    struct pollfd all[3] = {{.fd = session->link.from_probe, .events = POLLIN},
                            {.fd = session->link.errors, .events = POLLIN},
                            {.fd = writing ? session->link.to_probe : -1, .events = POLLOUT}};
    if (poll(all, 3, TICK_MS) <= 0)
        return 0;
    if (all[1].revents)
        via_drain(&session->link);
    return all[2].revents ? flush_some(session, failure) : 0;
}

int peer_number(struct session *session, const char *key, uint64_t highest, uint64_t *value,
                struct failure *failure)
{
    if (wire_get_u64(&session->frame, key, value) == 0 && *value <= highest)
        return 0;
    return peer_lost(session, failure, -EBADMSG,
                     "'%s' in the probe's frame '%.40s' is missing or no number up to %llu", key,
                     session->frame.type, (unsigned long long)highest);
}

int peer_string(struct session *session, const char *key, const char **value,
                struct failure *failure)
{
    *value = wire_get(&session->frame, key);
    if (*value)
        return 0;
    return peer_lost(session, failure, -EBADMSG,
                     "'%s' in the probe's frame '%.40s' is missing or no text", key,
                     session->frame.type);
}

/* --- One question to the probe, and its answer --- */

#define MAX_ERRNO 4095

int peer_answer(struct session *session, struct failure *failure)
{
    int status = 0;
    while (status == 0) {
        if (peer_stopped(session))
            return peer_lost(session, failure, -EINTR, "interrupted");
        status = peer_receive(session, failure);
    }
    return status;
}

int peer_ask(struct session *session, const char *type, const char *key, const char *value,
             struct failure *failure)
{
    int status = peer_begin(session, failure);
    if (status < 0)
        return status;
    wire_begin(&session->writer, type);
    wire_put_string(&session->writer, key, value);
    status = wire_end(&session->writer);
    if (status == -EMSGSIZE)
        return fail_with(failure, -EINVAL, "'%.60s…' is too long to be sent to the probe", value);
    if (status < 0 && status != -EPIPE)
        return peer_lost(session, failure, status, "asking the probe failed: %s",
                         strerror(-status));
    return 0;
}

int peer_refused(struct session *session, struct failure *failure)
{
    uint64_t error;
    char reason[sizeof(failure->text)];
    int status = peer_number(session, "error", MAX_ERRNO, &error, failure);
    if (status < 0)
        return status;
    peer_words(session, "reason", reason, sizeof(reason));
    return fail_with(failure, error ? -(int)error : -EINVAL, "%s",
                     *reason ? reason : "the probe does not take this name, and does not say why");
}

/* --- The two ends of a session: from a transport to a probe that is ready, and bye --- */

#define SILENCE_MS  15000 /* the probe says `alive` every second */
#define GOODBYE_MS  2000
#define SHORTEST_MS 1000 /* for hello, when connecting has used up the time */

static int connect_and_greet(struct session *session, const char *via, int timeout_ms,
                             struct failure *failure)
{
    const int64_t start = monotonic_ms();
    timeout_ms = via_patience_ms(via, timeout_ms);
    int status =
        via_open(via, &(struct via_patience){.timeout_ms = timeout_ms, .stop = session->stop},
                 &session->link, failure);
    if (status < 0)
        return status;
    session->over = false;
    /* Everything the transport read while connecting is the session's to read first. */
    session->reader.fd = session->link.from_probe;
    session->reader.chatter = chatter_keep;
    session->reader.context = &session->chatter;
    session->writer.fd = session->link.to_probe;
    status =
        wire_feed(&session->reader, text_string(&session->link.early), session->link.early.length);
    text_free(&session->link.early);
    if (status < 0)
        return fail_with(failure, status, "no memory for a session");
    const int64_t left = timeout_ms - (monotonic_ms() - start);
    return catalogue_read(session, left < SHORTEST_MS ? SHORTEST_MS : (int)left, failure);
}

int session_open(struct session **session, const char *via, int hello_timeout_ms,
                 const volatile int *stop, struct failure *failure)
{
    *session = NULL;
    struct session *opened = calloc(1, sizeof(*opened));
    if (!opened)
        return fail_with(failure, -ENOMEM, "no memory for a session");
    opened->over = true; /* until there is a transport to say bye to */
    opened->link = (struct via_link){.pid = -1, .to_probe = -1, .from_probe = -1, .errors = -1};
    opened->stop = stop;
    const char *given = getenv("ASSAY_SILENCE_MS");
    long limit = given ? strtol(given, NULL, 10) : 0;
    opened->silence_ms =
        limit > 0 && limit < 3600000 ? (int)limit : via_silence_ms(via, SILENCE_MS);
    int status = connect_and_greet(opened, via, hello_timeout_ms, failure);
    if (status < 0) {
        opened->over = true;
        session_close(opened);
        return status;
    }
    *session = opened;
    return 0;
}

const struct catalogue *session_catalogue(const struct session *session)
{
    return &session->catalogue;
}

/* Says bye and waits for the answer, at most GOODBYE_MS. */
static void say_bye(struct session *session)
{
    wire_begin(&session->writer, "bye");
    if (wire_end(&session->writer) < 0 || peer_begin(session, NULL) < 0)
        return;
    const int64_t deadline = monotonic_ms() + GOODBYE_MS;
    while (monotonic_ms() < deadline) {
        int status = peer_receive(session, NULL);
        if (status < 0 || (status == 1 && strcmp(session->frame.type, "bye") == 0))
            return;
    }
}

void session_close(struct session *session)
{
    if (!session)
        return;
    bool friendly = !session->over;
    if (friendly)
        say_bye(session);
    via_close(&session->link, friendly ? GOODBYE_MS : 0);
    wire_writer_free(&session->writer);
    wire_reader_free(&session->reader);
    batch_storage_free(&session->storage);
    facts_free(&session->catalogue.facts);
    free(session);
}
