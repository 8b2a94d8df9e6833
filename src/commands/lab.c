/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab: emulated machines whose counters are exact. Its option table, and the way to its three
 * parts. */
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
#include "engine/command.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "engine/via/parts.h"
#include "engine/via/via.h"
#include "lab/install.h"
#include "lab/machine.h"
#include "lab/place.h"
#include "lab/settings.h"
#include "output/table.h"
#include "wire/frame.h"

struct lab_options {
    struct common_options common;
    const char *kernel, *cpu, *memory, *pmu, *user_access, *paranoid, *user; /* NULL: not given */
    struct string_list send;
    bool again, all;
};

/* Options that only some of the parts have. */
enum lab_option { LAB_KERNEL = 1, LAB_MACHINE = 2, LAB_AGAIN = 4, LAB_ALL = 8 };

#define MACHINE(letter, name, argument, help, member)                                              \
    {                                                                                              \
        letter, name, OPTION_STRING, argument, help, offsetof(struct lab_options, member), NULL    \
    }

static const struct option_spec specs[] = {
    MACHINE(0, "kernel", "NAME",
            "install: the kernel to fetch, one of those list shows or a metapackage's name such as "
            "cloud-arm64; run: the kernel to boot",
            kernel),
    MACHINE(0, "cpu", "MODEL", "run: the CPU to emulate", cpu),
    MACHINE(0, "memory", "MB", "run: the machine's memory", memory),
    MACHINE(0, "pmu", "on|off", "run: whether the CPU has performance counters", pmu),
    MACHINE(0, "user-access", "on|off",
            "run: whether programs may read counters without a system call", user_access),
    MACHINE(0, "paranoid", "N", "run: kernel.perf_event_paranoid", paranoid),
    MACHINE(0, "user", "root|nobody", "run: who runs the command", user),
    {0, "send", OPTION_FILES, "FILE",
     "run: a file to put into the command's working folder, with its mode; may be repeated",
     offsetof(struct lab_options, send), NULL},
    {0, "again", OPTION_FLAG, NULL,
     "install: fetch the kernel even when it is there in the version on offer",
     offsetof(struct lab_options, again), NULL},
    {0, "all", OPTION_FLAG, NULL,
     "list: every kernel on offer, not only the newest of each series and flavour",
     offsetof(struct lab_options, all), NULL},
    {0},
};

/* -EINVAL when an option was given that is not among those the part has. */
static int lab_options_refuse(const struct lab_options *options, const char *part, unsigned has,
                              struct failure *failure)
{
    const struct {
        unsigned kind;
        const char *name, *owner;
        bool given;
    } all[] = {{LAB_KERNEL, "kernel", "install and run", options->kernel},
               {LAB_MACHINE, "cpu", "run", options->cpu},
               {LAB_MACHINE, "memory", "run", options->memory},
               {LAB_MACHINE, "pmu", "run", options->pmu},
               {LAB_MACHINE, "user-access", "run", options->user_access},
               {LAB_MACHINE, "paranoid", "run", options->paranoid},
               {LAB_MACHINE, "user", "run", options->user},
               {LAB_MACHINE, "send", "run", options->send.count > 0},
               {LAB_AGAIN, "again", "install", options->again},
               {LAB_ALL, "all", "list", options->all}};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i].given && !(has & all[i].kind))
            return fail_with(failure, -EINVAL, "%s has no --%s: it is for %s", part, all[i].name,
                             all[i].owner);
    return 0;
}

/* ----------------------------------------------------------------------------------------------
 * assay lab install: fetches a kernel, and shows how far it is. */

#define DRAW_MS 100

struct meter {
    bool quiet, terminal;
    char step[160];
    int64_t drawn_ms;
};

/* On a terminal one line that is rewritten, elsewhere a line for each step. */
static void show(void *context, const char *step, double percent)
{
    struct meter *meter = context;
    if (meter->quiet)
        return;
    if (step) {
        snprintf(meter->step, sizeof(meter->step), "%s", step);
        if (!meter->terminal)
            fprintf(stderr, "%s\n", step);
    }
    const int64_t now = monotonic_ms();
    if (!meter->terminal || (!step && now - meter->drawn_ms < DRAW_MS))
        return;
    meter->drawn_ms = now;
    if (percent >= 0)
        fprintf(stderr, "\r\033[K%s: %.0f %%", meter->step, percent);
    else
        fprintf(stderr, "\r\033[K%s", meter->step);
    fflush(stderr);
}

