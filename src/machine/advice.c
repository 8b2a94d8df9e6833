/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What checks judge with: filling in advice, and keeping it printable. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "machine/check.h"

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

void check_judge(const struct check *check, const struct facts *facts, struct advice *advice)
{
    *advice = (struct advice){.status = CHECK_ABSENT};
    check->judge(facts, advice);
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
