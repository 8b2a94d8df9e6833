/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * From factors to cells: takes the cross product, leaves out what a path cannot do, and adds the
 * null cells that measure the overhead. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "engine/loading.h"
#include "engine/options.h"
#include "engine/wishes.h"
#include "output/table.h"
#include "studies/caches/parts.h"
#include "studies/measure/study.h"

/* ----------------------------------------------------------------------------------------------
 * Reads NAME/KEY=VALUE,.../ against the keys that the catalogue lists for the specimen, so that a
 * typing error is told before there is a store. */

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

/* One KEY=VALUE. */
static int check_term(const struct catalogue_specimen *specimen, const char *term, size_t length,
                      struct failure *failure)
{
    char key[KEY_SIZE], written[KEY_SIZE], best[KEY_SIZE] = "";
    const size_t equals = strcspn(term, "=,/");
    struct nearest nearest = {.word = written};
    snprintf(written, sizeof(written), "%.*s", (int)(equals < KEY_SIZE ? equals : KEY_SIZE - 1),
             term);
    for (const char *list = specimen->parameters; next_key(&list, key);) {
        nearest_offer(&nearest, key);
        if (nearest.best == key)
            nearest.best = strcpy(best, key);
        if (strlen(key) != equals || strcmp(key, written) != 0)
            continue;
        if (equals < length && is_number(term + equals + 1, length - equals - 1))
            return 0;
        return fail_with(failure, -EINVAL,
                         "specimen %s: %s wants a whole number below 2^64, such as %s=65536 or "
                         "%s=64k",
                         specimen->name, key, key, key);
    }
    return fail_with(failure, -EINVAL, "specimen %s has no parameter '%.60s'%s%s%s It takes %s",
                     specimen->name, written, *best ? ": did you mean '" : "", best,
                     *best ? "'?" : ".", specimen->parameters);
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

/* ----------------------------------------------------------------------------------------------
 * Resolves factor options (names, lists, `all`) against the probe's catalogue. */

enum factor { PATH, PATTERN, SPECIMEN, COUNT_N, COUNTERS, OPT, LINK, FACTORS };

static const char *const factor_names[FACTORS] = {"path",     "pattern", "specimen", "n",
                                                  "counters", "opt",     "link"};

struct sweep {
    struct measuring *measuring;
    const struct catalogue *catalogue;
    const struct measure_options *options;
    struct failure *failure;
    /* Of every factor, as words, after they were checked against what the machine has. An empty
     * list is one value, which each cell chooses by its path. */
    struct string_list values[FACTORS];
};

static bool has_value(const struct string_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], word) == 0)
            return true;
    }
    return false;
}

static void add_once(struct string_list *list, const char *word)
{
    if (!has_value(list, word))
        string_list_add(list, word);
}

static void add_words(struct string_list *list, const char *words)
{
    struct string_list split = {0};
    if (*words)
        string_list_add(&split, words);
    for (size_t i = 0; i < split.count; i++)
        add_once(list, split.items[i]);
}

/* Everything a factor can be here. */
static void add_every(const struct catalogue *catalogue, enum factor factor,
                      struct string_list *list)
{
    for (int i = 0; i < PATTERN_COUNT && factor == PATTERN; i++)
        add_once(list, pattern_names[i]);
    for (size_t i = 0; i < catalogue->specimen_count && factor == SPECIMEN; i++)
        add_once(list, catalogue->specimens[i].name);
    if (factor == COUNT_N)
        string_list_add(list, "1,10,100,1000,10000,100000,1000000");
    if (factor == COUNTERS)
        string_list_add(list, "1,2,4,8");
    for (size_t i = 0; i < catalogue->path_count; i++) {
        const struct catalogue_path *path = &catalogue->paths[i];
        if (factor == PATH)
            add_once(list, path->name);
        else if (factor == OPT || factor == LINK)
            add_words(list, factor == OPT ? path->opts : path->links);
    }
}

