/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab: emulated machines whose counters are exact. Its option table, and the way to its three
 * parts. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/monotonic.h"
#include "commands/lab.h"
#include "engine/finish.h"
#include "engine/options.h"
#include "engine/via.h"
#include "lab/install.h"
#include "lab/packages.h"
#include "lab/place.h"
#include "lab/settings.h"
#include "output/table.h"

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
        kit_release(&state.kit);
    }
    struct envelope envelope = {.results = results};
    return results ? deliver_json("lab", &options->common, &envelope, EXIT_DONE)
                   : deliver_text("lab", &options->common, &out, EXIT_DONE);
}

/* ----------------------------------------------------------------------------------------------
 * assay lab: emulated machines whose counters are exact. Its option table, and the way to its
 * three parts. */

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

int lab_options_refuse(const struct lab_options *options, const char *part, unsigned has,
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
