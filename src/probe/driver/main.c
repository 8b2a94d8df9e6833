/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay-probe: the side of assay that touches the machine under test. Started by a transport, never
 * by hand, except for `facts`. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/list.h"
#include "machine/check.h"
#include "probe/driver/session.h"

/* Serves one controller: hello, then requests, then bye. Whatever ends the session, nothing stays
 * behind. Signals are blocked and taken from a descriptor, so no handler runs in between. */

#define MAX_QUEUE (16u << 20) /* visits */

static int refuse(struct session *session, int code, const char *reason, const char *about)
{
    return fail_with(&session->failure, code, "%s: %s", about, reason);
}

static int take_cell(struct session *session, const struct wire_frame *frame)
{
    struct cell cell = {0};
    int result = cell_get(frame, &cell, &session->failure);
    if (result == 0 && session->under_way && session->under_way->cell.id == cell.id)
        result = refuse(session, -EBADMSG, "replaced while it is visited", "cell");
    if (result == 0 && (result = cells_define(&session->cells, &cell)) < 0)
        refuse(session, result, "out of memory", "cell");
    cell_release(&cell);
    return result;
}

/* "7:0,9:0" */
static int take_visits(struct session *session, const struct wire_frame *frame)
{
    const char *list = wire_get(frame, "list");
    while (list && *list) {
        char *rest;
        errno = 0;
        unsigned long cell = strtoul(list, &rest, 10);
        if (rest == list || *rest != ':' || errno || cell > UINT32_MAX)
            break;
        list = rest + 1;
        unsigned long process = strtoul(list, &rest, 10);
        if (rest == list || (*rest && *rest != ',') || errno || process > UINT32_MAX)
            break;
        struct planned_visit *visit =
            session->queued < MAX_QUEUE
                ? list_add(&session->queue, &session->queued, sizeof(*session->queue))
                : NULL;
        if (!visit)
            return refuse(session, -ENOMEM, "the queue is too long", "visits");
        *visit = (struct planned_visit){(uint32_t)cell, (uint32_t)process};
        list = *rest ? rest + 1 : rest;
    }
    if (!list || *list)
        return refuse(session, -EBADMSG, "malformed list of cell:process", "visits");
    return 0;
}

static int take_stop(struct session *session, const struct wire_frame *frame)
{
    (void)frame;
    session->stop = true;
    return 0;
}

static int take_bye(struct session *session, const struct wire_frame *frame)
{
    session->bye = true;
    return take_stop(session, frame);
}

static int take_error(struct session *session, const struct wire_frame *frame)
{
    (void)frame;
    return refuse(session, -EPIPE, "the controller ended the session", "error");
}

static int say(struct session *session, const char *type)
{
    wire_begin(&session->writer, type);
    int result = wire_end(&session->writer);
    return result < 0 ? result : wire_flush(&session->writer);
}

/* Between visits: has the controller spoken, or a signal come? */
static int look_up(struct session *session)
{
    int result = session_signals(session);
    return result < 0 ? result : session_take(session);
}

static int answer_go(struct session *session, const struct wire_frame *frame)
{
    (void)frame;
    int result = look_up(session); /* what came in one piece with `go` wakes nobody later */
    while (result == 0 && !session->stop && session->next < session->queued) {
        result = visit_run(session, session->queue[session->next++]);
        if (result == 0)
            result = look_up(session);
    }
    if (result < 0 || session->stop) /* the loop of requests says `stopped` */
        return result;
    session->next = session->queued = 0;
    return say(session, "idle");
}

static int answer_list(struct session *session, const struct wire_frame *frame)
{
    return events_list(&session->writer, &session->view, &session->offers.presets,
                       wire_get(frame, "glob"));
}

static int answer_try(struct session *session, const struct wire_frame *frame)
{
    const char *name = wire_get(frame, "name");
    if (!name)
        return refuse(session, -EBADMSG, "no name given", "try");
    return events_try(&session->writer, &session->view, &session->offers.presets, name);
}

static int answer_code(struct session *session, const struct wire_frame *frame)
{
    return code_send(&session->writer, wire_get(frame, "specimen"));
}

static int answer_look(struct session *session, const struct wire_frame *frame)
{
    return looks_answer(&session->looks, &session->writer, wire_get(frame, "clocks"));
}

static int take_file(struct session *session, const struct wire_frame *frame)
{
    return brought_take(&session->brought, &session->writer, frame, &session->failure);
}

static int answer_find(struct session *session, const struct wire_frame *frame)
{
    return find_answer(&session->writer, wire_get(frame, "name"));
}

/* busy: may come while a visit runs. */
static const struct request {
    const char *type;
    bool busy;
    int (*answer)(struct session *session, const struct wire_frame *frame);
} requests[] = {
    {"cell", true, take_cell},    {"visits", true, take_visits}, {"stop", true, take_stop},
    {"bye", true, take_bye},      {"error", true, take_error},   {"go", false, answer_go},
    {"list", false, answer_list}, {"try", false, answer_try},    {"code", false, answer_code},
    {"look", false, answer_look}, {"file", false, take_file},    {"find", false, answer_find},
};

