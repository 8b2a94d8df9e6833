/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes names of kernels apart. */
#include "lab/kernel-names.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define DIGITS "0123456789"

const char *kernel_flavour(const char *name)
{
    for (const char *dash = name; (dash = strchr(dash, '-')); dash++)
        if (dash[1] && !strchr(DIGITS, dash[1]))
            return dash + 1;
    return "";
}

/* The length of "6.12". */
static size_t series_length(const char *name)
{
    size_t major = strspn(name, DIGITS);
    return name[major] == '.' ? major + 1 + strspn(name + major + 1, DIGITS) : major;
}

bool kernel_related(const char *left, const char *right)
{
    size_t length = series_length(left);
    return length == series_length(right) && strncmp(left, right, length) == 0 &&
           strcmp(kernel_flavour(left), kernel_flavour(right)) == 0;
}

static size_t common_start(const char *left, const char *right)
{
    size_t length = 0;
    while (left[length] && left[length] == right[length])
        length++;
    return length;
}

void kernel_nearest(const char *names, const char *wanted, char nearest[LAB_KERNEL_NAME_MAX])
{
    const char *flavour = kernel_flavour(wanted);
    size_t best = 0;
    nearest[0] = '\0';
    for (const char *line = names; *line;) {
        char name[LAB_KERNEL_NAME_MAX];
        size_t length = strcspn(line, "\n");
        snprintf(name, sizeof(name), "%.*s", (int)length, line);
        bool same = strcmp(kernel_flavour(name), *flavour ? flavour : "arm64") == 0;
        size_t score = common_start(name, wanted);
        score = score ? 2 * score + same : 0;
        if (score > best) {
            best = score;
            memcpy(nearest, name, sizeof(name));
        }
        line += length + (line[length] == '\n');
    }
}