/* Of what may stand behind the ISA only the kernel can be installed. */
static int refuse_settings(const struct lab_options *options, const struct lab_settings *settings,
                           struct failure *failure)
{
    for (size_t i = 0; lab_keys[i].name; i++)
        if ((settings->given >> i & 1u) && strcmp(lab_keys[i].name, "kernel") != 0)
            return fail_with(failure, -EINVAL,
                             "%s= is for run and --via: install only takes a kernel",
                             lab_keys[i].name);
    if (options->kernel && *settings->kernel)
        return fail_with(failure, -EINVAL, "the kernel is given twice: %s and %.100s",
                         settings->kernel, options->kernel);
    return 0;
}

static int lab_install_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    struct lab_settings settings = {0};
    if (word_count > 1)
        fail_with(&failure, -EINVAL, "install takes one machine, and --kernel NAME");
    else if (lab_options_refuse(options, "install", LAB_KERNEL | LAB_AGAIN, &failure) == 0 &&
             lab_settings_parse(&settings, word_count ? words[0] : lab_isas[0], &failure) == 0)
        refuse_settings(options, &settings, &failure);
    if (failure.code)
        return deliver_failure("lab", &failure, EXIT_USAGE);
    struct meter meter = {.quiet = options->common.quiet, .terminal = isatty(STDERR_FILENO)};
    const char *kernel = options->kernel    ? options->kernel
                         : *settings.kernel ? settings.kernel
                                            : NULL;
    char *name = NULL;
    int error = lab_install(&(struct lab_installation){.isa = settings.isa,
                                                       .kernel = kernel,
                                                       .again = options->again,
                                                       .stop = &interrupted,
                                                       .progress = show,
                                                       .context = &meter},
                            &name, &failure);
    if (!meter.quiet && meter.terminal)
        fputs("\r\033[K", stderr);

    if (error < 0)
        return deliver_failure("lab", &failure,
                               error == -EINTR    ? EXIT_INTERRUPTED
                               : error == -EINVAL ? EXIT_USAGE
                                                  : EXIT_FAILED);
    deliver_remark(&options->common, "the kernel %s is in the lab%s: --via lab:%s%s%s boots it%s",
                   name, error == LAB_INSTALL_THERE ? " already, in the version on offer" : "",
                   settings.isa, kernel ? ",kernel=" : "", kernel ? name : "",
                   error == LAB_INSTALL_THERE ? ", --again fetches it anew" : "");
    AUTO_FREE char *emulator = NULL;
    if (emulator_find(&emulator, settings.isa, &failure) < 0)
        deliver_remark(&options->common, "still missing: %s", failure.text);
    return EXIT_DONE;
}

/* ----------------------------------------------------------------------------------------------
 * assay lab list: machines, their kernels and CPU models, and what is missing to boot them. */

struct machine_state {
    const char *isa;
    char *place;
    char *emulator;
    char version[32];
    struct text cpus;    /* of the emulator, a line each, beginning with an empty one */
    struct text offered; /* kernels, a line each */
    struct lab_kernels installed;
    struct kit kit;
    struct failure no_emulator, no_kit, no_kernel, no_offers; /* code 0: it is there */
};

static const struct lab_kernel *installed(const struct machine_state *state, const char *name)
{
    for (size_t i = 0; i < state->installed.count; i++)
        if (strcmp(state->installed.list[i].name, name) == 0)
            return &state->installed.list[i];
    return NULL;
}

static bool ready(const struct machine_state *state)
{
    return !state->no_emulator.code && !state->no_kit.code && !state->no_kernel.code;
}

/* Calls `each` for the kernels on offer that are not installed. */
static void each_offered(const struct machine_state *state,
                         void (*each)(void *context, const char *name), void *context)
{
    for (const char *line = text_string(&state->offered); *line;) {
        char name[LAB_KERNEL_NAME_MAX];
        size_t length = strcspn(line, "\n");
        snprintf(name, sizeof(name), "%.*s", (int)length, line);
        if (!installed(state, name))
            each(context, name);
        line += length + (line[length] == '\n');
    }
}

/* --- for a person --- */

/* Kernels on their way to a line: all, or of each series and flavour the first, which is the
 * newest. */
struct choice {
    bool all;
    struct text names; /* with commas */
    struct text taken; /* one a line, the installed ones before them */
    size_t left_out;
};

