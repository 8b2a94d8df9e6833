/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds QEMU and asks what it is. */
#include "lab/emulator.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lab/tool.h"

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

void emulator_offers(const char *isa, struct text *names)
{
    AUTO_FREE char *path = NULL;
    AUTO_TEXT struct text models = {0};
    struct failure unheard;
    if (emulator_find(&path, isa, &unheard) == 0)
        emulator_cpus(path, &models, &unheard);
    list_models(names, &models);
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
