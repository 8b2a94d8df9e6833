/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What checks judge with: filling in advice, and keeping it printable. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "machine/check.h"
#include "machine/lab-fix.h"

const char *const check_status_names[] = {"ok", "warn", "bad", "absent"};

const struct check *check_find(const char *name)
{
    for (const struct check *const *check = check_registry; *check; check++)
        if (strcmp((*check)->name, name) == 0)
            return *check;
    return NULL;
}

/* Facts may come from a hostile file or probe: no byte of theirs may steer a terminal. */
static void make_printable(char *text, bool lines)
{
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if ((byte < 0x20 || byte > 0x7e) && !(lines && byte == '\n'))
            *text = byte == '\n' || byte == '\t' ? ' ' : '?';
    }
}

static bool in_container(const struct facts *facts)
{
    const char *container = facts_get(facts, "container");
    const char *namespace = facts_get(facts, "process.user_namespace");
    return (container && strcmp(container, "none") != 0) ||
           (namespace && strcmp(namespace, "own") == 0);
}

/* Judges write commands as an ordinary user types them. Root needs no sudo; in a container the
 * machine's settings cannot be changed by anybody, so there the command is for the host. */
static void fit_to_reader(const struct facts *facts, struct advice *advice)
{
    const char *euid = facts_get(facts, "process.euid");
    bool host = in_container(facts);
    if (!host && !(euid && strcmp(euid, "0") == 0))
        return;
    AUTO_TEXT struct text fitted = {0};
    for (const char *line = advice->fix; *line;) {
        const char *end = line + strcspn(line, "\n");
        const char *sudo = strstr(line, "sudo ");
        if (host && sudo && sudo < end)
            text_puts(&fitted, "on the host: ");
        for (; !host && sudo && sudo < end; sudo = strstr(line, "sudo ")) {
            text_append(&fitted, line, (size_t)(sudo - line));
            line = sudo + strlen("sudo ");
        }
        text_append(&fitted, line, (size_t)(end - line) + (*end == '\n'));
        line = end + (*end == '\n');
    }
    if (!fitted.failed)
        snprintf(advice->fix, sizeof(advice->fix), "%s", text_string(&fitted));
}

void check_judge(const struct check *check, const struct facts *facts, struct advice *advice)
{
    *advice = (struct advice){.status = CHECK_ABSENT};
    check->judge(facts, advice);
    fit_to_reader(facts, advice);
    lab_fix(check, facts, advice);
    if (!advice->value[0])
        advise(advice, advice->status, "empty"); /* no kernel says that, but a file may */
    make_printable(advice->value, false);
    make_printable(advice->why, false);
    make_printable(advice->fix, true);
}

void advise(struct advice *advice, enum check_status status, const char *value, ...)
{
    advice->status = status;
    va_list arguments;
    va_start(arguments, value);
    vsnprintf(advice->value, sizeof(advice->value), value, arguments);
    va_end(arguments);
}

void advise_why(struct advice *advice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->why, sizeof(advice->why), format, arguments);
    va_end(arguments);
}

void advise_fix(struct advice *advice, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(advice->fix, sizeof(advice->fix), format, arguments);
    va_end(arguments);
}
