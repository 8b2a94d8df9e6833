/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The case file in memory. */
#include "judge/evidence.h"

#include <stdlib.h>
#include <string.h>

/* One more element, zeroed; the list doubles at powers of two. NULL when out of memory. */
static void *append(void *list_pointer, size_t *count, size_t size)
{
    void **list = list_pointer;
    if ((*count & (*count - 1)) == 0) {
        void *grown = reallocarray(*list, *count ? 2 * *count : 1, size);
        if (!grown)
            return NULL;
        *list = grown;
    }
    void *element = (char *)*list + *count * size;
    memset(element, 0, size);
    (*count)++;
    return element;
}

struct evidence *case_add_event(struct case_file *file)
{
    return append(&file->events, &file->event_count, sizeof(*file->events));
}

struct point *evidence_add_point(struct evidence *evidence)
{
    struct point *point =
        append(&evidence->points, &evidence->point_count, sizeof(*evidence->points));
    if (point) {
        point->cpu = -1;
        point->faults = -1;
        point->switches = -1;
    }
    return point;
}

struct trait *point_add_trait(struct point *point)
{
    return append(&point->traits, &point->trait_count, sizeof(*point->traits));
}

struct evidence_run *point_add_runs(struct point *point, size_t count)
{
    struct evidence_run *grown =
        reallocarray(point->runs, point->run_count + count, sizeof(*grown));
    if (!grown)
        return NULL;
    point->runs = grown;
    memset(grown + point->run_count, 0, count * sizeof(*grown));
    return grown + point->run_count;
}

static void release_point(struct point *point)
{
    for (size_t i = 0; i < point->trait_count; i++)
        free(point->traits[i].name);
    free(point->traits);
    free(point->runs);
    free(point->specimen);
    free(point->path);
    free(point->opt);
    free(point->link);
    free(point->core);
    free(point->failure_reason);
}

void case_release(struct case_file *file)
{
    for (size_t i = 0; i < file->event_count; i++) {
        struct evidence *evidence = &file->events[i];
        for (size_t j = 0; j < evidence->point_count; j++)
            release_point(&evidence->points[j]);
        free(evidence->points);
        free(evidence->event);
        free(evidence->kind);
        free(evidence->class);
        free(evidence->reason);
    }
    free(file->events);
    *file = (struct case_file){0};
}

const struct trait *point_trait(const struct point *point, enum trait_kind kind, const char *name)
{
    for (size_t i = 0; i < point->trait_count; i++)
        if (point->traits[i].kind == kind && strcmp(point->traits[i].name, name) == 0)
            return &point->traits[i];
    return NULL;
}

bool point_same_way(const struct point *left, const struct point *right)
{
    return strcmp(left->path, right->path) == 0 && left->pattern == right->pattern &&
           strcmp(left->opt, right->opt) == 0 && strcmp(left->link, right->link) == 0 &&
           left->counters == right->counters && left->cpu == right->cpu &&
           strcmp(left->core, right->core) == 0;
}
