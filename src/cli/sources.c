/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sources as the controller sees them: names in front of events, and lists in the catalogue. */
#include "cli/sources.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/factors.h"
#include "show/number.h"

#define USUAL_RUNS 100
#define PAPI       "papi" /* presets: a name for the paths that open them, no source of its own */

void source_of(const struct counted_event *event, char name[SOURCE_NAME])
{
    if (strcmp(event->kind, "source") == 0)
        snprintf(name, SOURCE_NAME, "%.*s", (int)strcspn(event->name, "/"), event->name);
    else
        strcpy(name, strcmp(event->kind, "papi") == 0 ? PAPI : "perf_event");
}

/* PAPI counts what perf_event counts as well: with a preset the whole cell is PAPI's. */
static bool join(char name[SOURCE_NAME], const char *other)
{
    if (strcmp(name, "perf_event") == 0 && strcmp(other, PAPI) == 0)
        strcpy(name, PAPI);
    return strcmp(name, other) == 0 ||
           (strcmp(name, PAPI) == 0 && strcmp(other, "perf_event") == 0);
}

int source_of_all(const struct counted_event *events, size_t count, char name[SOURCE_NAME],
                  struct failure *failure)
{
    source_of(&events[0], name);
    for (size_t i = 1; i < count; i++) {
        char other[SOURCE_NAME];
        source_of(&events[i], other);
        if (!join(name, other))
            return fail_with(failure, -EINVAL,
                             "%.200s is counted by %s and %.200s by %s, and a cell counts with one "
                             "source: give every event a cell of its own with --each",
                             events[0].name, name, events[i].name, other);
    }
    return 0;
}

const struct catalogue_path *source_path(const struct catalogue *catalogue, const char *source)
{
    for (size_t i = 0; i < catalogue->path_count; i++) {
        if (list_has(catalogue->paths[i].sources, source))
            return &catalogue->paths[i];
    }
    return NULL;
}

void source_put_paths(const struct catalogue *catalogue, const char *source, struct text *out)
{
    size_t count = 0;
    text_printf(out, "events of %s can be counted on ", source);
    for (size_t i = 0; i < catalogue->path_count; i++) {
        if (list_has(catalogue->paths[i].sources, source))
            text_printf(out, "%s%s", count++ ? ", " : "", catalogue->paths[i].name);
    }
    text_puts(out, count ? " only" : "no path of this kit");
}

uint64_t source_runs(const struct catalogue *catalogue, const char *source)
{
    const struct catalogue_source *known = catalogue_source(catalogue, source);
    return known ? known->runs : USUAL_RUNS;
}

/* Instructions that a source executes in some ten minutes, slowest first. */
static const struct {
    const char *source;
    uint64_t instructions;
} speeds[] = {
    {"trap", 30000000u}, {"step", 30000000u}, {"valgrind", 10000000000u}, {"qemu", 100000000000u}};
#define SPEEDS (sizeof(speeds) / sizeof(*speeds))

/* Of all runs; at least N each, because a repeated instruction is one by its truth and N steps for
 * whoever steps it. */
static uint64_t work_of(const struct catalogue *catalogue, const struct cell *cell)
{
    struct maybe predicted =
        predict_class(catalogue, "instructions", cell->specimen, cell->n, NULL);
    uint64_t each = cell->n, all;
    if (predicted.known && predicted.value > 0 && (uint64_t)predicted.value > each)
        each = (uint64_t)predicted.value;
    return __builtin_mul_overflow(each, cell->runs, &all) ? UINT64_MAX : all;
}

bool source_too_slow(const struct catalogue *catalogue, const char *source, const struct cell *cell,
                     struct text *reason)
{
    uint64_t work = work_of(catalogue, cell);
    size_t own = 0;
    while (own < SPEEDS && strcmp(speeds[own].source, source) != 0)
        own++;
    if (own == SPEEDS || work <= speeds[own].instructions)
        return false;
    char asked[NUMBER_SIZE], limit[NUMBER_SIZE];
    number_count(work, asked, sizeof(asked));
    number_count(speeds[own].instructions, limit, sizeof(limit));
    text_printf(reason, "%s instructions in %u runs, and %s does about %s in ten minutes", asked,
                cell->runs, source, limit);
    for (size_t i = own + 1; i < SPEEDS; i++) {
        if (work <= speeds[i].instructions && catalogue_source(catalogue, speeds[i].source)) {
            text_printf(reason, ": %s/.../ is fast enough, or ask for a smaller N or fewer --runs",
                        speeds[i].source);
            return true;
        }
    }
    text_puts(reason, ": ask for a smaller N or fewer --runs");
    return true;
}
