/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: MIT
 *
 * Totals of several calipers as one, where they had the same events on the same path. */
#define ASSAY_NO_INLINE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/regions.h"

static bool same_text(const char *one, const char *other)
{
    return one == other || (one && other && strcmp(one, other) == 0);
}

static bool fits(const struct gathered *gathered, enum assay_path path, char *const *names,
                 char *const *reasons, size_t count)
{
    if (gathered->count != count || gathered->path != path)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_text(gathered->names[i], names[i]))
            return false;
    for (size_t i = 0; i <= count; i++)
        if (!same_text(gathered->reasons[i], reasons[i]))
            return false;
    return true;
}

static void free_one(struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->count; i++)
        free(gathered->names[i]);
    for (size_t i = 0; i <= gathered->count; i++)
        free(gathered->reasons[i]);
    for (size_t i = 0; i < REGION_FURTHER; i++)
        free(gathered->rows[i]);
    free(gathered);
}

void gathered_free(struct gathered *list)
{
    while (list) {
        struct gathered *next = list->next;
        free_one(list);
        list = next;
    }
}

/* The one for these events, a new one behind the others where there is none; NULL: no memory. */
static struct gathered *find(struct gathered **list, enum assay_path path, char *const *names,
                             char *const *reasons, size_t count)
{
    for (; *list; list = &(*list)->next)
        if (fits(*list, path, names, reasons, count))
            return *list;
    struct gathered *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->count = count;
    made->path = path;
    bool failed = false;
    for (size_t i = 0; i < count; i++) {
        made->names[i] = strdup(names[i]);
        failed = failed || !made->names[i];
    }
    for (size_t i = 0; i <= count; i++) {
        made->reasons[i] = reasons[i] ? strdup(reasons[i]) : NULL;
        failed = failed || (reasons[i] && !made->reasons[i]);
    }
    if (failed) {
        free_one(made);
        return NULL;
    }
    *list = made;
    return made;
}

static struct region_total *row_of(struct gathered *gathered, size_t index)
{
    if (!gathered->rows[index])
        gathered->rows[index] = calloc(gathered->count + 1, sizeof(struct region_total));
    return gathered->rows[index];
}

int gathered_add(struct gathered **list, const struct assay_calipers *calipers)
{
    char *names[ASSAY_CALIPERS_MOST], *reasons[ASSAY_CALIPERS_MOST + 1];
    for (size_t i = 0; i < calipers->count; i++) {
        names[i] = calipers->events[i].name;
        reasons[i] = calipers->events[i].reason;
    }
    reasons[calipers->count] = calipers->reason;
    struct gathered *gathered = find(list, calipers->path, names, reasons, calipers->count);
    if (!gathered)
        return -ENOMEM;
    gathered->calipers++;
    gathered->dropped += calipers->regions ? calipers->regions->dropped : 0;
    for (uint32_t number = 1; number <= REGION_FURTHER; number++) {
        const struct region_sums *sums = regions_sums(calipers, number);
        struct region_total *row = sums ? row_of(gathered, number - 1) : NULL;
        if (sums && !row)
            return -ENOMEM;
        for (size_t i = 0; sums && i <= calipers->count; i++) {
            struct region_total total;
            region_total_of(calipers, sums, i, &total);
            region_total_add(&row[i], &total);
        }
    }
    return 0;
}

static int add_one(struct gathered **list, const struct gathered *more)
{
    struct gathered *gathered = find(list, more->path, more->names, more->reasons, more->count);
    if (!gathered)
        return -ENOMEM;
    gathered->calipers += more->calipers;
    gathered->dropped += more->dropped;
    for (size_t at = 0; at < REGION_FURTHER; at++) {
        struct region_total *row = more->rows[at] ? row_of(gathered, at) : NULL;
        if (more->rows[at] && !row)
            return -ENOMEM;
        for (size_t i = 0; row && i <= more->count; i++)
            region_total_add(&row[i], &more->rows[at][i]);
    }
    return 0;
}

int gathered_add_all(struct gathered **list, const struct gathered *more)
{
    int error = 0;
    for (; more && !error; more = more->next)
        error = add_one(list, more);
    return error;
}
