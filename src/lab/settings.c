/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Settings of a machine, checked strictly: some of them become part of QEMU's option syntax, where
 * a comma would begin another option. */
#include "lab/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/emulator.h"

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
        if (at->set == set_cpu)
            emulator_offers(settings->isa, &known);
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
