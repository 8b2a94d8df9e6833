/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab run: one command in a machine of its own. Its settings come from the word behind `run`
 * and from options; the machine's end is the command's. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "commands/lab.h"
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "engine/via-parts.h"
#include "lab/machine.h"
#include "wire/frame.h"

/* ----------------------------------------------------------------------------------------------
 * The controller's loop while a command runs in a machine: input there, output and errors here,
 * its exit status at the end. */

#define TICK_MS   100
#define BOOT_MS   60000 /* until the machine says that it has started the command */
#define ENDING_MS 5000  /* for an emulator whose output has ended */
#define CHUNK     65536

/* Between the user's standard descriptors and the ports of a machine that runs a command. */
struct lab_relay {
    int errors[2], status[2]; /* pipes: the machine's ports write to [1] */
    struct text news; /* what came on the status port: "started", a number, perhaps "absent" */
    bool raw;         /* the terminal's settings are changed; `terminal` holds them */
    struct termios terminal;
};

/* Input on its way to the machine. */
struct input {
    char bytes[CHUNK];
    size_t next, end;
    bool open;
};

/* interactive: keys go to the machine one by one, where the user has a terminal. */
static int lab_relay_open(struct lab_relay *relay, bool interactive, struct failure *failure)
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
    if (all[4].revents || all[5].revents) {
        /* Sends what waits; the end of the input is passed on when everything is sent. */
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

/* ----------------------------------------------------------------------------------------------
 * assay lab run: one command in a machine of its own. Its settings come from the word behind `run`
 * and from options; the machine's end is the command's. */

#define MACHINE_FAILED 125 /* as timeout(1) says that it failed itself */

static void plan_command(struct text *plan, int count, char **words)
{
    plan_put(plan, "folder", "/work");
    for (int i = 0; i < count; i++)
        plan_put(plan, "run", words[i]);
    if (count == 0) {
        /* A shell on a terminal where there is one, else one that reads its input. */
        struct winsize size = {.ws_row = 24, .ws_col = 80};
        plan_put(plan, "run", "sh");
        if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
            return;
        ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
        char terminal[32];
        snprintf(terminal, sizeof(terminal), "%dx%d", size.ws_row ? size.ws_row : 24,
                 size.ws_col ? size.ws_col : 80);
        plan_put(plan, "terminal", terminal);
    }
}

static int refuse_options(const struct lab_options *options, int word_count,
                          struct failure *failure)
{
    if (word_count == 0)
        return fail_with(failure, -EINVAL, "run needs a machine: assay lab run aarch64 -- CMD...");
    if (options->common.json || options->common.output)
        return fail_with(failure, -EINVAL,
                         "--%s is not for run: standard output is the command's own",
                         options->common.json ? "json" : "output");
    return lab_options_refuse(options, "run", LAB_KERNEL | LAB_MACHINE, failure);
}

/* Starts the machine and stays with it to its end; its exit status or negative errno. */
static int run_machine(const struct lab_order *order, struct lab_relay *relay,
                       struct failure *failure)
{
    AUTO_LAB_MACHINE struct lab_machine machine = {.archive = -1};
    struct via_link link = {.pid = -1, .to_probe = -1, .from_probe = -1, .errors = -1};
    int status = lab_machine_prepare(&machine, order, failure);
    if (status == 0)
        status = child_start_with(&link, (const char *const *)(uintptr_t)machine.argv,
                                  machine.inherited, machine.inherited_count, failure);
    if (status < 0)
        return status;
    /* Relays until the machine has ended. The command's exit status, or negative errno: -EINTR when
     * the user stopped it. When nobody reads the output any more, as by SIGPIPE. The link is closed
     * in any case. */
    struct input input = {.open = true};
    const int64_t deadline = monotonic_ms() + BOOT_MS;
    status = 0;
    while (status == 0) {
        status = relay_once(relay, &link, &input);
        if (status == 0 && interrupted)
            status = -EINTR;
        if (status == 0 && !relay->news.length && monotonic_ms() > deadline)
            status = -ETIMEDOUT;
    }
    return explain(relay, &link, status, failure);
}

/* A program that is here and not there was meant to be sent. */
static void hint_at_send(const struct common_options *common, const char *machine,
                         const char *command)
{
    const char *slash = strrchr(command, '/');
    struct stat facts;
    if (stat(command, &facts) == 0 && S_ISREG(facts.st_mode))
        deliver_remark(common,
                       "%s is a file of this machine; to run it there: assay lab run %s --send %s "
                       "-- ./%s",
                       command, machine, command, slash ? slash + 1 : command);
}

int lab_run_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    struct lab_settings settings = {0};
    int status = refuse_options(options, word_count, &failure);
    if (status == 0) {
        const struct {
            const char *key, *value;
        } given[] = {{"kernel", options->kernel},
                     {"cpu", options->cpu},
                     {"memory", options->memory},
                     {"pmu", options->pmu},
                     {"user-access", options->user_access},
                     {"paranoid", options->paranoid},
                     {"user", options->user}};
        status = lab_settings_parse(&settings, words[0], &failure);
        for (size_t i = 0; status == 0 && i < sizeof(given) / sizeof(*given); i++)
            if (given[i].value)
                status = lab_settings_set(&settings, given[i].key, given[i].value, &failure);
    }

    if (status < 0)
        return deliver_failure("lab", &failure, EXIT_USAGE);
    AUTO_KIT struct kit kit = {0};
    if (kit_find(&kit, settings.isa, &failure) < 0)
        return deliver_failure("lab", &failure, MACHINE_FAILED);
    AUTO_TEXT struct text plan = {0};
    plan_command(&plan, word_count - 1, words + 1);
    struct lab_relay relay;
    status = lab_relay_open(&relay, word_count == 1, &failure);
    if (status == 0)
        status = run_machine(&(struct lab_order){.settings = &settings,
                                                 .kit_folder = kit.folder,
                                                 .plan = &plan,
                                                 .files = options->send.items,
                                                 .file_count = options->send.count,
                                                 .verbose = child_verbose(),
                                                 .errors = relay.errors[1],
                                                 .status = relay.status[1]},
                             &relay, &failure);
    /* Did the machine say that it has no such command? */
    const bool absent = strstr(text_string(&relay.news), " absent");

    /* Gives the terminal back. */
    if (relay.raw)
        tcsetattr(STDIN_FILENO, TCSANOW, &relay.terminal);
    for (int i = 0; i < 2; i++) {
        cleanup_close(&relay.errors[i]);
        cleanup_close(&relay.status[i]);
    }
    text_free(&relay.news);

    if (absent && word_count > 1)
        hint_at_send(&options->common, words[0], words[1]);
    if (status >= 0)
        return status;
    if (status == -EINTR)
        return signals_status();
    return deliver_failure("lab", &failure, status == -EINVAL ? EXIT_USAGE : MACHINE_FAILED);
}
