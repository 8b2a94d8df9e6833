/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Settings of a machine, the CPU models and the emulator that has them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "lab/settings.h"
#include "lab/tool.h"

/* --- A list of names that may stand behind QEMU's -cpu; nothing else ever reaches it --- */

const struct cpu_model cpu_models[] = {
    {"cortex-a72", "Armv8.0, PMUv3 with 6 counters", false},
    {"cortex-a35", "Armv8.0, small", true},
    {"cortex-a53", "Armv8.0, small", false},
    {"cortex-a55", "Armv8.2, small", true},
    {"cortex-a57", "Armv8.0", false},
    {"cortex-a76", "Armv8.2", true},
    {"cortex-a710", "Armv9.0", true},
    {"a64fx", "Armv8.2 with long vectors", false},
    {"neoverse-n1", "Armv8.2, for servers", true},
    {"neoverse-n2", "Armv9.0, for servers", true},
    {"neoverse-v1", "Armv8.4, for servers", true},
    {"max", "everything the emulator knows, 64-bit counters included", true},
    {0},
};

static const struct cpu_model *cpu_model_find(const char *name)
{
    for (const struct cpu_model *model = cpu_models; model->name; model++)
        if (strcmp(model->name, name) == 0)
            return model;
    return NULL;
}

/* --- Finds QEMU and asks what it is --- */

#define ANSWER_MS 10000 /* for a question that takes milliseconds */

int emulator_find(char **path, const char *isa, struct failure *failure)
{
    const char *chosen = getenv("ASSAY_QEMU");
    char name[64];
    snprintf(name, sizeof(name), "qemu-system-%s", isa);
    *path = tool_path(chosen && *chosen ? chosen : name);
    if (*path)
        return 0;
    if (chosen && *chosen)
        return fail_with(failure, -ENOENT,
                         "ASSAY_QEMU names %.200s, which cannot be run: set it to a %s, or unset "
                         "it to take the one in PATH",
                         chosen, name);
    return fail_with(failure, -ENOENT,
                     "there is no %s on this machine: install it, for example with "
                     "`apt-get install qemu-system-arm` or `dnf install qemu-system-aarch64-core`",
                     name);
}

int emulator_version(const char *path, char *version, size_t size, struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    const char *const argv[] = {path, "--version", NULL};
    int status = tool_run(&(struct tool){.argv = argv, .limit_ms = ANSWER_MS}, &said, failure);
    if (status < 0)
        return status;
    const char *word = strstr(text_string(&said), "version ");
    word = word ? word + strlen("version ") : "";
    snprintf(version, size, "%.*s", (int)strspn(word, "0123456789."), word);
    return 0;
}

int emulator_cpus(const char *path, struct text *models, struct failure *failure)
{
    AUTO_TEXT struct text said = {0};
    const char *const argv[] = {path, "-machine", "virt", "-cpu", "help", NULL};
    int status = tool_run(&(struct tool){.argv = argv, .limit_ms = ANSWER_MS}, &said, failure);
    if (status != 0) /* what it says then is no list */
        return status < 0 ? status : 0;
    text_putc(models, '\n');
    for (const char *line = text_string(&said); *line; line += *line == '\n') {
        line += strspn(line, " ");
        size_t length = strcspn(line, "\n");
        text_append(models, line, length);
        text_putc(models, '\n');
        line += length;
    }
    return 0;
}

bool emulator_has(const struct text *models, const char *name)
{
    char line[64];
    snprintf(line, sizeof(line), "\n%s\n", name);
    return !models->length || strstr(text_string(models), line);
}

static void list_models(struct text *names, const struct text *models)
{
    for (const struct cpu_model *model = cpu_models; model->name; model++)
        if (emulator_has(models, model->name))
            text_printf(names, "%s%s", names->length ? ", " : "", model->name);
}

int emulator_check_cpu(const char *path, const struct cpu_model *cpu, struct failure *failure)
{
    AUTO_TEXT struct text models = {0};
    AUTO_TEXT struct text names = {0};
    int status = emulator_cpus(path, &models, failure);
    if (status < 0 || emulator_has(&models, cpu->name))
        return status;
    list_models(&names, &models);
    return fail_with(failure, -ENOENT,
                     "this QEMU (%.200s) has no %s: take one of %s, or a newer QEMU", path,
                     cpu->name, names.length ? text_string(&names) : "its own");
}

/* ----------------------------------------------------------------------------------------------
 * Settings are checked strictly: some of them become part of QEMU's option syntax, where a comma
 * would begin another option. */

const char *const lab_isas[] = {"aarch64", NULL};

#define MEMORY_LEAST 128
#define MEMORY_MOST  65536

static bool set_cpu(struct lab_settings *settings, const char *value)
{
    const struct cpu_model *model = cpu_model_find(value);
    if (model)
        settings->cpu = model;
    return model != NULL;
}

static bool set_kernel(struct lab_settings *settings, const char *value)
{
    if (!lab_kernel_name(value))
        return false;
    snprintf(settings->kernel, sizeof(settings->kernel), "%s", value);
    return true;
}

static bool set_switch(bool *place, const char *value)
{
    *place = strcmp(value, "on") == 0;
    return *place || strcmp(value, "off") == 0;
}