/* --- resolving what was asked --- */

/* Neither here nor known to be missing: a typing error. */
static int unknown_value(struct sweep *sweep, enum factor factor, const char *word,
                         const struct string_list *known)
{
    struct nearest nearest = {.word = word};
    AUTO_TEXT struct text list = {0};
    for (size_t i = 0; i < known->count; i++) {
        nearest_offer(&nearest, known->items[i]);
        text_printf(&list, "%s%s", i ? ", " : "", known->items[i]);
    }
    fail_with(sweep->failure, -EINVAL, "no %s '%.100s'%s%s%s There is %s", factor_names[factor],
              word, nearest.best ? ": did you mean '" : "", nearest.best ? nearest.best : "",
              nearest.best ? "'?" : ".", text_string(&list));
    return EXIT_USAGE;
}

/* One word of --path, --specimen and so on: checked against what there is. */
static int resolve_word(struct sweep *sweep, enum factor factor, const char *word,
                        const struct string_list *known)
{
    if (factor == OPT && word[0] >= '0' && word[0] <= '9' && !word[1])
        word = memory_format("O%c", word[0]); /* -O2, as one tells a compiler */
    const struct catalogue_specimen *specimen =
        factor == SPECIMEN ? catalogue_specimen(sweep->catalogue, word) : NULL;
    if (specimen && specimen_name_check(specimen, word, sweep->failure) < 0)
        return EXIT_USAGE;
    if (specimen || has_value(known, word)) {
        add_once(&sweep->values[factor], word);
        return EXIT_DONE;
    }
    const struct catalogue_absence *absence =
        absences_find(sweep->catalogue, factor_names[factor], word);
    if (!absence)
        return unknown_value(sweep, factor, word, known);
    const char *what = memory_format("%s %.100s", factor_names[factor], word);
    fail_with(sweep->failure, -ENOENT, "%s is not to be had here: %.700s", what, absence->reason);
    skips_add(&sweep->measuring->studying.skips, what, absence->reason, absence->error);
    return EXIT_DONE;
}

/* Numbers are brought to one form, so that 1e3 and 1000 are one value. */
static int resolve_number(struct sweep *sweep, enum factor factor, const char *word, uint64_t least,
                          uint64_t most)
{
    uint64_t value;
    if (value_u64(word, &value) < 0 || value < least || value > most) {
        fail_with(sweep->failure, -EINVAL,
                  "--%s '%.100s': expected a whole number from %" PRIu64 " to %" PRIu64,
                  factor_names[factor], word, least, most);
        return EXIT_USAGE;
    }
    add_once(&sweep->values[factor], memory_format("%" PRIu64, value));
    return EXIT_DONE;
}

static int resolve_factor(struct sweep *sweep, enum factor factor, const struct string_list *asked)
{
    struct string_list known = {0}, *values = &sweep->values[factor];
    int status = EXIT_DONE;
    add_every(sweep->catalogue, factor, &known);
    for (size_t i = 0; i < asked->count && status == EXIT_DONE; i++) {
        const char *word = asked->items[i];
        const bool all = strcmp(word, "all") == 0;
        for (size_t j = 0; all && j < known.count; j++)
            add_once(values, known.items[j]);
        if (factor == SPECIMEN && strcmp(word, "auto") == 0)
            add_once(values, word);
        else if (!all)
            status = factor == COUNT_N ? resolve_number(sweep, factor, word, 0, UINT64_MAX)
                     : factor == COUNTERS
                         ? resolve_number(sweep, factor, word, 1, CELL_MAX_COUNTERS)
                         : resolve_word(sweep, factor, word, &known);
    }
    /* Every value asked for is missing here, and the reason was kept. */
    return status == EXIT_DONE && asked->count && !values->count ? EXIT_LACKING : status;
}

/* ----------------------------------------------------------------------------------------------
 * Sources as the controller sees them: names in front of events, and lists in the catalogue. */