/* Is one of them newer and of the same series and flavour? */
static bool outdated_by_any(const struct text *taken, const char *name)
{
    for (const char *line = text_string(taken); *line; line = strchr(line, '\n') + 1) {
        char other[LAB_KERNEL_NAME_MAX];
        snprintf(other, sizeof(other), "%.*s", (int)strcspn(line, "\n"), line);
        if (kernel_related(other, name) && strverscmp(other, name) > 0)
            return true;
    }
    return false;
}

static void choose_name(void *context, const char *name)
{
    struct choice *choice = context;
    if (!choice->all && outdated_by_any(&choice->taken, name)) {
        choice->left_out++;
        return;
    }
    text_printf(&choice->names, "%s%s", choice->names.length ? ", " : "", name);
    text_printf(&choice->taken, "%s\n", name);
}

static void put_missing(struct text *out, const struct failure *missing, const struct style *style)
{
    if (!missing->code)
        return;
    text_puts(out, "    ");
    text_put_toned(out, style, TONE_BAD, "missing: ");
    wrap(out, missing->text, 13, 6, style->width);
}

static void put_kernels(struct text *out, const struct machine_state *state, bool all,
                        const struct style *style)
{
    static const struct column columns[] = {
        {.title = "    installed"}, {.title = "package"}, {.title = ""}};
    struct table table = {.columns = columns, .column_count = 3};
    for (size_t i = 0; i < state->installed.count; i++) {
        const struct lab_kernel *kernel = &state->installed.list[i];
        table_addf(&table, TONE_STRONG, "    %s", kernel->name);
        table_add(&table, TONE_PLAIN, kernel->version);
        table_add(&table, TONE_PLAIN, kernel->preferred ? "default" : "");
    }
    text_puts(out, "\n  kernels\n");
    if (table.count)
        table_put(&table, style, out);
    table_free(&table);
    struct choice choice = {.all = all};
    for (size_t i = 0; i < state->installed.count; i++)
        text_printf(&choice.taken, "%s\n", state->installed.list[i].name);
    each_offered(state, choose_name, &choice);
    text_puts(out, "    ");
    if (choice.names.length || choice.left_out) {
        text_puts(out, "Debian offers (assay lab install --kernel NAME):\n      ");
        wrap(out, choice.names.length ? text_string(&choice.names) : "nothing newer", 6, 6,
             style->width);
        if (choice.left_out)
            text_printf(out, "    and %zu older ones of the same series: assay lab list --all\n",
                        choice.left_out);
    } else {
        wrap(out,
             state->offered.length   ? "Everything Debian offers is installed."
             : state->no_offers.code ? state->no_offers.text
                                     : "What Debian offers is known after the first assay lab "
                                       "install.",
             4, 4, style->width);
    }
    text_free(&choice.names);
    text_free(&choice.taken);
}

static void put_machine(struct text *out, const struct machine_state *state, bool all,
                        const struct style *style)
{
    text_put_toned(out, style, TONE_STRONG, state->isa);
    text_puts(out, "  ");
    text_put_toned(out, style, ready(state) ? TONE_GOOD : TONE_BAD,
                   ready(state) ? "ready" : "not ready");
    text_puts(out, "\n  in ");
    text_puts(out, state->place ? state->place : "no folder at all");
    text_putc(out, '\n');
    if (state->emulator)
        text_printf(out, "  emulated by %s %s\n", state->emulator, state->version);
    put_missing(out, &state->no_emulator, style);
    put_missing(out, &state->no_kit, style);
    put_missing(out, &state->no_kernel, style);
    put_kernels(out, state, all, style);
    static const struct column cpu_columns[] = {{.title = "    cpu"}, {.title = ""}, {.title = ""}};
    struct table cpus = {.columns = cpu_columns, .column_count = 3};
    for (const struct cpu_model *model = cpu_models; model->name; model++) {
        bool there = emulator_has(&state->cpus, model->name);
        table_addf(&cpus, there ? TONE_STRONG : TONE_DIM, "    %s", model->name);
        table_add(&cpus, there ? TONE_PLAIN : TONE_DIM, model->summary);
        table_add(&cpus, TONE_PLAIN,
                  !there                ? "not in this QEMU"
                  : model == cpu_models ? "default"
                                        : "");
    }
    text_putc(out, '\n');
    table_put(&cpus, style, out);
    table_free(&cpus);
    static const struct column key_columns[] = {
        {.title = "    key"}, {.title = "values"}, {.title = "", .wraps = true}};
    struct table keys = {.columns = key_columns, .column_count = 3};
    for (const struct lab_key *key = lab_keys; key->name; key++) {
        table_addf(&keys, TONE_STRONG, "    %s", key->name);
        table_add(&keys, TONE_PLAIN, key->values);
        table_addf(&keys, TONE_PLAIN, "%s (default: %s)", key->summary, key->initial);
    }
    text_puts(out, "\n  settings (--via lab:aarch64,KEY=VALUE...)\n");
    table_put(&keys, style, out);
    table_free(&keys);
}

