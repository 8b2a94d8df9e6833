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
#include "base/memory.h"
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
#include "output/field.h"
#include "output/table.h"
#include "wire/frame.h"

struct lab_options {
    struct common_options common;
    const char *kernel, *cpu, *memory, *pmu, *user_access, *paranoid, *user; /* NULL: not given */
    struct string_list send;
    bool again, all;
};

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

/* "run: the CPU to emulate" is for run, and for nothing else. */
static bool is_for(const struct option_spec *spec, const char *part)
{
    const char *at = strstr(spec->help, part);
    return at && at[strlen(part)] == ':';
}

/* -EINVAL when an option was given that is not among those the part has. */
static int lab_options_refuse(const struct lab_options *options, const char *part,
                              struct failure *failure)
{
    for (const struct option_spec *spec = specs; spec->name; spec++)
        if (option_is_given(spec, options) && !is_for(spec, part))
            return fail_with(failure, -EINVAL, "%s has no --%s: it is for %s%.*s", part, spec->name,
                             is_for(spec, "install") && is_for(spec, "run") ? "install and " : "",
                             (int)strcspn(spec->help, ":"),
                             is_for(spec, "run") ? "run" : spec->help);
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
    else if (lab_options_refuse(options, "install", &failure) == 0 &&
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
    struct text cpus;     /* of the emulator, a line each, beginning with an empty one */
    const char **offered; /* kernels that are not installed */
    size_t offered_count;
    bool heard; /* what is on offer */
    struct lab_kernels installed;
    struct kit kit;
    struct failure no_emulator, no_kit, no_kernel, no_offers; /* code 0: it is there */
};

/* Notes those of the lines that are not installed. */
static void note_offered(struct machine_state *state, const char *lines)
{
    char *rest = memory_copy(lines), *name;
    state->heard = *lines;
    while ((name = strsep(&rest, "\n"))) {
        bool there = !*name;
        for (size_t i = 0; i < state->installed.count; i++)
            there |= strcmp(state->installed.list[i].name, name) == 0;
        if (!there)
            *memory_add(state->offered, state->offered_count) = name;
    }
}

static bool ready(const struct machine_state *state)
{
    return !state->no_emulator.code && !state->no_kit.code && !state->no_kernel.code;
}

/* --- for a person --- */

/* Is an installed one, or one before it on offer, newer and of the same series and flavour? */
static bool is_outdated(const struct machine_state *state, size_t offered)
{
    const char *const name = state->offered[offered];
    for (size_t i = 0; i < state->installed.count + offered; i++) {
        const char *other = i < state->installed.count ? state->installed.list[i].name
                                                       : state->offered[i - state->installed.count];
        if (kernel_related(other, name) && strverscmp(other, name) > 0)
            return true;
    }
    return false;
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
    AUTO_TEXT struct text names = {0};
    size_t left_out = 0;
    for (size_t i = 0; i < state->offered_count; i++) {
        if (!all && is_outdated(state, i))
            left_out++;
        else
            text_printf(&names, "%s%s", names.length ? ", " : "", state->offered[i]);
    }
    text_puts(out, "    ");
    if (state->offered_count) {
        text_puts(out, "Debian offers (assay lab install --kernel NAME):\n      ");
        wrap(out, names.length ? text_string(&names) : "nothing newer", 6, 6, style->width);
        if (left_out)
            text_printf(out, "    and %zu older ones of the same series: assay lab list --all\n",
                        left_out);
    } else {
        wrap(out,
             state->heard            ? "Everything Debian offers is installed."
             : state->no_offers.code ? state->no_offers.text
                                     : "What Debian offers is known after the first assay lab "
                                       "install.",
             4, 4, style->width);
    }
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

/* --- for programs --- */

struct listed_kernel {
    const char *name, *version; /* version: of the package, where installed */
    bool installed, preferred;
};
static const struct field kernel_fields[] = {
    {"name", AT(struct listed_kernel, name), "of the kernel"},
    {"installed", AT(struct listed_kernel, installed), "in the lab's folder"},
    {"default", AT(struct listed_kernel, preferred), "machines boot it unless another is named"},
    {"version", AT(struct listed_kernel, version), "of the package, where installed",
     .nullable = true},
};
static const struct fields kernel_table =
    FIELDS("lab.kernel", "a kernel that is installed or can be", kernel_fields);

static const void *kernel_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct machine_state *state = item;
    struct listed_kernel *kernel = memory_new(1, sizeof(*kernel));
    if (index >= state->installed.count + state->offered_count)
        return NULL;
    const struct lab_kernel *own =
        index < state->installed.count ? &state->installed.list[index] : NULL;
    *kernel =
        (struct listed_kernel){own ? own->name : state->offered[index - state->installed.count],
                               own ? own->version : NULL, own != NULL, own && own->preferred};
    return kernel;
}

struct listed_cpu {
    const char *name, *summary;
    bool preferred, asked, available;
};
static const struct field cpu_fields[] = {
    {"name", AT(struct listed_cpu, name), "of the model"},
    {"summary", AT(struct listed_cpu, summary), "what it is"},
    {"default", AT(struct listed_cpu, preferred), "machines have it unless another is named"},
    {"available", AT(struct listed_cpu, available),
     "in this emulator; null: there is no emulator to ask", .nullable = true,
     .known = KNOWN(struct listed_cpu, asked)},
};
static const struct fields cpu_table = FIELDS("lab.cpu", "a model of CPU", cpu_fields);

static const void *cpu_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct machine_state *state = item;
    const struct cpu_model *model = &cpu_models[index];
    if (!model->name)
        return NULL;
    struct listed_cpu *cpu = memory_new(1, sizeof(*cpu));
    *cpu = (struct listed_cpu){model->name, model->summary, index == 0, state->cpus.length > 0,
                               emulator_has(&state->cpus, model->name)};
    return cpu;
}