#define USUAL_RUNS 100
#define PAPI       "papi" /* presets: a name for the paths that open them, no source of its own */

void source_of(const struct counted_event *event, char name[SOURCE_NAME])
{
    if (strcmp(event->kind, "source") == 0)
        snprintf(name, SOURCE_NAME, "%.*s", (int)strcspn(event->name, "/"), event->name);
    else
        strcpy(name, strcmp(event->kind, "papi") == 0 ? PAPI : "perf_event");
}

/* The one source of all events; -EINVAL with a sentence when they have several. */
static int source_of_all(const struct counted_event *events, size_t count, char name[SOURCE_NAME],
                         struct failure *failure)
{
    source_of(&events[0], name);
    for (size_t i = 1; i < count; i++) {
        char other[SOURCE_NAME];
        source_of(&events[i], other);
        /* PAPI counts what perf_event counts as well: with a preset the whole cell is PAPI's. */
        if (strcmp(name, "perf_event") == 0 && strcmp(other, PAPI) == 0)
            strcpy(name, PAPI);
        if (strcmp(name, other) != 0 &&
            (strcmp(name, PAPI) != 0 || strcmp(other, "perf_event") != 0))
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
        if (word_list_has(catalogue->paths[i].sources, source))
            return &catalogue->paths[i];
    }
    return NULL;
}