static bool set_pmu(struct lab_settings *settings, const char *value)
{
    return set_switch(&settings->pmu, value);
}

static bool set_user_access(struct lab_settings *settings, const char *value)
{
    return set_switch(&settings->user_access, value);
}

/* A decimal number between the bounds. */
static bool set_number(const char *value, long least, long most, long *number)
{
    char *end;
    errno = 0;
    *number = strtol(value, &end, 10);
    return (*value == '-' || (*value >= '0' && *value <= '9')) && !*end && !errno &&
           *number >= least && *number <= most;
}

static bool set_paranoid(struct lab_settings *settings, const char *value)
{
    long number;
    if (!set_number(value, -1, 4, &number))
        return false;
    settings->paranoid = (int)number;
    return true;
}

static bool set_user(struct lab_settings *settings, const char *value)
{
    settings->nobody = strcmp(value, "nobody") == 0;
    return settings->nobody || strcmp(value, "root") == 0;
}

static bool set_memory(struct lab_settings *settings, const char *value)
{
    long number;
    if (!set_number(value, MEMORY_LEAST, MEMORY_MOST, &number))
        return false;
    settings->memory_mb = (unsigned)number;
    return true;
}

const struct lab_key lab_keys[] = {
    {"cpu", "MODEL", "the CPU, one of those assay lab list shows", "cortex-a72", set_cpu},
    {"kernel", "NAME", "one of the installed kernels", "the one Debian's linux-image-arm64 names",
     set_kernel},
    {"memory", "128…65536", "megabytes", "512", set_memory},
    {"pmu", "on|off", "whether the CPU has performance counters", "on", set_pmu},
    {"user-access", "on|off", "whether programs may read counters without a system call", "on",
     set_user_access},
    {"paranoid", "-1…4", "kernel.perf_event_paranoid", "what the kernel chose", set_paranoid},
    {"user", "root|nobody", "who measures", "root", set_user},
    {0},
};

int lab_settings_set(struct lab_settings *settings, const char *key, const char *value,
                     struct failure *failure)
{
    AUTO_TEXT struct text known = {0};
    for (const struct lab_key *at = lab_keys; at->name; at++) {
        const unsigned bit = 1u << (at - lab_keys);
        if (strcmp(at->name, key) != 0)
            continue;
        if (settings->given & bit)
            return fail_with(failure, -EINVAL, "%s is given twice, the second time as %.100s", key,
                             value);
        settings->given |= bit;
        if (at->set(settings, value))
            return 0;
        if (at->set == set_cpu) {
            /* The names of the lab's models that the emulator of this machine has, with commas. */
            AUTO_FREE char *path = NULL;
            AUTO_TEXT struct text models = {0};
            struct failure unheard;
            if (emulator_find(&path, settings->isa, &unheard) == 0)
                emulator_cpus(path, &models, &unheard);
            list_models(&known, &models);
        }

        return fail_with(failure, -EINVAL, "%s=%.100s is not possible: %s%s takes %s", key, value,
                         at->set == set_cpu ? "the lab's " : "", key,
                         known.length ? text_string(&known) : at->values);
    }
    for (const struct lab_key *at = lab_keys; at->name; at++)
        text_printf(&known, "\n  %s=%s  %s (default: %s)", at->name, at->values, at->summary,
                    at->initial);
    return fail_with(failure, -EINVAL, "a machine of the lab has no setting '%.50s'; it has:%s",
                     key, text_string(&known));
}

static int take_isa(struct lab_settings *settings, const char *words, size_t length,
                    struct failure *failure)
{
    AUTO_TEXT struct text known = {0};
    if (length == 0)
        return fail_with(failure, -EINVAL, "which machine of the lab? Say for example lab:%s",
                         lab_isas[0]);
    for (size_t i = 0; lab_isas[i]; i++) {
        if (strlen(lab_isas[i]) == length && memcmp(lab_isas[i], words, length) == 0) {
            settings->isa = lab_isas[i];
            return 0;
        }
        text_printf(&known, "%s%s", known.length ? ", " : "", lab_isas[i]);
    }
    return fail_with(failure, -EINVAL, "the lab has no machine '%.*s'; it has %s",
                     length > 50 ? 50 : (int)length, words, text_string(&known));
}

int lab_settings_parse(struct lab_settings *settings, const char *words, struct failure *failure)
{
    *settings = (struct lab_settings){.cpu = &cpu_models[0],
                                      .pmu = true,
                                      .user_access = true,
                                      .paranoid = LAB_PARANOID_UNSET,
                                      .memory_mb = 512};
    size_t length = strcspn(words, ",");
    int status = take_isa(settings, words, length, failure);
    while (status == 0 && words[length]) {
        words += length + 1;
        length = strcspn(words, ",");
        char word[256];
        if (length >= sizeof(word))
            return fail_with(failure, -EINVAL, "'%.50s…' is too long for a setting", words);
        if (length == 0)
            return fail_with(failure, -EINVAL,
                             "a setting is missing behind a comma: settings are KEY=VALUE, and "
                             "assay lab list shows them");
        memcpy(word, words, length);
        word[length] = '\0';
        char *equals = strchr(word, '=');
        if (equals)
            *equals++ = '\0';
        status = lab_settings_set(settings, word, equals ? equals : "", failure);
    }
    return status;
}
