/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * On the way from stores to cases: what all loaders do alike. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/loading.h"

/* ----------------------------------------------------------------------------------------------
 * The kind of a core, read from the fact pmu.cpus: "cpu_core=0-7,16 cpu_atom=8-15". */

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

/* ----------------------------------------------------------------------------------------------
 * Reads the mode from an event's name. */

const char *event_mode(const char *name)
{
    const char *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
    const char *last = !colon || (slash && slash > colon) ? slash : colon;
    if (!last || !last[1] || last[1 + strspn(last + 1, "ukhGHIDe")])
        return NULL;
    return last + 1;
}

char *event_in_user_mode(const char *name)
{
    struct text text = {0};
    size_t length = strlen(name);
    text_puts(&text, name);
    text_puts(&text, length && name[length - 1] == '/' ? "u" : ":u");
    return text_take(&text);
}

bool event_counts_user_only(const char *name)
{
    const char *mode = event_mode(name);
    return mode && strchr(mode, 'u') && !strchr(mode, 'k') && !strchr(mode, 'h');
}

bool event_counts_beyond_specimen(const char *kind, const char *name)
{
    static const char *const processor_kinds[] = {"hardware", "cache", "pmu", "raw", "pfm", "papi"};
    for (size_t i = 0; i < sizeof(processor_kinds) / sizeof(processor_kinds[0]); i++) {
        if (strcmp(kind, processor_kinds[i]) == 0)
            return !event_counts_user_only(name);
    }
    return false;
}

bool event_counts_interrupts(const char *name)
{
    return strncmp(name, "irq:", 4) == 0 || strncmp(name, "irq_vectors:", 12) == 0;
}

/* ----------------------------------------------------------------------------------------------
 * Reads lists of short words. */

bool word_list_next(const char **list, char word[WORD_LIST_WORD])
{
    while (**list) {
        size_t length = strcspn(*list, ",");
        bool fits = length > 0 && length < WORD_LIST_WORD;
        if (fits) {
            memcpy(word, *list, length);
            word[length] = '\0';
        }
        *list += length + ((*list)[length] == ',');
        if (fits)
            return true;
    }
    return false;
}

bool word_list_has(const char *list, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = list; *at;) {
        size_t word = strcspn(at, ",");
        if (word == length && strncmp(at, wanted, length) == 0)
            return true;
        at += word + (at[word] == ',');
    }
    return false;
}

const char *word_list_prefer(const char *list, const char *preferred, char word[WORD_LIST_WORD])
{
    if (word_list_has(list, preferred) || !word_list_next(&list, word))
        strcpy(word, preferred);
    return word;
}

/* ----------------------------------------------------------------------------------------------
 * On the way from stores to cases: what all loaders do alike. */

int loading_no_memory(struct failure *failure)
{
    return fail_with(failure, -ENOMEM, "out of memory while reading what was measured");
}

bool copy_if_any(char **to, const char *from)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

bool copy_or_empty(char **to, const char *from)
{
    return copy_if_any(to, from ? from : "");
}

char *loading_machine_name(const struct facts *facts)
{
    const char *cpu = facts_get(facts, "cpu.model_name"), *isa = facts_get(facts, "isa");
    struct text line = {0};
    text_puts(&line, cpu ? cpu : "unnamed CPU");
    if (isa)
        text_printf(&line, " (%s)", isa);
    return text_take(&line);
}

int loading_same_kit(const struct store *store, const char *of_store, char **kit, const char *why,
                     struct failure *failure)
{
    if (!of_store || (*kit && strcmp(*kit, of_store) == 0))
        return 0;
    if (!*kit || !**kit) {
        free(*kit);
        return copy_if_any(kit, of_store) ? 0 : loading_no_memory(failure);
    }
    return fail_with(failure, -EINVAL,
                     "the store %.300s was measured on the same machine by another build of the "
                     "harnesses: %s. Judge the stores one by one.",
                     store_path(store), why);
}
