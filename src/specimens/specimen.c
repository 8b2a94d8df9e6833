/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds specimens by name and makes them ready. */
#include "specimens/specimen.h"

#include <errno.h>
#include <string.h>

#include "specimens/geometry.h"

const char *const truth_grade_names[] = {"proven", "bounded", "model"};

const struct specimen *specimen_find(const char *name)
{
    for (size_t index = 0; specimen_registry[index]; index++)
        if (strcmp(specimen_registry[index]->name, name) == 0)
            return specimen_registry[index];
    return NULL;
}

bool specimen_leaves_turns(const struct specimen *specimen, long cpus)
{
    return !specimen->takes_cpu || cpus > 1;
}

static int check_n(const struct specimen *specimen, uint64_t n, struct failure *failure)
{
    if (n < specimen->min_n)
        return fail_with(failure, -ERANGE, "specimen %s begins at N = %llu", specimen->name,
                         (unsigned long long)specimen->min_n);
    if (n > specimen->max_n)
        return fail_with(failure, -ERANGE, "specimen %s goes up to N = %llu", specimen->name,
                         (unsigned long long)specimen->max_n);
    return 0;
}

/* Geometry is read from dozens of files: only for who takes some of it. */
static bool depends_on_geometry(const struct specimen *specimen)
{
    const char *keys = specimen->parameters ? specimen->parameters : "";
    return strstr(keys, "line") || strstr(keys, "tlb");
}

int specimen_prepare(const struct specimen *specimen, struct specimen_state *state,
                     struct failure *failure)
{
    int result = check_n(specimen, state->n, failure);
    if (result < 0)
        return result;
    if (depends_on_geometry(specimen))
        geometry_complete(&state->parameters);
    if (!specimen->prepare)
        return 0;
    *failure = (struct failure){0};
    result = specimen->prepare(state, failure);
    if (result < 0 && !failure->text[0])
        fail_with(failure, result, "specimen %s cannot do N = %llu: %s", specimen->name,
                  (unsigned long long)state->n, strerror(-result));
    return result;
}
