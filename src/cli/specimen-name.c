/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads NAME/KEY=VALUE,.../ against the keys that the catalogue lists for the specimen, so that a
 * typing error is told before there is a store. */
#include "cli/specimen-name.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/nearest.h"

#define KEY_SIZE 64 /* bytes; longer keys are cut and fit nothing */

/* Takes the next word of a list with spaces; false at its end. */
static bool next_key(const char **list, char key[KEY_SIZE])
{
    *list += strspn(*list, " ");
    size_t length = strcspn(*list, " ");
    snprintf(key, KEY_SIZE, "%.*s", (int)(length < KEY_SIZE ? length : KEY_SIZE - 1), *list);
    *list += length;
    return length != 0;
}

/* Digits, with k, m or g for powers of 1024, that fit 64 bits. */
static bool is_number(const char *text, size_t length)
{
    char *end;
    if (!length || !isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (end < text + length)
        shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
    end += shift ? 1 : 0;
    return !errno && end == text + length && number <= UINT64_MAX >> shift;
}

static int unknown_key(const struct catalogue_specimen *specimen, const char *written,
                       struct failure *failure)
{
    char key[KEY_SIZE], best[KEY_SIZE] = "";
    struct nearest nearest = {.word = written};
    for (const char *list = specimen->parameters; next_key(&list, key);) {
        nearest_offer(&nearest, key);
        if (nearest.best == key)
            nearest.best = strcpy(best, key);
    }
    return fail_with(failure, -EINVAL, "specimen %s has no parameter '%.60s'%s%s%s It takes %s",
                     specimen->name, written, *best ? ": did you mean '" : "", best,
                     *best ? "'?" : ".", specimen->parameters);
}

/* One KEY=VALUE. */
static int check_term(const struct catalogue_specimen *specimen, const char *term, size_t length,
                      struct failure *failure)
{
    char key[KEY_SIZE], written[KEY_SIZE];
    size_t equals = strcspn(term, "=,/");
    snprintf(written, sizeof(written), "%.*s", (int)(equals < KEY_SIZE ? equals : KEY_SIZE - 1),
             term);
    bool known = false;
    for (const char *list = specimen->parameters; !known && next_key(&list, key);)
        known = strlen(key) == equals && strcmp(key, written) == 0;
    if (!known)
        return unknown_key(specimen, written, failure);
    if (equals < length && is_number(term + equals + 1, length - equals - 1))
        return 0;
    return fail_with(failure, -EINVAL,
                     "specimen %s: %s wants a whole number below 2^64, such as %s=65536 or %s=64k",
                     specimen->name, key, key, key);
}

int specimen_name_check(const struct catalogue_specimen *specimen, const char *name,
                        struct failure *failure)
{
    const char *terms = strchr(name, '/');
    if (!terms)
        return 0;
    terms++;
    size_t length = strlen(terms);
    if (!length || strchr(terms, '/') != terms + length - 1)
        return fail_with(
            failure, -EINVAL,
            "specimen '%.100s': parameters end with one slash: %s/KEY=VALUE,KEY=VALUE/", name,
            specimen->name);
    if (length > 1 && !*specimen->parameters)
        return fail_with(failure, -EINVAL, "specimen %s takes no parameters", specimen->name);
    for (const char *at = terms, *last = terms + length - 1; at < last;) {
        size_t here = strcspn(at, ",/");
        int error = check_term(specimen, at, here, failure);
        if (error < 0)
            return error;
        at += here + 1;
    }
    return 0;
}