/* --- as JSON --- */

static json_t *kernel_json(const char *name, const struct lab_kernel *kernel)
{
    return JSON_OBJECT({"name", json_text(name)}, {"installed", json_boolean(kernel != NULL)},
                       {"default", json_boolean(kernel && kernel->preferred)},
                       {"version", json_text(kernel ? kernel->version : NULL)});
}

static void add_offered(void *context, const char *name)
{
    json_array_append_new(context, kernel_json(name, NULL));
}

static json_t *cpus_json(const struct machine_state *state)
{
    json_t *list = json_array();
    for (const struct cpu_model *model = cpu_models; model->name; model++) {
        json_array_append_new(
            list,
            JSON_OBJECT({"name", json_text(model->name)}, {"summary", json_text(model->summary)},
                        {"default", json_boolean(model == cpu_models)},
                        {"available", state->cpus.length
                                          ? json_boolean(emulator_has(&state->cpus, model->name))
                                          : json_null()}));
    }
    return list;
}

static json_t *missing_json(const struct machine_state *state)
{
    const struct {
        const char *what;
        const struct failure *failure;
    } all[] = {
        {"emulator", &state->no_emulator}, {"kit", &state->no_kit}, {"kernel", &state->no_kernel}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (!all[i].failure->code)
            continue;
        json_array_append_new(list, JSON_OBJECT({"what", json_text(all[i].what)},
                                                {"reason", json_text(all[i].failure->text)}));
    }
    return list;
}

static int lab_list_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    AUTO_TEXT struct text out = {0};
    struct style style = deliver_style(&options->common);
    json_t *results = options->common.json ? json_array() : NULL;
    if (word_count)
        fail_with(&failure, -EINVAL, "list takes no words, but got '%.100s'", words[0]);
    else
        lab_options_refuse(options, "list", LAB_ALL, &failure);
    if (failure.code)
        return deliver_failure("lab", &failure, EXIT_USAGE);
    for (size_t i = 0; lab_isas[i]; i++) {
        struct machine_state state = {.isa = lab_isas[i]};
        char *chosen = NULL;
        struct failure unheard;
        lab_place(&state.place, &unheard);
        if (emulator_find(&state.emulator, state.isa, &state.no_emulator) == 0) {
            if (emulator_version(state.emulator, state.version, sizeof(state.version),
                                 &state.no_emulator) == 0)
                emulator_cpus(state.emulator, &state.cpus, &unheard);
        }
        kit_find(&state.kit, state.isa, &state.no_kit);
        lab_kernel_find(&chosen, state.isa, NULL, &state.no_kernel);
        lab_kernels_list(&state.installed, state.isa, &unheard);
        struct packages packages = {.stop = &interrupted};
        if (state.place && packages_look(&packages, state.place, &state.no_offers) == 0)
            packages_kernels(&packages, &state.offered, &state.no_offers);

        if (results) {
            json_t *object = JSON_OBJECT(
                {"machine", json_text(state.isa)}, {"ready", json_boolean(ready(&state))},
                {"folder", json_text(state.place)}, {"emulator", json_text(state.emulator)},
                {"emulator_version", json_text(*state.version ? state.version : NULL)},
                {"kit", json_text(state.kit.folder)});
            json_t *list = json_array();
            for (size_t j = 0; j < state.installed.count; j++)
                json_array_append_new(
                    list, kernel_json(state.installed.list[j].name, &state.installed.list[j]));
            each_offered(&state, add_offered, list);
            json_object_set_new(object, "kernels", list);

            JSON_PUT(object, {"cpus", cpus_json(&state)}, {"missing", missing_json(&state)});
            json_array_append_new(results, object);
        } else
            put_machine(&out, &state, options->all, &style);
        free(state.emulator);
        text_free(&state.cpus);
        text_free(&state.offered);
    }
    struct envelope envelope = {.results = results};
    return results ? deliver_json("lab", &options->common, &envelope, EXIT_DONE)
                   : deliver_text("lab", &options->common, &out, EXIT_DONE);
}

