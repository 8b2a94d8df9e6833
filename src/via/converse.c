/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Talking to a child while the transport connects: waiting for a word, sending bytes, and never
 * forgetting its standard error, on which it could block. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "base/printable.h"
#include "engine/via-parts.h"
#include "wire/pipe.h"

#define EARLY_LIMIT (256u << 10) /* bytes without the awaited word: more is no banner */
#define TICK_MS     100          /* how often the stop flag is looked at */

static bool is_stopped(const struct via_patience *patience)
{
    return patience->stop && *patience->stop;
}

static void keep_tail(struct via_link *link, const char *bytes, size_t length)
{
    if (length > sizeof(link->tail)) {
        bytes += length - sizeof(link->tail);
        length = sizeof(link->tail);
    }
    size_t kept = sizeof(link->tail) - length;
    if (kept > link->tail_length)
        kept = link->tail_length;
    memmove(link->tail, link->tail + link->tail_length - kept, kept);
    memcpy(link->tail + kept, bytes, length);
    link->tail_length = kept + length;
}

void via_drain(struct via_link *link)
{
    char bytes[4096];
    /* A bounded number of reads: who floods must not hold up the rest. */
    for (int round = 0; round < 16 && link->errors >= 0; round++) {
        ssize_t got = read(link->errors, bytes, sizeof(bytes));
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (got <= 0) {
            close(link->errors);
            link->errors = -1;
            return;
        }
        keep_tail(link, bytes, (size_t)got);
        if (link->pass_errors)
            (void)pipe_write(STDERR_FILENO, bytes, (size_t)got);
    }
}

/* Is this no text but the inside of some file? Text holds no control characters beyond those that
 * steer a terminal, and few bytes that are no character. */
static bool is_noise(const char *line, size_t length)
{
    static const char steering[] = "\a\b\t\v\f\r\033";
    char shown[VIA_TAIL + 1];
    size_t strays = 0;
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)line[i];
        if (byte == 0x7f || (byte < 0x20 && !memchr(steering, byte, sizeof(steering) - 1)))
            return true;
        strays -= byte == '?';
    }
    const size_t visible = printable_copy(shown, sizeof(shown), line, length);
    for (size_t i = 0; i < visible; i++)
        strays += shown[i] == '?';
    return strays * 4 > length;
}

/* One line of the last words behind those before it. */
static size_t add_line(char *words, size_t size, size_t used, const char *line, size_t length)
{
    if (!length || is_noise(line, length))
        return used;
    if (used && used + 1 < size)
        words[used++] = ' ';
    return used + printable_copy(words + used, size - used, line, length);
}

void via_last_words(const struct via_link *link, char *words, size_t size)
{
    size_t end = link->tail_length;
    while (end && strchr(" \r\n", link->tail[end - 1]))
        end--;
    size_t start = end;
    /* The last three lines, if they fit. */
    for (int lines = 0; start > 0 && end - start + 1 < size; start--)
        if (link->tail[start - 1] == '\n' && ++lines == 3)
            break;
    size_t used = 0;
    words[0] = '\0';
    while (start < end) {
        const char *line = link->tail + start;
        const char *stop = memchr(line, '\n', end - start);
        const size_t length = stop ? (size_t)(stop - line) : end - start;
        used = add_line(words, size, used, line, length);
        start += length + 1;
    }
}

/* Offset of the first line of early that begins with mark, or -1. */
static ssize_t find_mark(const struct text *early, const char *mark)
{
    const char *line = text_string(early);
    const char *end = line + early->length;
    const size_t length = strlen(mark);
    while (line) {
        if ((size_t)(end - line) >= length && memcmp(line, mark, length) == 0)
            return line - early->bytes;
        line = memchr(line, '\n', (size_t)(end - line));
        if (line)
            line++;
    }
    return -1;
}

/* Waits at most TICK_MS for news on the descriptors and takes what the child says on either of its
 * outputs. Returns the revents of to_probe when `writing`. */
static short listen_once(struct via_link *link, bool writing, bool *ended)
{
    struct pollfd all[3] = {{.fd = link->from_probe, .events = POLLIN},
                            {.fd = link->errors, .events = POLLIN},
                            {.fd = writing ? link->to_probe : -1, .events = POLLOUT}};
    if (poll(all, 3, TICK_MS) <= 0)
        return 0;
    if (all[1].revents)
        via_drain(link);
    if (all[0].revents) {
        char bytes[4096];
        ssize_t got = read(link->from_probe, bytes, sizeof(bytes));
        if (got > 0 && link->early.length < EARLY_LIMIT)
            text_append(&link->early, bytes, (size_t)got);
        *ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    }
    return all[2].revents;
}

/* The same, but only once the line has come whole. */
static ssize_t find_marked_line(const struct text *early, const char *mark)
{
    ssize_t at = find_mark(early, mark);
    return at >= 0 && memchr(early->bytes + at, '\n', early->length - (size_t)at) ? at : -1;
}

static enum child_news await(struct via_link *link, const char *mark,
                             ssize_t (*find)(const struct text *early, const char *mark),
                             const struct via_patience *patience)
{
    const int64_t deadline = monotonic_ms() + patience->timeout_ms;
    for (bool ended = false;;) {
        if (find(&link->early, mark) >= 0)
            return CHILD_SPOKE;
        if (ended)
            return CHILD_ENDED;
        if (is_stopped(patience))
            return CHILD_STOPPED;
        if (monotonic_ms() >= deadline || link->early.length >= EARLY_LIMIT || link->early.failed)
            return CHILD_SILENT;
        listen_once(link, false, &ended);
    }
}

enum child_news child_await(struct via_link *link, const char *mark,
                            const struct via_patience *patience)
{
    return await(link, mark, find_mark, patience);
}

enum child_news child_take_line(struct via_link *link, const char *mark, char *line, size_t size,
                                const struct via_patience *patience)
{
    enum child_news news = await(link, mark, find_marked_line, patience);
    if (news != CHILD_SPOKE)
        return news;
    struct text *early = &link->early;
    const size_t at = (size_t)find_marked_line(early, mark);
    const char *start = early->bytes + at;
    const size_t length = (size_t)((char *)memchr(start, '\n', early->length - at) - start);
    snprintf(line, size, "%.*s", (int)length, start);
    const size_t used = at + length + 1;
    early->length -= used;
    memmove(early->bytes, early->bytes + used, early->length + 1);
    return CHILD_SPOKE;
}

int child_send(struct via_link *link, const void *bytes, size_t length,
               const struct via_patience *patience)
{
    const char *next = bytes;
    int64_t deadline = monotonic_ms() + patience->timeout_ms;
    bool ended = false;
    while (length) {
        ssize_t sent = pipe_write(link->to_probe, next, length);
        if (sent > 0) {
            next += sent;
            length -= (size_t)sent;
            deadline = monotonic_ms() + patience->timeout_ms;
            continue;
        }
        if (sent != -EAGAIN)
            return (int)sent;
        if (ended)
            return -EPIPE;
        if (is_stopped(patience))
            return -EINTR;
        if (monotonic_ms() >= deadline)
            return -ETIMEDOUT;
        listen_once(link, true, &ended);
    }
    return 0;
}
