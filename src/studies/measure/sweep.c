/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From factors to cells: takes the cross product, leaves out what a path cannot do, and adds the
 * null cells that measure the overhead. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/factors.h"
#include "cli/geometry.h"
#include "engine/options.h"
#include "cli/sources.h"
#include "study/plan.h"

#define MOST_CELLS     10000u    /* each is a process or more */
#define MOST_PROCESSES 10000000u /* a probe keeps the order of all of them in memory */

struct sweep {
    struct measuring *measuring;
    struct factors factors;
    struct failure failure;
};

/* --- one combination --- */

/* The events of a cell: one alone with --each, else all of them. */
struct group {
    const struct counted_event *events;
    size_t count;
    char source[SOURCE_NAME]; /* of all of them */
};

/* preferred where the list has it, else the list's first word; the caller frees it. */
static char *preferred_word(const char *list, const char *preferred)
{
    if (list_has(list, preferred))
        return strdup(preferred);
    return strndup(list, strcspn(list, ","));
}

/* A pattern nobody chose: start-stop, where the path has it. */
static enum pattern usual_pattern(const struct catalogue_path *path)
{
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (list_has(path->patterns, pattern_names[order[i]]))
            return order[i];
    }
    return PATTERN_AO;
}

static int skip_combination(struct sweep *sweep, const char *what, const char *reason, int error)
{
    fail_with(&sweep->failure, -EOPNOTSUPP, "%s: %s", what, reason);
    return skips_add(&sweep->measuring->skips, what, reason, error);
}

/* 1: can be; 0: skipped, with the reason kept; negative: out of memory. */
static int combination_fits(struct sweep *sweep, const struct cell *cell,
                            const struct catalogue_path *path, const struct group *group,
                            size_t counters)
{
    const struct {
        const char *name, *list, *word;
    } needs[] = {{"pattern", path->patterns, pattern_names[cell->pattern]},
                 {"optimisation level", path->opts, cell->opt},
                 {"link mode", path->links, cell->link}};
    char what[160], reason[160];
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (list_has(needs[i].list, needs[i].word))
            continue;
        snprintf(what, sizeof(what), "%s with %s %s", path->name, needs[i].name, needs[i].word);
        snprintf(reason, sizeof(reason), "the path has %s only", needs[i].list);
        return skip_combination(sweep, what, reason, EOPNOTSUPP);
    }
    const struct catalogue_specimen *specimen =
        catalogue_specimen(sweep->measuring->catalogue, cell->specimen);
    if (specimen && cell->n > specimen->max_n) {
        snprintf(what, sizeof(what), "%s with N = %" PRIu64, cell->specimen, cell->n);
        snprintf(reason, sizeof(reason), "the specimen goes up to %" PRIu64, specimen->max_n);
        return skip_combination(sweep, what, reason, ERANGE);
    }
    if (specimen && cell->n < specimen->min_n) {
        snprintf(what, sizeof(what), "%s with N = %" PRIu64, cell->specimen, cell->n);
        snprintf(reason, sizeof(reason), "the specimen begins at %" PRIu64, specimen->min_n);
        return skip_combination(sweep, what, reason, ERANGE);
    }
    if (counters > CELL_MAX_COUNTERS) {
        snprintf(what, sizeof(what), "%zu counters at once", counters);
        snprintf(reason, sizeof(reason), "a cell has at most %d", CELL_MAX_COUNTERS);
        return skip_combination(sweep, what, reason, E2BIG);
    }
    AUTO_TEXT struct text slow = {0};
    if (source_too_slow(sweep->measuring->catalogue, group->source, cell, &slow)) {
        snprintf(what, sizeof(what), "%s with %s and N = %" PRIu64, group->source, cell->specimen,
                 cell->n);
        return skip_combination(sweep, what, text_string(&slow), ERANGE);
    }
    return 1;
}

static const char *value_at(const struct sweep *sweep, enum factor factor, const size_t *index)
{
    return sweep->factors.values[factor].count ? sweep->factors.values[factor].items[index[factor]]
                                               : NULL;
}

/* Everything but id and events. */
static int fill_cell(const struct sweep *sweep, const size_t *index, const struct group *group,
                     const struct catalogue_path *path, struct cell *cell)
{
    const struct measure_options *options = sweep->measuring->options;
    const char *opt = value_at(sweep, OPT, index), *link = value_at(sweep, LINK, index);
    const char *specimen = value_at(sweep, SPECIMEN, index);
    const char *pattern = value_at(sweep, PATTERN, index);
    if (strcmp(specimen, "auto") == 0)
        specimen = predict_specimen(sweep->measuring->catalogue, &group->events[0]);
    cell->path = strdup(path->name);
    cell->pattern = pattern ? (enum pattern)pattern_from_name(pattern) : usual_pattern(path);
    cell->specimen =
        geometry_complete_name(sweep->measuring->geometry, sweep->measuring->catalogue, specimen);
    cell->opt = opt ? strdup(opt) : preferred_word(path->opts, "O2");
    cell->link = link ? strdup(link) : preferred_word(path->links, "static");
    cell->runs =
        (uint32_t)(options->runs.given ? options->runs.value
                                       : source_runs(sweep->measuring->catalogue, group->source));
    cell->separate = options->separate;
    cell->cpu = (int32_t)options->cpu;
    value_u64(value_at(sweep, COUNT_N, index), &cell->n);
    return cell->path && cell->specimen && cell->opt && cell->link ? 0 : -ENOMEM;
}

