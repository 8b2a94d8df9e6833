/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The list of facts: add, replace, find. Written on the machine under test, read everywhere.
 * Invariant: keys are unique and well formed; a fact has either a value or a positive errno. */
#include "machine/facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static bool well_formed_key(const char *key)
{
    size_t length = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789._-");
    return length > 0 && length <= FACTS_MAX_KEY && key[length] == '\0';
}

static struct fact *find(const struct facts *facts, const char *key)
{
    for (size_t i = 0; i < facts->count; i++)
        if (strcmp(facts->list[i].key, key) == 0)
            return &facts->list[i];
    return NULL;
}

static int append(struct facts *facts, const char *key, struct fact **added)
{
    if (facts->count >= FACTS_MAX)
        return -E2BIG;
    if (facts->count == facts->capacity) {
        size_t capacity = facts->capacity ? 2 * facts->capacity : 64;
        struct fact *grown = realloc(facts->list, capacity * sizeof(*grown));
        if (!grown)
            return -ENOMEM;
        facts->list = grown;
        facts->capacity = capacity;
    }
    char *name = strdup(key);
    if (!name)
        return -ENOMEM;
    *added = &facts->list[facts->count++];
    **added = (struct fact){.key = name, .error = ENODATA};
    return 0;
}

int facts_set(struct facts *facts, const char *key, const char *value, int error)
{
    if (!well_formed_key(key))
        return -EINVAL;
    char *copy = NULL;
    if (value) {
        copy = strndup(value, FACTS_MAX_VALUE);
        if (!copy)
            return -ENOMEM;
    }
    struct fact *fact = find(facts, key);
    if (!fact) {
        int result = append(facts, key, &fact);
        if (result < 0) {
            free(copy);
            return result;
        }
    }
    free(fact->value);
    fact->value = copy;
    fact->error = copy ? 0 : error > 0 ? error : ENODATA;
    return 0;
}

int facts_setf(struct facts *facts, const char *key, const char *format, ...)
{
    AUTO_FREE char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&value, format, arguments);
    va_end(arguments);
    if (length < 0) {
        value = NULL;
        return -ENOMEM;
    }
    return facts_set(facts, key, value, 0);
}

const struct fact *facts_find(const struct facts *facts, const char *key)
{
    return find(facts, key);
}

const char *facts_get(const struct facts *facts, const char *key)
{
    const struct fact *fact = find(facts, key);
    return fact ? fact->value : NULL;
}

int facts_error(const struct facts *facts, const char *key)
{
    const struct fact *fact = find(facts, key);
    return fact ? fact->error : ENODATA;
}

long long facts_number(const struct facts *facts, const char *key, long long otherwise)
{
    const char *value = facts_get(facts, key);
    if (!value)
        return otherwise;
    char *end;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    while (isspace((unsigned char)*end))
        end++;
    return errno == 0 && end != value && *end == '\0' ? number : otherwise;
}

void facts_free(struct facts *facts)
{
    for (size_t i = 0; i < facts->count; i++) {
        free(facts->list[i].key);
        free(facts->list[i].value);
    }
    free(facts->list);
    *facts = (struct facts){0};
}