static int answer(struct session *session, const struct wire_frame *frame, bool busy)
{
    for (size_t index = 0; index < sizeof(requests) / sizeof(*requests); index++) {
        if (strcmp(requests[index].type, frame->type) != 0)
            continue;
        if (busy && !requests[index].busy)
            return refuse(session, -EBADMSG, "asked for while visits run", frame->type);
        return requests[index].answer(session, frame);
    }
    return refuse(session, -EBADMSG, "no such request", frame->type);
}

int session_take(struct session *session)
{
    struct wire_frame frame;
    int result;
    while ((result = wire_read(&session->reader, 0, &frame, &session->failure)) > 0)
        if ((result = answer(session, &frame, true)) < 0)
            return result;
    return result;
}

int session_signals(struct session *session)
{
    struct signalfd_siginfo info;
    while (read(session->signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
        if (info.ssi_signo != SIGCHLD)
            return refuse(session, -EINTR, "ended by a signal", "probe");
    return 0;
}

/* The next request, however long it takes. */
static int await_request(struct session *session, struct wire_frame *frame)
{
    for (;;) {
        int result = wire_read(&session->reader, 0, frame, &session->failure);
        if (result != 0)
            return result;
        struct pollfd ends[] = {{.fd = session->reader.fd, .events = POLLIN},
                                {.fd = session->signals, .events = POLLIN}};
        if (poll(ends, 2, -1) < 0 && errno != EINTR)
            return -errno;
        if ((result = session_signals(session)) < 0)
            return result;
    }
}

static int converse(struct session *session)
{
    struct wire_frame frame;
    while (!session->bye) {
        int result = await_request(session, &frame);
        if (result > 0)
            result = answer(session, &frame, false);
        if (result < 0)
            return result;
        if (session->stop) {
            session->next = session->queued = 0;
            session->stop = false;
            if (!session->bye && (result = say(session, "stopped")) < 0)
                return result;
        }
    }
    return say(session, "bye");
}

static void leave(struct session *session)
{
    looks_free(&session->looks);
    brought_free(&session->brought);
    workspace_free(&session->workspace);
    cells_free(&session->cells);
    sources_free(&session->sources);
    offers_free(&session->offers);
    kit_free(&session->kit);
    outlets_close(&session->outlets);
    event_view_close(&session->view);
    wire_reader_free(&session->reader);
    wire_writer_free(&session->writer);
    free(session->queue);
    if (session->signals >= 0)
        close(session->signals);
}

/* Serves over input and output until bye, a lost peer or a signal. lent: where commands that are
 * shown may write (enum command_lent); -1: nothing was. folder: of the kit, taken over. Returns 0,
 * or a negative errno (-EPIPE lost peer, -EINTR signal). */
static int session_serve(int input, int output, const int lent[2], char *folder)
{
    struct session session = {
        .reader = {.fd = input},
        .writer = {.fd = output},
        .signals = -1,
        .outlets = {{-1, -1}, {-1, -1}},
        .lent = {lent[0], lent[1]},
        .workspace = {.fd = -1},
        .brought = {.fd = -1},
    };
    events_view_open(&session.view);
    int result = kit_load(&session.kit, folder, &session.failure);
    if (result == 0) {
        sigset_t signals;
        sigemptyset(&signals);
        sigaddset(&signals, SIGCHLD);
        sigaddset(&signals, SIGTERM);
        sigaddset(&signals, SIGINT);
        sigaddset(&signals, SIGHUP);
        sigprocmask(SIG_BLOCK, &signals, NULL);
        signal(SIGPIPE, SIG_IGN);
        session.signals = descriptor_lift(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
        if (session.signals < 0)
            result = fail_with(&session.failure, -errno, "no descriptor for signals: %s",
                               strerror(errno));
    }
    if (result == 0)
        result = outlets_open(&session.outlets, &session.failure);
    if (result == 0)
        result = offers_collect(&session.offers, &session.kit, &session.outlets, &session.failure);
    if (result == 0)
        result = tools_offer(&session.offers, &session.kit, &session.failure);
    if (result == 0)
        result = commands_collect(&session.offers, &session.kit, &session.failure);
    if (result == 0)
        result =
            subjects_collect(&session.offers, &session.kit, &session.outlets, &session.failure);
    if (result == 0)
        result = sources_collect(&session.sources, &session.kit, &session.offers, &session.failure);
    if (result >= 0) {
        session.view.sources = session.sources.list;
        session.tunables = tunables_choose(NULL);
        result = catalogue_send(&session.writer, &session.kit, &session.offers, &session.sources);
    }
    if (result == 0)
        result = converse(&session);
    if (result < 0) {
        /* The last word, where somebody may still hear it. */
        if (result != -EPIPE) {
            wire_begin(&session.writer, "error");
            wire_put_string(&session.writer, "reason",
                            session.failure.text[0] ? session.failure.text : strerror(-result));
            if (wire_end(&session.writer) == 0)
                wire_flush(&session.writer);
        }
    }
    leave(&session);
    return result;
}

/* --- The words of assay-probe --- */

static const char usage[] =
    "usage: assay-probe serve [FD FD]     speak the protocol on standard input and output;\n"
    "                                     commands that are shown may write to these\n"
    "       assay-probe receive           take the rest of the kit first, remove it at the end\n"
    "       assay-probe receive PLACE push|replace  the same, but keep it at PLACE\n"
    "       assay-probe facts [--root DIR] print what this machine (or a recorded one) is\n"
    "       assay-probe boot              be the first process of an emulated machine\n"
    "       assay-probe --version\n";

static int report(const struct failure *failure)
{
    fprintf(stderr, "assay-probe: %s\n", failure->text);
    return 1;
}

/* Descriptors of whoever started us. Nothing that we execute finds them open, but the commands that
 * they are for. */
static bool take_lent(char **arguments, int lent[2])
{
    for (int index = 0; index < 2; index++) {
        char *end;
        const long number = strtol(arguments[index], &end, 10);
        if (*end || number <= STDERR_FILENO || number > INT_MAX ||
            fcntl((int)number, F_SETFD, FD_CLOEXEC) < 0)
            return false;
        lent[index] = (int)number;
    }
    return true;
}

static int serve(int count, char **arguments)
{
    struct failure failure = {0};
    int lent[2] = {-1, -1};
    char *folder;
    if ((count != 0 && count != 2) || (count && !take_lent(arguments, lent)))
        return fputs(usage, stderr), 2;
    if (kit_folder(&folder, &failure) < 0)
        return report(&failure);
    keep_hold(folder);
    return session_serve(STDIN_FILENO, STDOUT_FILENO, lent, folder) < 0;
}

static int receive(int count, char **arguments)
{
    struct failure failure = {0};
    char *folder;
    if (count != 0 && count != 2)
        return fputs(usage, stderr), 2;
    if (kit_folder(&folder, &failure) < 0)
        return report(&failure);
    char *own = strdup(folder);
    /* A signal while the kit still arrives must not leave the folder behind; from then on the
     * session takes signals itself. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    int result = receive_kit(STDIN_FILENO, STDOUT_FILENO, folder, &failure);
    if (result < 0) {
        report(&failure);
        free(folder);
    } else {
        /* Serves from where the kit lies now; own is what has to be removed afterwards. */
        const char *place = count ? arguments[0] : NULL;
        keep_hold(folder);
        if (place && keep_kit(folder, place, strcmp(count ? arguments[1] : "", "replace") == 0)) {
            free(folder);
            free(own);
            own = NULL;
            folder = strdup(place);
        }
        result = folder ? session_serve(STDIN_FILENO, STDOUT_FILENO, (const int[]){-1, -1}, folder)
                        : -ENOMEM;
    }
    if (own)
        folder_remove(own);
    free(own);
    return result < 0;
}

static int facts(int count, char **arguments)
{
    struct failure failure = {0};
    struct facts found = {0}, live = {0};
    struct machine_view view = {.root = ""};
    if (count == 2 && strcmp(arguments[0], "--root") == 0) {
        if (view_open_recorded(&view, arguments[1], &live, &failure) < 0)
            return report(&failure);
    } else if (count != 0) {
        return fputs(usage, stderr), 2;
    }
    machine_collect(&view, &found);
    int result = facts_write(&found, stdout);
    facts_free(&found);
    facts_free(&live);
    return result < 0 || fflush(stdout) != 0;
}

static int boot(int count, char **arguments)
{
    (void)count, (void)arguments;
    return boot_machine();
}

static int version(int count, char **arguments)
{
    (void)count, (void)arguments;
    puts("assay-probe " ASSAY_VERSION " " PROBE_ISA);
    return 0;
}

int main(int argument_count, char **arguments)
{
    static const struct {
        const char *word;
        int (*run)(int count, char **arguments);
    } commands[] = {{"serve", serve},
                    {"receive", receive},
                    {"facts", facts},
                    {"boot", boot},
                    {"--version", version}};
    /* Descriptors 0 to 2 must be what they seem, or a pipe could land there. */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", O_RDWR) != fd)
            _exit(1);
    for (size_t index = 0; argument_count > 1 && index < sizeof(commands) / sizeof(*commands);
         index++)
        if (strcmp(arguments[1], commands[index].word) == 0)
            return commands[index].run(argument_count - 2, arguments + 2);
    fputs(usage, stderr);
    return 2;
}
