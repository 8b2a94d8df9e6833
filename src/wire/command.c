/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of controls, settings, sweeps and details. */
#include "wire/command.h"

#include <stdio.h>
#include <string.h>

const char *const control_names[CONTROL_COUNT + 1] = {
    "aslr",  "environment", "argv0",      "directory", "cpu",
    "stack", "stdin",       "hash-seeds", "tunables",  "layout"};

const char *const sweep_names[SWEEP_COUNT + 1] = {"", "env", "stack", "aslr"};
const char *const command_detail_names[DETAIL_COUNT] = {"", "code", "calls"};

static const char *const run_columns[] = {
    RUN_STATUS, RUN_OUTPUT_BYTES, RUN_OUTPUT_SUM,  RUN_TASKS, RUN_PROCESSES,
    RUN_LEFT,   RUN_INTERRUPTS,   RUN_NANOSECONDS, RUN_CPU,   RUN_RIGHTS,
};
/* Whoever counts commands by executing them itself. A PMU of the same name would not be reached, as
 * with the events of sources everywhere. */
static const char *const counting[] = {"step", "qemu", "valgrind", "trap", "pin", "dynamorio"};

static int find(const char *const *names, int count, const char *name, size_t length)
{
    for (int index = 0; index < count; index++)
        if (strlen(names[index]) == length && memcmp(names[index], name, length) == 0)
            return index;
    return -1;
}

int control_from_name(const char *name)
{
    return find(control_names, CONTROL_COUNT, name, strlen(name));
}

enum command_sweep sweep_from_name(const char *name)
{
    int found = find(sweep_names, SWEEP_COUNT, name, strlen(name));
    return found < 0 ? SWEEP_NONE : (enum command_sweep)found;
}

/* The one control of a set; -1: none or several. */
static int single(uint32_t controls)
{
    for (int control = 0; control < CONTROL_COUNT; control++)
        if (controls == CONTROL_BIT(control))
            return control;
    return -1;
}

char *setting_name(uint32_t controls, char *setting, unsigned long size)
{
    controls &= CONTROLS_ALL;
    const int only = single(controls), without = single(CONTROLS_ALL & ~controls);
    if (!controls)
        snprintf(setting, size, "as-is");
    else if (controls == CONTROLS_ALL)
        snprintf(setting, size, "controlled");
    else if (only >= 0)
        snprintf(setting, size, "only-%s", control_names[only]);
    else if (without >= 0)
        snprintf(setting, size, "without-%s", control_names[without]);
    else {
        size_t length = 0;
        for (int control = 0; control < CONTROL_COUNT && length < size; control++)
            if (controls & CONTROL_BIT(control))
                length += (size_t)snprintf(setting + length, size - length, "%s%s",
                                           length ? "+" : "", control_names[control]);
    }
    return setting;
}

int64_t setting_from_name(const char *name)
{
    const int only = strncmp(name, "only-", 5) == 0 ? control_from_name(name + 5) : -1;
    const int without = strncmp(name, "without-", 8) == 0 ? control_from_name(name + 8) : -1;
    if (strcmp(name, "as-is") == 0)
        return 0;
    if (strcmp(name, "controlled") == 0)
        return CONTROLS_ALL;
    if (only >= 0)
        return CONTROL_BIT(only);
    if (without >= 0)
        return CONTROLS_ALL & ~CONTROL_BIT(without);
    uint32_t controls = 0;
    for (const char *at = name;; at++) {
        const size_t length = strcspn(at, "+");
        const int control = find(control_names, CONTROL_COUNT, at, length);
        if (control < 0 || controls & CONTROL_BIT(control))
            return -1;
        controls |= CONTROL_BIT(control);
        at += length;
        if (!*at)
            return controls;
    }
}

bool run_column(const char *event)
{
    for (size_t index = 0; index < sizeof(run_columns) / sizeof(*run_columns); index++)
        if (strcmp(event, run_columns[index]) == 0)
            return true;
    return false;
}

const char *command_source(const char *event)
{
    const size_t length = strcspn(event, "/");
    const int count = (int)(sizeof(counting) / sizeof(*counting));
    if (run_column(event))
        return "";
    const int found = event[length] ? find(counting, count, event, length) : -1;
    return found < 0 ? "perf_event" : counting[found];
}

bool brought_name_is_plain(const char *name)
{
    const size_t length =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-");
    return length >= 1 && !name[length] && length < BROUGHT_NAME && name[0] != '.';
}
