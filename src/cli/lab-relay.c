/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The controller's loop while a command runs in a machine: input there, output and errors here, its
 * exit status at the end. */
#include "cli/lab-relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "engine/command.h"
#include "wire/pipe.h"

#define TICK_MS   100
#define BOOT_MS   60000 /* until the machine says that it has started the command */
#define ENDING_MS 5000  /* for an emulator whose output has ended */
#define CHUNK     65536

/* Input on its way to the machine. */
struct input {
    char bytes[CHUNK];
    size_t next, end;
    bool open;
};

int lab_relay_open(struct lab_relay *relay, bool interactive, struct failure *failure)
{
    *relay = (struct lab_relay){.errors = {-1, -1}, .status = {-1, -1}};
    if (pipe2(relay->errors, O_CLOEXEC) < 0 || pipe2(relay->status, O_CLOEXEC) < 0)
        return fail_with(failure, -errno, "no pipe for the machine: %s", strerror(errno));
    fcntl(relay->errors[0], F_SETFL, O_NONBLOCK);
    fcntl(relay->status[0], F_SETFL, O_NONBLOCK);
    if (!interactive || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
        tcgetattr(STDIN_FILENO, &relay->terminal) < 0)
        return 0;
    struct termios raw = relay->terminal;
    cfmakeraw(&raw);
    relay->raw = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
    return 0;
}

void lab_relay_close(struct lab_relay *relay)
{
    if (relay->raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &relay->terminal);
    for (int i = 0; i < 2; i++) {
        cleanup_close(&relay->errors[i]);
        cleanup_close(&relay->status[i]);
    }
    text_free(&relay->news);
}

/* Everything to a descriptor of ours, which may block: the user decides how fast. */
static int put(int fd, const char *bytes, size_t length)
{
    while (length) {
        ssize_t wrote = pipe_write(fd, bytes, length);
        if (wrote == -EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, TICK_MS);
            if (interrupted)
                return -EINTR;
            continue;
        }
        if (wrote < 0)
            return (int)wrote;
        bytes += wrote;
        length -= (size_t)wrote;
    }
    return 0;
}

/* 1 when something was moved, 0 when nothing waits, -ENODATA at the end of `from`, other negative
 * errno when `to` fails. */
static int move(int from, int to)
{
    char bytes[CHUNK];
    ssize_t got = read(from, bytes, sizeof(bytes));
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -ENODATA;
    if (got == 0)
        return -ENODATA;
    int status = put(to, bytes, (size_t)got);
    return status < 0 ? status : 1;
}

static void take_news(struct lab_relay *relay)
{
    char bytes[64];
    ssize_t got;
    while ((got = read(relay->status[0], bytes, sizeof(bytes))) > 0)
        if (relay->news.length < sizeof(bytes))
            text_append(&relay->news, bytes, (size_t)got);
}

static void take_input(struct input *input)
{
    ssize_t got = read(STDIN_FILENO, input->bytes, sizeof(input->bytes));
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    input->open = got > 0;
    input->next = 0;
    input->end = got > 0 ? (size_t)got : 0;
}

/* Sends what waits; the end of the input is passed on when everything is sent. */
static void give_input(struct input *input, struct via_link *link)
{
    if (link->to_probe >= 0 && input->next < input->end) {
        ssize_t sent =
            pipe_write(link->to_probe, input->bytes + input->next, input->end - input->next);
        if (sent > 0)
            input->next += (size_t)sent;
        else if (sent != -EAGAIN)
            input->open = false, input->next = input->end;
    }
    if (!input->open && input->next == input->end) {
        cleanup_close(&link->to_probe);
        link->to_probe = -1;
    }
}

/* One round; 0, -ENODATA when the machine's output has ended, or another negative errno. */
static int relay_once(struct lab_relay *relay, struct via_link *link, struct input *input)
{
    const bool waiting = input->next < input->end;
    struct pollfd all[] = {
        {.fd = link->from_probe, .events = POLLIN},
        {.fd = relay->errors[0], .events = POLLIN},
        {.fd = relay->status[0], .events = POLLIN},
        {.fd = link->errors, .events = POLLIN},
        {.fd = input->open && !waiting ? STDIN_FILENO : -1, .events = POLLIN},
        {.fd = waiting ? link->to_probe : -1, .events = POLLOUT},
    };
    if (poll(all, sizeof(all) / sizeof(*all), TICK_MS) <= 0)
        return 0;
    int status = 0;
    if (all[3].revents)
        via_drain(link);
    if (all[2].revents)
        take_news(relay);
    if (all[4].revents)
        take_input(input);
    if (all[4].revents || all[5].revents)
        give_input(input, link);
    if (all[1].revents)
        status = move(relay->errors[0], STDERR_FILENO);
    if (status >= 0 && all[0].revents)
        status = move(link->from_probe, STDOUT_FILENO);
    return status > 0 ? 0 : status;
}

/* The number behind "started", or -1 when it never came. */
static int exit_status(const struct lab_relay *relay)
{
    int status;
    return sscanf(text_string(&relay->news), "started %d", &status) == 1 && status >= 0 &&
                   status <= 255
               ? status
               : -1;
}

bool lab_relay_absent(const struct lab_relay *relay)
{
    return strstr(text_string(&relay->news), " absent");
}

static int explain(struct lab_relay *relay, struct via_link *link, int status,
                   struct failure *failure)
{
    char words[500];
    char how[64];
    int ended = via_close(link, status == -ENODATA ? ENDING_MS : 0);
    take_news(relay);
    while (move(relay->errors[0], STDERR_FILENO) > 0)
        ;
    via_last_words(link, words, sizeof(words));
    via_status_text(ended, how, sizeof(how));
    if (status == -ENODATA && exit_status(relay) >= 0)
        return exit_status(relay);
    if (status == -EINTR)
        return fail_with(failure, -EINTR, "interrupted");
    if (status == -ETIMEDOUT)
        return fail_with(failure, status,
                         "the machine did not come up within %d s%s%s. ASSAY_VERBOSE=1 shows its "
                         "console",
                         BOOT_MS / 1000, *words ? "; its last words: " : "", words);
    if (status == -EPIPE) /* whoever read it has read enough */
        return 128 + SIGPIPE;
    if (status != -ENODATA)
        return fail_with(failure, status, "cannot write the command's output: %s",
                         strerror(-status));
    return fail_with(failure, -EPIPE, "the machine ended before its command did, with %s%s%s", how,
                     *words ? "; its last words: " : "", words);
}

int lab_relay_run(struct lab_relay *relay, struct via_link *link, struct failure *failure)
{
    struct input input = {.open = true};
    const int64_t deadline = monotonic_ms() + BOOT_MS;
    int status = 0;
    while (status == 0) {
        status = relay_once(relay, link, &input);
        if (status == 0 && interrupted)
            status = -EINTR;
        if (status == 0 && !relay->news.length && monotonic_ms() > deadline)
            status = -ETIMEDOUT;
    }
    return explain(relay, link, status, failure);
}
