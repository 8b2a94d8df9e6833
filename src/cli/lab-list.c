/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * assay lab list: machines, their kernels and CPU models, and what is missing to boot them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/deliver.h"
#include "commands/lab.h"
#include "lab/emulator.h"
#include "lab/kernel-names.h"
#include "lab/packages.h"
#include "lab/settings.h"
#include "show/wrap.h"
#include "engine/via.h"

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

static void look(struct machine_state *state)
{
    char *chosen = NULL;
    struct failure unheard;
    lab_place(&state->place, &unheard);
    if (emulator_find(&state->emulator, state->isa, &state->no_emulator) == 0) {
        if (emulator_version(state->emulator, state->version, sizeof(state->version),
                             &state->no_emulator) == 0)
            emulator_cpus(state->emulator, &state->cpus, &unheard);
    }
    kit_find(&state->kit, state->isa, &state->no_kit);
    lab_kernel_find(&chosen, state->isa, NULL, &state->no_kernel);
    free(chosen);
    lab_kernels_list(&state->installed, state->isa, &unheard);
    struct packages packages = {.stop = &interrupted};
    if (state->place && packages_look(&packages, state->place, &state->no_offers) == 0)
        packages_kernels(&packages, &state->offered, &state->no_offers);
    packages_close(&packages);
}

static void release(struct machine_state *state)
{
    free(state->place);
    free(state->emulator);
    text_free(&state->cpus);
    text_free(&state->offered);
    lab_kernels_free(&state->installed);
    kit_release(&state->kit);
}

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

static void put_offered(struct text *out, const struct machine_state *state, bool all,
                        const struct style *style)
{
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
    put_offered(out, state, all, style);
}

static void put_cpus(struct text *out, const struct machine_state *state, const struct style *style)
{
    static const struct column columns[] = {{.title = "    cpu"}, {.title = ""}, {.title = ""}};
    struct table table = {.columns = columns, .column_count = 3};
    for (const struct cpu_model *model = cpu_models; model->name; model++) {
        bool there = emulator_has(&state->cpus, model->name);
        table_addf(&table, there ? TONE_STRONG : TONE_DIM, "    %s", model->name);
        table_add(&table, there ? TONE_PLAIN : TONE_DIM, model->summary);
        table_add(&table, TONE_PLAIN,
                  !there                ? "not in this QEMU"
                  : model == cpu_models ? "default"
                                        : "");
    }
    text_putc(out, '\n');
    table_put(&table, style, out);
    table_free(&table);
}

static void put_settings(struct text *out, const struct style *style)
{
    static const struct column columns[] = {
        {.title = "    key"}, {.title = "values"}, {.title = "", .wraps = true}};
    struct table table = {.columns = columns, .column_count = 3};
    for (const struct lab_key *key = lab_keys; key->name; key++) {
        table_addf(&table, TONE_STRONG, "    %s", key->name);
        table_add(&table, TONE_PLAIN, key->values);
        table_addf(&table, TONE_PLAIN, "%s (default: %s)", key->summary, key->initial);
    }
    text_puts(out, "\n  settings (--via lab:aarch64,KEY=VALUE...)\n");
    table_put(&table, style, out);
    table_free(&table);
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
    put_cpus(out, state, style);
    put_settings(out, style);
}

/* --- as JSON --- */

static json_t *kernel_json(const char *name, const struct lab_kernel *kernel)
{
    json_t *object = json_object();
    json_object_set_new(object, "name", json_text(name));
    json_object_set_new(object, "installed", json_boolean(kernel != NULL));
    json_object_set_new(object, "default", json_boolean(kernel && kernel->preferred));
    json_object_set_new(object, "version", json_text(kernel ? kernel->version : NULL));
    return object;
}

static void add_offered(void *context, const char *name)
{
    json_array_append_new(context, kernel_json(name, NULL));
}

static json_t *kernels_json(const struct machine_state *state)
{
    json_t *list = json_array();
    for (size_t i = 0; i < state->installed.count; i++)
        json_array_append_new(
            list, kernel_json(state->installed.list[i].name, &state->installed.list[i]));
    each_offered(state, add_offered, list);
    return list;
}

static json_t *cpus_json(const struct machine_state *state)
{
    json_t *list = json_array();
    for (const struct cpu_model *model = cpu_models; model->name; model++) {
        json_t *object = json_object();
        json_object_set_new(object, "name", json_text(model->name));
        json_object_set_new(object, "summary", json_text(model->summary));
        json_object_set_new(object, "default", json_boolean(model == cpu_models));
        json_object_set_new(object, "available",
                            state->cpus.length
                                ? json_boolean(emulator_has(&state->cpus, model->name))
                                : json_null());
        json_array_append_new(list, object);
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
        json_t *object = json_object();
        json_object_set_new(object, "what", json_text(all[i].what));
        json_object_set_new(object, "reason", json_text(all[i].failure->text));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *machine_json(const struct machine_state *state)
{
    json_t *object = json_object();
    json_object_set_new(object, "machine", json_text(state->isa));
    json_object_set_new(object, "ready", json_boolean(ready(state)));
    json_object_set_new(object, "folder", json_text(state->place));
    json_object_set_new(object, "emulator", json_text(state->emulator));
    json_object_set_new(object, "emulator_version",
                        json_text(*state->version ? state->version : NULL));
    json_object_set_new(object, "kit", json_text(state->kit.folder));
    json_object_set_new(object, "kernels", kernels_json(state));
    json_object_set_new(object, "cpus", cpus_json(state));
    json_object_set_new(object, "missing", missing_json(state));
    return object;
}

int lab_list_command(const struct lab_options *options, int word_count, char **words)
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
        look(&state);
        if (results)
            json_array_append_new(results, machine_json(&state));
        else
            put_machine(&out, &state, options->all, &style);
        release(&state);
    }
    struct envelope envelope = {.results = results};
    return results ? deliver_json("lab", &options->common, &envelope, EXIT_DONE)
                   : deliver_text("lab", &options->common, &out, EXIT_DONE);
}
