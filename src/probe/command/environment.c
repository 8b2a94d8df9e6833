/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Makes environments. Controlled, an environment is the same few variables, filled up to a fixed
 * number of variables and of bytes: both decide where the stack of a program begins. So switching a
 * control that is itself made of variables moves nothing. */
#include "probe/command/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/text.h"
#include "wire/command.h"

#define FIXED_VARIABLES 16u /* of a controlled environment: as many, or a multiple */
#define PADDING         "ASSAY_PADDING"
#define SMALL           "ASSAY_"

static const char *const fixed[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/",
    "USER=nobody",
    "LOGNAME=nobody",
    "SHELL=/bin/sh",
    "TERM=dumb",
    "LC_ALL=C",
    "TZ=UTC0",
    NULL,
};

static const char *const seeds[] = {
    "PERL_HASH_SEED=0",
    "PERL_PERTURB_KEYS=0",
    "PYTHONHASHSEED=0",
    NULL,
};

struct environment {
    char **list; /* room for one more than count: the end */
    size_t count;
    bool failed;
};

static size_t name_length(const char *variable)
{
    return strcspn(variable, "=");
}

/* The last one of a name stands, in the place of the first. */
static void put(struct environment *environment, const char *variable)
{
    const size_t length = name_length(variable);
    char *copy = strdup(variable);
    if (!copy) {
        environment->failed = true;
        return;
    }
    for (size_t index = 0; index < environment->count; index++) {
        char **place = &environment->list[index];
        if (name_length(*place) == length && strncmp(*place, variable, length) == 0) {
            free(*place);
            *place = copy;
            return;
        }
    }
    char **added = list_add(&environment->list, &environment->count, sizeof(*environment->list));
    if (added)
        *added = copy;
    else
        free(copy);
    environment->failed = environment->failed || !added;
}

static void free_all(struct environment *environment)
{
    for (size_t index = 0; index < environment->count; index++)
        free(environment->list[index]);
    free(environment->list);
}

static void put_all(struct environment *environment, const char *const *variables)
{
    for (; *variables; variables++)
        put(environment, *variables);
}

static bool is_kept(const char *variable, const char *keep)
{
    const size_t length = name_length(variable);
    while (keep && *keep) {
        const size_t name = strcspn(keep, ",");
        if (name == length && strncmp(keep, variable, name) == 0)
            return true;
        keep += name + (keep[name] == ',');
    }
    return false;
}

static void put_kept(struct environment *environment, const char *keep, char *const *inherited)
{
    for (; *inherited; inherited++)
        if (is_kept(*inherited, keep))
            put(environment, *inherited);
}

static size_t bytes_of(const struct environment *environment)
{
    size_t bytes = 0;
    for (size_t index = 0; index < environment->count; index++)
        bytes += strlen(environment->list[index]) + 1;
    return bytes;
}

static size_t up_to(size_t value, size_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* One variable of exactly so many bytes, its end with it. */
static void put_padding(struct environment *environment, const char *name, size_t bytes)
{
    AUTO_TEXT struct text variable = {0};
    text_printf(&variable, "%s=", name);
    while (variable.length + 1 < bytes)
        text_putc(&variable, 'x');
    environment->failed = environment->failed || variable.failed;
    put(environment, text_string(&variable));
}

/* Small ones for the number, and one for the bytes, which is `more` longer than it must be. Where
 * controls are off that are made of variables, there is as much room as if they were on: none of
 * those is as small as a small one. */
static void fill_up(struct environment *environment, const struct environment *off, size_t more)
{
    const size_t wanted = environment->count + off->count + 1;
    const size_t variables = up_to(wanted, FIXED_VARIABLES);
    const size_t bytes = up_to(bytes_of(environment) + bytes_of(off) +
                                   (variables - wanted) * sizeof(SMALL "00=") + sizeof(PADDING "="),
                               COMMAND_ENVIRONMENT_BYTES);
    const size_t small = variables - 1 - environment->count;
    for (size_t index = 0; index < small; index++) {
        char name[32];
        snprintf(name, sizeof(name), SMALL "%02zu", index);
        put_padding(environment, name, 0);
    }
    const size_t filled = bytes_of(environment);
    put_padding(environment, PADDING, (bytes > filled ? bytes - filled : 0) + more);
}

char **environment_make(const struct cell_command *command, char *const *inherited,
                        const char *tunables)
{
    struct environment environment = {0}, off = {0};
    const bool controlled = command->controls & CONTROL_BIT(CONTROL_ENVIRONMENT);
    const size_t more = command->sweep == SWEEP_ENVIRONMENT ? (size_t)command->swept : 0;
    if (controlled)
        put_all(&environment, fixed);
    else
        put_all(&environment, (const char *const *)inherited);
    put_all(command->controls & CONTROL_BIT(CONTROL_HASH_SEEDS) ? &environment : &off, seeds);
    if (tunables)
        put(command->controls & CONTROL_BIT(CONTROL_TUNABLES) ? &environment : &off, tunables);
    if (controlled)
        put_kept(&environment, command->keep, inherited);
    if (controlled)
        fill_up(&environment, &off, more);
    else if (command->sweep == SWEEP_ENVIRONMENT)
        put_padding(&environment, PADDING, sizeof(PADDING "=") + more);
    const bool failed = environment.failed || off.failed ||
                        !list_add(&environment.list, &environment.count, sizeof(char *));
    free_all(&off);
    if (!failed)
        return environment.list;
    free_all(&environment);
    return NULL;
}
