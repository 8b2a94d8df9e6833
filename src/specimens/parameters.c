/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A specimen's name with its parameters, NAME/key=value,key=value/, taken apart. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "specimens/specimen.h"

#define KEY(name)                                                                                  \
    {                                                                                              \
#name, offsetof(struct specimen_parameters, name)                                          \
    }
static const struct {
    const char *key;
    size_t offset;
} keys[] = {
    KEY(line),    KEY(l1d),      KEY(l1i),     KEY(l2),   KEY(llc),    KEY(l1d_ways), KEY(l1i_ways),
    KEY(l2_ways), KEY(llc_ways), KEY(dtlb),    KEY(itlb), KEY(bytes),  KEY(stride),   KEY(huge),
    KEY(spread),  KEY(pair),     KEY(cluster), KEY(seed), KEY(offset), KEY(period),
};

static bool word_in(const char *list, const char *word, size_t length)
{
    for (const char *at = list; at && *at;) {
        size_t here = strcspn(at, " ");
        if (here == length && strncmp(at, word, length) == 0)
            return true;
        at += here + strspn(at + here, " ");
    }
    return false;
}

bool specimen_takes(const struct specimen *specimen, const char *key)
{
    return word_in(specimen->parameters, key, strlen(key));
}

/* A decimal number, with k, m or g for powers of 1024. */
static int take_value(const char *text, size_t length, uint64_t *value)
{
    char *end;
    if (!length || !isdigit((unsigned char)*text))
        return -EINVAL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    unsigned shift = 0;
    if (end < text + length)
        shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
    end += shift ? 1 : 0;
    if (errno || end != text + length || number > UINT64_MAX >> shift)
        return -EINVAL;
    *value = (uint64_t)number << shift;
    return 0;
}

/* One key=value. */
static int take_term(const struct specimen *specimen, const char *term, size_t length,
                     struct specimen_parameters *parameters, struct failure *failure)
{
    size_t key = strcspn(term, "=");
    for (size_t index = 0; key < length && index < sizeof(keys) / sizeof(*keys); index++) {
        if (strlen(keys[index].key) != key || strncmp(keys[index].key, term, key) != 0 ||
            !word_in(specimen->parameters, term, key))
            continue;
        uint64_t *field = (uint64_t *)(void *)((char *)parameters + keys[index].offset);
        if (take_value(term + key + 1, length - key - 1, field) == 0)
            return 0;
        return fail_with(failure, -EINVAL,
                         "specimen %s: %.*s wants a number below 2^64, such as 65536 or 64k",
                         specimen->name, (int)key, term);
    }
    if (!specimen->parameters)
        return fail_with(failure, -EINVAL, "specimen %s takes no parameters", specimen->name);
    return fail_with(failure, -EINVAL,
                     "specimen %s has no parameter %.*s; it takes KEY=VALUE with these keys: %s",
                     specimen->name, (int)(length > 40 ? 40 : length), term, specimen->parameters);
}

static int take_terms(const struct specimen *specimen, const char *terms,
                      struct specimen_parameters *parameters, struct failure *failure)
{
    size_t length = strlen(terms);
    if (!length || terms[length - 1] != '/' || strchr(terms, '/') != terms + length - 1)
        return fail_with(failure, -EINVAL,
                         "parameters of specimen %s end with one slash: %s/KEY=VALUE,KEY=VALUE/",
                         specimen->name, specimen->name);
    for (const char *at = terms, *last = terms + length - 1; at < last;) {
        size_t here = strcspn(at, ",/");
        int result = take_term(specimen, at, here, parameters, failure);
        if (result < 0)
            return result;
        at += here + 1;
    }
    return 0;
}

int specimen_parse(const char *name, const struct specimen **specimen,
                   struct specimen_parameters *parameters, struct failure *failure)
{
    char bare[64];
    size_t length = strcspn(name, "/");
    *parameters = (struct specimen_parameters){0};
    *specimen = NULL;
    if (length < sizeof(bare)) {
        memcpy(bare, name, length);
        bare[length] = '\0';
        *specimen = specimen_find(bare);
    }
    if (!*specimen)
        return fail_with(failure, -ENOENT, "this kit has no specimen %.64s", name);
    if (!name[length])
        return 0;
    return take_terms(*specimen, name + length + 1, parameters, failure);
}
