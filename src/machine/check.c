/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What checks judge with. Pure, but for the search of core PMUs. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "machine/check.h"

/* --- What the collecting process was allowed to do --- */

bool privilege_held(const struct facts *facts, enum privilege privilege)
{
    const char *capabilities = facts_get(facts, "process.capabilities");
    const char *namespace = facts_get(facts, "process.user_namespace");
    if (!capabilities || (namespace && strcmp(namespace, "own") == 0))
        return false;
    return strtoull(capabilities, NULL, 16) >> privilege & 1;
}

bool privilege_perf(const struct facts *facts)
{
    return privilege_held(facts, PRIVILEGE_PERFMON) || privilege_held(facts, PRIVILEGE_SYS_ADMIN);
}

/* ----------------------------------------------------------------------------------------------
 * Core PMUs are called `cpu` where there is one kind of core; where there are several kinds (or on
 * arm64 always) they carry a file `cpus`. Uncore PMUs have `cpumask` instead. */

bool core_pmu(const struct machine_view *view, const char *name, struct text *cpus)
{
    AUTO_FREE char *path = NULL;
    text_clear(cpus);
    if (asprintf(&path, PMU_FOLDER "/%s/cpus", name) < 0) {
        path = NULL;
        return false;
    }
    if (view_text(view, path, cpus) == 0) {
        while (cpus->length > 0 && cpus->bytes[cpus->length - 1] <= ' ')
            cpus->bytes[--cpus->length] = '\0';
        return true;
    }
    text_clear(cpus);
    return strcmp(name, "cpu") == 0 || strcmp(name, "cpum_cf") == 0; /* the latter: s390 */
}

/* ----------------------------------------------------------------------------------------------
 * Advice for a machine of the lab: it lives for one command and is booted anew for the next, so a
 * command typed there mends nothing. Its settings stand behind --via lab:. Pure. */

static const struct {
    const char *check, *setting;
} fixes[] = {
    {"perf-syscall", "paranoid=1"},    {"pmu", "without pmu=off"},
    {"paranoid", "paranoid=1"},        {"privileges", "without user=nobody"},
    {"user-access", "user-access=on"}, {"tracefs", "without user=nobody"},
};

/* --- Filling in advice, and keeping it printable --- */

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

/* Judges write commands as an ordinary user types them. Root needs no sudo; in a container the
 * machine's settings cannot be changed by anybody, so there the command is for the host. */
static void fit_to_reader(const struct facts *facts, struct advice *advice)
{
    const char *euid = facts_get(facts, "process.euid");
    const char *container = facts_get(facts, "container");
    const char *namespace = facts_get(facts, "process.user_namespace");
    bool host = (container && strcmp(container, "none") != 0) ||
                (namespace && strcmp(namespace, "own") == 0);
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
    const char *isa = facts_get(facts, "isa");
    const char *declared = facts_get(facts, "emulated.declared");
    if ((declared && strcmp(declared, "lab") == 0) && advice->fix[0]) {
        advice->fix[0] = '\0';
        for (size_t i = 0; i < sizeof(fixes) / sizeof(*fixes); i++)
            if (strcmp(fixes[i].check, check->name) == 0)
                advise_fix(advice,
                           "in the settings behind --via lab:%s, here and for measuring: %s",
                           isa ? isa : "aarch64", fixes[i].setting);
    }
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

void advise_plainly(struct advice *advice, enum check_status status, const char *value,
                    const char *why)
{
    advise(advice, status, "%s", value);
    advise_why(advice, "%s", why);
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
