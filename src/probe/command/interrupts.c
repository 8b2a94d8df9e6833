/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads /proc/interrupts: a column for each CPU that is online, a line for each interrupt. */
#include "probe/command/interrupts.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"

/* Which column of the first line is this CPU's? *columns: how many there are. -1: none. */
static int find_column(const char *header, int cpu, int *columns)
{
    int column = -1;
    *columns = 0;
    for (const char *word = strstr(header, "CPU"); word; word = strstr(word + 3, "CPU")) {
        if (atoi(word + 3) == cpu && isdigit((unsigned char)word[3]))
            column = *columns;
        (*columns)++;
    }
    return column;
}

/* Errors are counted for the whole machine: their lines hold one number. */
static bool is_of_cpus(const char *line)
{
    line += strspn(line, " ");
    return strncasecmp(line, "ERR:", 4) != 0 && strncasecmp(line, "MIS:", 4) != 0;
}

static uint64_t number_in(const char *line, int column, int columns)
{
    const char *rest = strchr(line, ':');
    uint64_t wanted = 0;
    if (!rest || !is_of_cpus(line))
        return 0;
    rest++;
    for (int index = 0; index < columns; index++) {
        char *end;
        const unsigned long long value = strtoull(rest, &end, 10);
        if (end == rest)
            return 0;
        if (index == column)
            wanted = value;
        rest = end;
    }
    return wanted;
}

int interrupts_parse(FILE *text, int cpu, uint64_t *interrupts)
{
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    int columns = 0;
    const int column = getline(&line, &size, text) > 0 ? find_column(line, cpu, &columns) : -1;
    if (column < 0)
        return -ENOENT;
    *interrupts = 0;
    while (getline(&line, &size, text) > 0)
        *interrupts += number_in(line, column, columns);
    return 0;
}

int interrupts_read(int cpu, uint64_t *interrupts)
{
    AUTO_FILE FILE *text = cpu >= 0 ? fopen("/proc/interrupts", "re") : NULL;
    return text ? interrupts_parse(text, cpu, interrupts) : -ENOENT;
}
