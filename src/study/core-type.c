/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The kind of a core, read from the fact pmu.cpus: "cpu_core=0-7,16 cpu_atom=8-15". */
#include "study/core-type.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is the number in "0-7,16"? What is no such list holds nothing. */
static bool list_holds(const char *list, size_t length, int32_t cpu)
{
    const char *end = list + length;
    while (list < end) {
        char *after;
        long first = strtol(list, &after, 10), last = first;
        if (after == list)
            return false;
        if (after < end && *after == '-') {
            const char *number = after + 1;
            last = strtol(number, &after, 10);
            if (after == number)
                return false;
        }
        if (cpu >= first && cpu <= last)
            return true;
        list = after < end && *after == ',' ? after + 1 : end;
    }
    return false;
}

void core_type(const struct facts *facts, int32_t cpu, char *name, size_t size)
{
    const char *covers = facts_get(facts, "pmu.cpus");
    name[0] = '\0';
    if (!covers || cpu < 0 || !strchr(covers, ' '))
        return;
    for (const char *at = covers; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " "), word = strcspn(at, "= ");
        if (word < length && list_holds(at + word + 1, length - word - 1, cpu)) {
            snprintf(name, size, "%.*s", (int)word, at);
            return;
        }
        at += length;
    }
}

#define MOST_CPUS 8192

int32_t core_last(const struct facts *facts)
{
    const char *allowed = facts_get(facts, "cpu.allowed");
    char first[64] = "", kind[64];
    for (int32_t cpu = 0; allowed && cpu < MOST_CPUS && !*first; cpu++)
        core_type(facts, cpu, first, sizeof(first));
    for (int32_t cpu = MOST_CPUS - 1; allowed && cpu >= 0; cpu--) {
        if (!list_holds(allowed, strlen(allowed), cpu))
            continue;
        core_type(facts, cpu, kind, sizeof(kind));
        if (strcmp(kind, first) == 0)
            return cpu;
    }
    return -1;
}

int core_allowed(const struct facts *facts, int32_t **cpus, size_t *count)
{
    const char *allowed = facts_get(facts, "cpu.allowed");
    *count = 0;
    *cpus = calloc(MOST_CPUS, sizeof(**cpus));
    for (int32_t cpu = 0; *cpus && allowed && cpu < MOST_CPUS; cpu++)
        if (list_holds(allowed, strlen(allowed), cpu))
            (*cpus)[(*count)++] = cpu;
    return *cpus ? 0 : -ENOMEM;
}