struct lacking {
    const char *what;
    const struct failure *failure;
};
GETTER(get_lack, struct lacking, value_text(item->failure->text))
static const char *const needed[] = {"emulator", "kit", "kernel"};
static const struct field missing_fields[] = {
    {"what", AT(struct lacking, what), "what is not here", NAMED(needed)},
    {"reason", GET(FIELD_TEXT, get_lack), "why"},
};
static const struct fields missing_table =
    FIELDS("lab.missing", "something without which the machine cannot boot", missing_fields);

static const void *missing_at(const void *item, const void *context, size_t index)
{
    (void)context;
    const struct machine_state *state = item;
    const struct failure *const all[] = {&state->no_emulator, &state->no_kit, &state->no_kernel};
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (all[i]->code && index-- == 0) {
            struct lacking *lacking = memory_new(1, sizeof(*lacking));
            *lacking = (struct lacking){needed[i], all[i]};
            return lacking;
        }
    return NULL;
}

static struct value get_ready(const void *item, const void *context)
{
    (void)context;
    return value_flag(ready(item));
}

static const struct field machine_fields[] = {
    {"machine", AT(struct machine_state, isa),
     "its ISA, as it stands behind --via lab:", .column = true},
    {"ready", GET(FIELD_FLAG, get_ready), "nothing is missing to boot it", .column = true},
    {"folder", AT(struct machine_state, place), "of the lab", .nullable = true},
    {"emulator", AT(struct machine_state, emulator), "path of the program that emulates",
     .nullable = true, .column = true},
    {"emulator_version", AT(struct machine_state, version), "of that", .nullable = true,
     .column = true},
    {"kit", AT(struct machine_state, kit.folder), "folder of the probe for it", .nullable = true},
    {"kernels", LIST_BY(kernel_at, &kernel_table), "that it can boot"},
    {"cpus", LIST_BY(cpu_at, &cpu_table), "that it can have"},
    {"missing", LIST_BY(missing_at, &missing_table), "what stands in the way"},
};
static const struct fields machines_table =
    FIELDS("lab", "a machine of the lab (assay lab list)", machine_fields);

struct listed_machines {
    struct machine_state *list;
    size_t count;
};
static const struct field lab_results = {
    "results", LIST(struct listed_machines, list, count, &machines_table)};

static void machine_state_end(struct machine_state *state)
{
    free(state->emulator);
    text_free(&state->cpus);
}

static int lab_list_command(const struct lab_options *options, int word_count, char **words)
{
    struct failure failure = {0};
    AUTO_TEXT struct text out = {0};
    struct style style = deliver_style(&options->common);
    struct listed_machines machines = {0};
    if (word_count)
        fail_with(&failure, -EINVAL, "list takes no words, but got '%.100s'", words[0]);
    else
        lab_options_refuse(options, "list", &failure);
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
        AUTO_TEXT struct text offered = {0};
        if (state.place && packages_look(&packages, state.place, &state.no_offers) == 0)
            packages_kernels(&packages, &offered, &state.no_offers);
        note_offered(&state, text_string(&offered));

        if (common_is_for_programs(&options->common))
            *memory_add(machines.list, machines.count) = state;
        else
            put_machine(&out, &state, options->all, &style);
        if (!common_is_for_programs(&options->common))
            machine_state_end(&state);
    }
    if (!common_is_for_programs(&options->common))
        return deliver_text("lab", &options->common, &out, EXIT_DONE);
    const int status = deliver_results("lab", &options->common, &(struct envelope){0}, &lab_results,
                                       NULL, &machines, EXIT_DONE);
    for (size_t i = 0; i < machines.count; i++)
        machine_state_end(&machines.list[i]);
    return status;
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
    const struct common_options *common = &options->common;
    if (common_is_for_programs(common) || common->output)
        return fail_with(failure, -EINVAL,
                         "--%s is not for run: standard output is the command's own",
                         common->json       ? "json"
                         : common->csv      ? "csv"
                         : common->markdown ? "markdown"
                                            : "output");
    return lab_options_refuse(options, "run", failure);
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
    .results = &lab_results,
    .run = run,
};