/* copies of every event, the event under test first. */
static int fill_events(struct cell *cell, const struct group *group, size_t copies)
{
    for (size_t i = 0; i < copies * group->count; i++) {
        cell->events[i] = strdup(group->events[i % group->count].name);
        if (!cell->events[i])
            return -ENOMEM;
        cell->counters++;
    }
    return 0;
}

/* The path of the combination; NULL, with the reason kept, when it cannot count these events. All
 * paths are those that can. */
static const struct catalogue_path *choose_path(struct sweep *sweep, const char *name,
                                                const struct group *group, int *error)
{
    const struct catalogue *catalogue = sweep->measuring->catalogue;
    const struct catalogue_path *path =
        name ? catalogue_path(catalogue, name) : source_path(catalogue, group->source);
    if (path && list_has(path->sources, group->source))
        return path;
    const struct string_list *asked = &sweep->measuring->options->path;
    for (size_t i = 0; i < asked->count; i++) {
        if (strcmp(asked->items[i], "all") == 0)
            return NULL;
    }
    AUTO_TEXT struct text what = {0}, reason = {0};
    text_printf(&what, "%s%s%.200s", name ? name : "", name ? " with " : "", group->events[0].name);
    source_put_paths(catalogue, group->source, &reason);
    *error = skip_combination(sweep, text_string(&what), text_string(&reason), EOPNOTSUPP);
    return NULL;
}

static int add_combination(struct sweep *sweep, const size_t *index, const struct group *group)
{
    int error = 0;
    const struct catalogue_path *path =
        choose_path(sweep, value_at(sweep, PATH, index), group, &error);
    if (!path)
        return error;
    uint64_t copies;
    value_u64(value_at(sweep, COUNTERS, index), &copies);
    struct cell cell = {0};
    int result = fill_cell(sweep, index, group, path, &cell);
    if (result == 0)
        result = combination_fits(sweep, &cell, path, group, (size_t)copies * group->count);
    if (result > 0) {
        result = fill_events(&cell, group, (size_t)copies);
        if (result == 0)
            result = plan_append(&sweep->measuring->cells, &sweep->measuring->cell_count, &cell);
        if (result == 0)
            return 0;
    }
    cell_release(&cell);
    return result;
}

/* The next combination, last factor fastest; false after the last. */
static bool advance(const struct sweep *sweep, size_t *index)
{
    for (int factor = FACTORS; factor-- > 0;) {
        if (++index[factor] < sweep->factors.values[factor].count)
            return true;
        index[factor] = 0;
    }
    return false;
}

static int add_combinations(struct sweep *sweep, const struct group *group)
{
    size_t index[FACTORS] = {0};
    int error;
    do
        error = add_combination(sweep, index, group);
    while (error == 0 && advance(sweep, index));
    return error;
}

/* Stops counting beyond MOST_CELLS. */
static size_t count_combinations(const struct sweep *sweep, size_t groups)
{
    size_t count = groups;
    for (int factor = 0; factor < FACTORS && count <= MOST_CELLS; factor++) {
        size_t values = sweep->factors.values[factor].count;
        count *= values ? values : 1;
    }
    return count;
}

int measure_sweep(struct measuring *measuring)
{
    struct sweep sweep = {.measuring = measuring};
    const struct measure_options *options = measuring->options;
    int status = factors_resolve(&sweep.factors, measuring, &sweep.failure), error = 0;
    size_t groups = options->each ? measuring->event_count : 1;
    if (status == EXIT_DONE && count_combinations(&sweep, groups) > MOST_CELLS)
        error = -E2BIG;
    for (size_t i = 0; i < groups && status == EXIT_DONE && error == 0; i++) {
        struct group group = {.events = measuring->events + i,
                              .count = options->each ? 1 : measuring->event_count};
        if (source_of_all(group.events, group.count, group.source, &sweep.failure) < 0)
            status = EXIT_USAGE;
        else
            error = add_combinations(&sweep, &group);
    }
    if (status == EXIT_DONE && error == 0 && !measuring->cell_count)
        status = EXIT_LACKING;
    if (status == EXIT_DONE && error == 0 && !options->no_overhead &&
        catalogue_specimen(measuring->catalogue, "null"))
        error = plan_overhead_cells(&measuring->cells, &measuring->cell_count);
    if (status == EXIT_DONE && error == 0 &&
        measuring->cell_count * options->processes > MOST_PROCESSES)
        error = -EOVERFLOW;
    if (error == -E2BIG) {
        fail_with(&sweep.failure, error, "these factors make more than %u cells: name fewer values",
                  MOST_CELLS);
        status = EXIT_USAGE;
    } else if (error == -EOVERFLOW) {
        fail_with(&sweep.failure, error,
                  "%zu cells of %" PRIu64 " processes are more than %u processes: ask for fewer, "
                  "with more --runs in each",
                  measuring->cell_count, options->processes, MOST_PROCESSES);
        status = EXIT_USAGE;
    } else if (error < 0) {
        fail_with(&sweep.failure, error, "out of memory");
        status = EXIT_FAILED;
    }
    factors_free(&sweep.factors);
    return status == EXIT_DONE ? status : measure_refuse(measuring, &sweep.failure, status);
}