void source_put_paths(const struct catalogue *catalogue, const char *source, struct text *out)
{
    size_t count = 0;
    text_printf(out, "events of %s can be counted on ", source);
    for (size_t i = 0; i < catalogue->path_count; i++) {
        if (word_list_has(catalogue->paths[i].sources, source))
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

/* Does one process of the cell ask more of the source than it does in some ten minutes? Then reason
 * says so, and which source here would do it. Nothing is known of other sources. */
static bool source_too_slow(const struct catalogue *catalogue, const char *source,
                            const struct cell *cell, struct text *reason)
{
    /* Of all runs; at least N each, because a repeated instruction is one by its truth and N steps
     * for whoever steps it. */
    struct maybe predicted =
        predict_class(catalogue, "instructions", cell->specimen, cell->n, NULL);
    uint64_t work = cell->n;
    size_t own = 0;
    if (predicted.known && predicted.value > 0 && (uint64_t)predicted.value > work)
        work = (uint64_t)predicted.value;
    if (__builtin_mul_overflow(work, cell->runs, &work))
        work = UINT64_MAX;
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

/* ----------------------------------------------------------------------------------------------
 * From factors to cells: takes the cross product, leaves out what a path cannot do, and adds the
 * null cells that measure the overhead. */

#define MOST_CELLS 10000u /* each is a process or more */

/* --- one combination --- */

/* The events of a cell: one alone with --each, else all of them. */
struct group {
    const struct counted_event *events;
    size_t count;
    char source[SOURCE_NAME]; /* of all of them */
};

static char *preferred_word(const char *list, const char *preferred)
{
    return memory_copy(word_list_prefer(list, preferred, (char[WORD_LIST_WORD]){""}));
}

/* A pattern nobody chose: start-stop, where the path has it. */
static enum pattern usual_pattern(const struct catalogue_path *path)
{
    static const enum pattern order[] = {PATTERN_AO, PATTERN_RR, PATTERN_AR, PATTERN_RO};
    for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
        if (word_list_has(path->patterns, pattern_names[order[i]]))
            return order[i];
    }
    return PATTERN_AO;
}

/* False, for who leaves the combination out. */
static bool skip_combination(struct sweep *sweep, const char *what, const char *reason, int error)
{
    fail_with(sweep->failure, -EOPNOTSUPP, "%s: %s", what, reason);
    skips_add(&sweep->measuring->studying.skips, what, reason, error);
    return false;
}

/* False: it is skipped, with the reason kept. */
static bool combination_fits(struct sweep *sweep, const struct cell *cell,
                             const struct catalogue_path *path, const struct group *group,
                             size_t counters)
{
    const struct {
        const char *name, *list, *word;
    } needs[] = {{"pattern", path->patterns, pattern_names[cell->pattern]},
                 {"optimisation level", path->opts, cell->opt},
                 {"link mode", path->links, cell->link}};
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++)
        if (!word_list_has(needs[i].list, needs[i].word))
            return skip_combination(
                sweep, memory_format("%s with %s %s", path->name, needs[i].name, needs[i].word),
                memory_format("the path has %s only", needs[i].list), EOPNOTSUPP);
    const char *with_n = memory_format("%s with N = %" PRIu64, cell->specimen, cell->n);
    const struct catalogue_specimen *specimen =
        catalogue_specimen(sweep->catalogue, cell->specimen);
    if (specimen && cell->n > specimen->max_n)
        return skip_combination(sweep, with_n,
                                memory_format("the specimen goes up to %" PRIu64, specimen->max_n),
                                ERANGE);
    if (specimen && cell->n < specimen->min_n)
        return skip_combination(sweep, with_n,
                                memory_format("the specimen begins at %" PRIu64, specimen->min_n),
                                ERANGE);
    if (counters > CELL_MAX_COUNTERS)
        return skip_combination(sweep, memory_format("%zu counters at once", counters),
                                memory_format("a cell has at most %d", CELL_MAX_COUNTERS), E2BIG);
    AUTO_TEXT struct text slow = {0};
    return !source_too_slow(sweep->catalogue, group->source, cell, &slow) ||
           skip_combination(
               sweep,
               memory_format("%s with %s and N = %" PRIu64, group->source, cell->specimen, cell->n),
               text_string(&slow), ERANGE);
}

static const char *value_at(const struct sweep *sweep, enum factor factor, const size_t *index)
{
    return sweep->values[factor].count ? sweep->values[factor].items[index[factor]] : NULL;
}

/* Everything but the id: copies of every event, the event under test first. */
static void fill_cell(const struct sweep *sweep, const size_t *index, const struct group *group,
                      const struct catalogue_path *path, size_t copies, struct cell *cell)
{
    const struct measure_options *options = sweep->options;
    const char *opt = value_at(sweep, OPT, index), *link = value_at(sweep, LINK, index);
    const char *specimen = value_at(sweep, SPECIMEN, index);
    const char *pattern = value_at(sweep, PATTERN, index);
    if (strcmp(specimen, "auto") == 0)
        specimen = predict_specimen(sweep->catalogue, &group->events[0]);
    AUTO_FREE char *complete =
        geometry_complete_name(sweep->measuring->geometry, sweep->catalogue, specimen);
    *cell = (struct cell){
        .path = path->name,
        .pattern = pattern ? (enum pattern)pattern_from_name(pattern) : usual_pattern(path),
        .specimen = memory_copy(complete),
        .opt = opt ? memory_copy(opt) : preferred_word(path->opts, "O2"),
        .link = link ? memory_copy(link) : preferred_word(path->links, "static"),
        .runs = (uint32_t)(options->runs.given ? options->runs.value
                                               : source_runs(sweep->catalogue, group->source)),
        .separate = options->separate,
        .cpu = (int32_t)options->cpu,
    };
    value_u64(value_at(sweep, COUNT_N, index), &cell->n);
    while (cell->counters < copies * group->count && cell->counters < CELL_MAX_COUNTERS) {
        cell->events[cell->counters] = group->events[cell->counters % group->count].name;
        cell->counters++;
    }
}

/* The path of the combination; NULL, with the reason kept, when it cannot count these events. All
 * paths are those that can. */
static const struct catalogue_path *choose_path(struct sweep *sweep, const char *name,
                                                const struct group *group)
{
    const struct catalogue *catalogue = sweep->catalogue;
    const struct catalogue_path *path =
        name ? catalogue_path(catalogue, name) : source_path(catalogue, group->source);
    if (path && word_list_has(path->sources, group->source))
        return path;
    const struct string_list *asked = &sweep->options->path;
    if (has_value(asked, "all"))
        return NULL;
    AUTO_TEXT struct text what = {0}, reason = {0};
    text_printf(&what, "%s%s%.200s", name ? name : "", name ? " with " : "", group->events[0].name);
    source_put_paths(catalogue, group->source, &reason);
    skip_combination(sweep, text_string(&what), text_string(&reason), EOPNOTSUPP);
    return NULL;
}

static void add_combination(struct sweep *sweep, const size_t *index, const struct group *group)
{
    const struct catalogue_path *path = choose_path(sweep, value_at(sweep, PATH, index), group);
    if (!path)
        return;
    uint64_t copies;
    value_u64(value_at(sweep, COUNTERS, index), &copies);
    struct cell cell;
    fill_cell(sweep, index, group, path, (size_t)copies, &cell);
    if (!combination_fits(sweep, &cell, path, group, (size_t)copies * group->count))
        return;
    cell = plan_copy(&cell);
    plan_append(&sweep->measuring->cells, &sweep->measuring->cell_count, &cell);
}

/* The next combination, last factor fastest; false after the last. */
static bool advance(const struct sweep *sweep, size_t *index)
{
    for (int factor = FACTORS; factor-- > 0;) {
        if (++index[factor] < sweep->values[factor].count)
            return true;
        index[factor] = 0;
    }
    return false;
}

/* Stops counting beyond MOST_CELLS. */
static size_t count_combinations(const struct sweep *sweep, size_t groups)
{
    size_t count = groups;
    for (int factor = 0; factor < FACTORS && count <= MOST_CELLS; factor++) {
        size_t values = sweep->values[factor].count;
        count *= values ? values : 1;
    }
    return count;
}

int measure_sweep(struct measuring *run, struct failure *failure)
{
    const struct measure_options *options = measure_asked(run);
    struct sweep sweep = {.measuring = run,
                          .catalogue = run->studying.catalogue,
                          .options = options,
                          .failure = failure};
    const struct string_list *asked[FACTORS] = {
        &options->path,     &options->pattern, &options->specimen, &options->n,
        &options->counters, &options->opt,     &options->link};
    int status = EXIT_DONE;
    for (int factor = 0; factor < FACTORS && status == EXIT_DONE; factor++)
        status = resolve_factor(&sweep, (enum factor)factor, asked[factor]);
    size_t groups = options->each ? run->event_count : 1;
    if (status == EXIT_DONE && count_combinations(&sweep, groups) > MOST_CELLS) {
        fail_with(failure, -E2BIG, "these factors make more than %u cells: name fewer values",
                  MOST_CELLS);
        status = EXIT_USAGE;
    }
    for (size_t i = 0; i < groups && status == EXIT_DONE; i++) {
        struct group group = {.events = run->events + i,
                              .count = options->each ? 1 : run->event_count};
        size_t index[FACTORS] = {0};
        if (source_of_all(group.events, group.count, group.source, failure) < 0)
            return EXIT_USAGE;
        do
            add_combination(&sweep, index, &group);
        while (advance(&sweep, index));
    }
    if (status != EXIT_DONE || !run->cell_count)
        return status == EXIT_DONE ? EXIT_LACKING : status;
    if (!options->no_overhead && catalogue_specimen(sweep.catalogue, "null"))
        plan_overhead_cells(&run->cells, &run->cell_count);
    if (run->cell_count * options->processes <= MEASURE_MOST_PROCESSES)
        return EXIT_DONE;
    fail_with(failure, -EOVERFLOW,
              "%zu cells of %" PRIu64 " processes are more than %u processes: ask for fewer, "
              "with more --runs in each",
              run->cell_count, options->processes, MEASURE_MOST_PROCESSES);
    return EXIT_USAGE;
}
