/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads the first line of a script as Linux does: an interpreter, and all the rest as one argument.
 */
#include "probe/sources/qemu-plugin/account.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

bool script_read(const char *path, struct script *script)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t got = fd < 0 ? -1 : read(fd, script->line, SCRIPT_LINE);
    if (fd >= 0)
        close(fd);
    if (got < 2 || script->line[0] != '#' || script->line[1] != '!')
        return false;
    script->line[got] = 0;
    char *at = script->line + 2, *end = at + strcspn(at, "\n");
    while (end > at && is_blank(end[-1]))
        end--;
    *end = 0;
    while (is_blank(*at))
        at++;
    script->interpreter = at;
    at += strcspn(at, " \t");
    script->argument = NULL;
    if (*at) {
        *at++ = 0;
        while (is_blank(*at))
            at++;
        script->argument = *at ? at : NULL;
    }
    return *script->interpreter != 0;
}