/* ----------------------------------------------------------------------------------------------
 * assay lab run: one command in a machine of its own. Its settings come from the word behind `run`
 * and from options; the machine's end is the command's. The controller's loop while a command runs
 * in a machine: input there, output and errors here, its exit status at the end. */

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

static int lab_run_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    struct lab_settings settings = {0};
    int status = refuse_options(options, word_count, &failure);
    if (status == 0) {
        status = lab_settings_parse(&settings, words[0], &failure);
        for (const struct option_spec *spec = specs; status == 0 && spec->name; spec++)
            if (spec->type == OPTION_STRING && option_is_given(spec, options))
                status = lab_settings_set(
                    &settings, spec->name,
                    *(const char *const *)((const char *)options + spec->offset), &failure);
    }

    if (status < 0)
        return deliver_failure("lab", &failure, EXIT_USAGE);
    struct kit kit = {0};
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

/* --- the command --- */

static const struct part {
    const char *name;
    int (*run)(const struct lab_options *options, int word_count, char **words);
} parts[] = {
    {"install", lab_install_command},
    {"list", lab_list_command},
    {"run", lab_run_command},
};

static const struct option_hint hints[] = {
    {"via", "the lab is on this machine; --via lab:aarch64 belongs to the commands that measure"},
    {0},
};

static int run(void *parsed, int argument_count, char **arguments)
{
    const struct lab_options *options = parsed;
    for (size_t i = 0; argument_count && i < sizeof(parts) / sizeof(*parts); i++)
        if (strcmp(arguments[0], parts[i].name) == 0)
            return parts[i].run(options, argument_count - 1, arguments + 1);
    const char *word = argument_count ? arguments[0] : NULL;
    struct failure failure = {0};
    struct nearest nearest = {.word = word ? word : ""};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        nearest_offer(&nearest, parts[i].name);
    if (!word)
        fail_with(&failure, -EINVAL, "say what to do: install, list or run");
    else if (nearest.best)
        fail_with(&failure, -EINVAL, "unknown word '%.100s': did you mean '%s'?", word,
                  nearest.best);
    else
        fail_with(&failure, -EINVAL, "unknown word '%.100s': there are install, list and run",
                  word);
    return deliver_failure("lab", &failure, EXIT_USAGE);
}

static const struct exit_meaning exits[] = {
    {EXIT_DONE, "done; of run: CMD ended with 0"},
    {EXIT_FAILED, "failed"},
    {EXIT_USAGE, "the command line is wrong"},
    {125, "run: the machine failed, or could not be started"},
    {126, "run: CMD cannot be run"},
    {127, "run: there is no CMD in the machine"},
    {EXIT_INTERRUPTED, "interrupted; run: 143 by SIGTERM, 141 when nobody reads"},
    {0},
};

const struct command command_lab = {
    .name = "lab",
    .group = GROUP_MACHINE,
    .summary = "emulated machines with exact counters: install, list, run",
    .synopsis = "install [ISA] | list | run ISA [-- CMD...]",
    .description =
        "The lab is a machine of another kind on this one: QEMU emulates an aarch64 CPU with a PMU "
        "and boots one of Debian's kernels on it, whose perf_event counts instructions exactly and "
        "the same in every run. Commands that measure reach it with --via lab:aarch64; everything "
        "they report from there is marked as emulated, because its times, cycles and caches are no "
        "hardware's.\n\n"
        "install fetches a kernel with this machine's own apt from its own mirrors into a private "
        "folder (ASSAY_LAB, else the user's cache); nothing foreign is installed here. list shows "
        "machines, kernels and CPU models, and what is missing. run boots a machine, runs CMD in "
        "it "
        "with standard input, output and error connected, and ends with its exit status; without "
        "CMD it is a shell. The settings may also stand behind the ISA, as behind --via lab: "
        "aarch64,cpu=max,paranoid=3.",
    .examples = "# fetch the kernel Debian chooses\n"
                "assay lab install aarch64\n"
                "# what is there, what could be had?\n"
                "assay lab list\n"
                "# run a program for aarch64\n"
                "assay lab run aarch64 --send ./program -- ./program -v\n"
                "# measure there\n"
                "assay measure --event instructions:u --specimen loop --via lab:aarch64\n",
    .options = specs,
    .exits = exits,
    .hints = hints,
    .stays_here = true,
    .options_size = sizeof(struct lab_options),
    .run = run,
};
