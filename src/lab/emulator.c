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
    return fail_with(failure, -ENOENT,
                     "there is no %s on this machine: install it, for example with "
                     "`apt-get install qemu-system-arm` or `dnf install qemu-system-aarch64-core`",
                     chosen && *chosen ? chosen : name);
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
    if (status < 0)
        return status;
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
