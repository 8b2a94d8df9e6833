/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Resolves factor options (names, lists, `all`) against the probe's catalogue. */
#include "cli/factors.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/nearest.h"
#include "engine/options.h"
#include "cli/specimen-name.h"

static const char *const factor_names[FACTORS] = {"path",     "pattern", "specimen", "n",
                                                  "counters", "opt",     "link"};

struct resolving {
    struct measuring *measuring;
    struct factors *factors;
    struct failure *failure;
};

/* --- words of a list such as "ar,ao" --- */

bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; length && *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || !at[length]))
            return true;
    }
    return false;
}

static bool has_value(const struct string_list *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], word) == 0)
            return true;
    }
    return false;
}

static int add_once(struct string_list *list, const char *word)
{
    return has_value(list, word) ? 0 : string_list_add(list, word);
}

/* --- everything a factor can be here --- */

static int every_path(const struct catalogue *catalogue, struct string_list *list)
{
    int error = 0;
    for (size_t i = 0; i < catalogue->path_count && error == 0; i++)
        error = add_once(list, catalogue->paths[i].name);
    return error;
}

static int every_pattern(const struct catalogue *catalogue, struct string_list *list)
{
    (void)catalogue;
    int error = 0;
    for (int i = 0; i < PATTERN_COUNT && error == 0; i++)
        error = add_once(list, pattern_names[i]);
    return error;
}

static int every_specimen(const struct catalogue *catalogue, struct string_list *list)
{
    int error = 0;
    for (size_t i = 0; i < catalogue->specimen_count && error == 0; i++)
        error = add_once(list, catalogue->specimens[i].name);
    return error;
}

static int every_n(const struct catalogue *catalogue, struct string_list *list)
{
    (void)catalogue;
    return string_list_add(list, "1,10,100,1000,10000,100000,1000000");
}

static int every_counters(const struct catalogue *catalogue, struct string_list *list)
{
    (void)catalogue;
    return string_list_add(list, "1,2,4,8");
}

static int add_words(struct string_list *list, const char *words)
{
    struct string_list split = {0};
    int error = *words ? string_list_add(&split, words) : 0;
    for (size_t i = 0; i < split.count && error == 0; i++)
        error = add_once(list, split.items[i]);
    string_list_free(&split);
    return error;
}

static int every_opt(const struct catalogue *catalogue, struct string_list *list)
{
    int error = 0;
    for (size_t i = 0; i < catalogue->path_count && error == 0; i++)
        error = add_words(list, catalogue->paths[i].opts);
    return error;
}

static int every_link(const struct catalogue *catalogue, struct string_list *list)
{
    int error = 0;
    for (size_t i = 0; i < catalogue->path_count && error == 0; i++)
        error = add_words(list, catalogue->paths[i].links);
    return error;
}

static int (*const every[FACTORS])(const struct catalogue *, struct string_list *) = {
    every_path, every_pattern, every_specimen, every_n, every_counters, every_opt, every_link};

/* --- resolving what was asked --- */

static const struct catalogue_absence *find_absence(const struct catalogue *catalogue,
                                                    const char *kind, const char *name)
{
    for (size_t i = 0; i < catalogue->absence_count; i++) {
        const struct catalogue_absence *absence = &catalogue->absences[i];
        if (strcmp(absence->kind, kind) == 0 && strcmp(absence->name, name) == 0)
            return absence;
    }
    return NULL;
}

/* Neither here nor known to be missing: a typing error. */
static int unknown_value(struct resolving *resolving, enum factor factor, const char *word,
                         const struct string_list *known)
{
    struct nearest nearest = {.word = word};
    AUTO_TEXT struct text list = {0};
    for (size_t i = 0; i < known->count; i++) {
        nearest_offer(&nearest, known->items[i]);
        text_printf(&list, "%s%s", i ? ", " : "", known->items[i]);
    }
    fail_with(resolving->failure, -EINVAL, "no %s '%.100s'%s%s%s There is %s", factor_names[factor],
              word, nearest.best ? ": did you mean '" : "", nearest.best ? nearest.best : "",
              nearest.best ? "'?" : ".", text_string(&list));
    return EXIT_USAGE;
}

/* One word of --path, --specimen and so on: checked against what there is. */
static int resolve_word(struct resolving *resolving, enum factor factor, const char *word,
                        const struct string_list *known)
{
    char level[4]; /* -O2, as one tells a compiler */
    if (factor == OPT && word[0] >= '0' && word[0] <= '9' && !word[1]) {
        snprintf(level, sizeof(level), "O%c", word[0]);
        word = level;
    }
    const struct catalogue_specimen *specimen =
        factor == SPECIMEN ? catalogue_specimen(resolving->measuring->catalogue, word) : NULL;
    if (specimen && specimen_name_check(specimen, word, resolving->failure) < 0)
        return EXIT_USAGE;
    if (specimen)
        return add_once(&resolving->factors->values[factor], word) < 0 ? EXIT_FAILED : EXIT_DONE;
    if (has_value(known, word))
        return add_once(&resolving->factors->values[factor], word) < 0 ? EXIT_FAILED : EXIT_DONE;
    const struct catalogue_absence *absence =
        find_absence(resolving->measuring->catalogue, factor_names[factor], word);
    if (!absence)
        return unknown_value(resolving, factor, word, known);
    char what[128];
    snprintf(what, sizeof(what), "%s %.100s", factor_names[factor], word);
    fail_with(resolving->failure, -ENOENT, "%s is not to be had here: %.700s", what,
              absence->reason);
    return skips_add(&resolving->measuring->skips, what, absence->reason, absence->error) < 0
               ? EXIT_FAILED
               : EXIT_DONE;
}

/* Numbers are brought to one form, so that 1e3 and 1000 are one value. */
static int resolve_number(struct resolving *resolving, enum factor factor, const char *word,
                          uint64_t least, uint64_t most)
{
    uint64_t value;
    char digits[24];
    if (value_u64(word, &value) < 0 || value < least || value > most) {
        fail_with(resolving->failure, -EINVAL,
                  "--%s '%.100s': expected a whole number from %" PRIu64 " to %" PRIu64,
                  factor_names[factor], word, least, most);
        return EXIT_USAGE;
    }
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return add_once(&resolving->factors->values[factor], digits) < 0 ? EXIT_FAILED : EXIT_DONE;
}

static int resolve_factor(struct resolving *resolving, enum factor factor,
                          const struct string_list *asked)
{
    struct string_list known = {0};
    int status =
        every[factor](resolving->measuring->catalogue, &known) < 0 ? EXIT_FAILED : EXIT_DONE;
    for (size_t i = 0; i < asked->count && status == EXIT_DONE; i++) {
        const char *word = asked->items[i];
        if (strcmp(word, "all") == 0) {
            for (size_t j = 0; j < known.count && status == EXIT_DONE; j++)
                status = add_once(&resolving->factors->values[factor], known.items[j]) < 0
                             ? EXIT_FAILED
                             : EXIT_DONE;
        } else if (factor == COUNT_N) {
            status = resolve_number(resolving, factor, word, 0, UINT64_MAX);
        } else if (factor == COUNTERS) {
            status = resolve_number(resolving, factor, word, 1, CELL_MAX_COUNTERS);
        } else if (factor == SPECIMEN && strcmp(word, "auto") == 0) {
            status =
                add_once(&resolving->factors->values[factor], word) < 0 ? EXIT_FAILED : EXIT_DONE;
        } else {
            status = resolve_word(resolving, factor, word, &known);
        }
    }
    string_list_free(&known);
    /* Every value asked for is missing here, and the reason was kept. */
    if (status == EXIT_DONE && asked->count && !resolving->factors->values[factor].count)
        status = EXIT_LACKING;
    return status;
}

int factors_resolve(struct factors *factors, struct measuring *measuring, struct failure *failure)
{
    const struct measure_options *options = measuring->options;
    const struct string_list *asked[FACTORS] = {
        &options->path,     &options->pattern, &options->specimen, &options->n,
        &options->counters, &options->opt,     &options->link};
    struct resolving resolving = {measuring, factors, failure};
    int status = EXIT_DONE;
    for (int factor = 0; factor < FACTORS && status == EXIT_DONE; factor++)
        status = resolve_factor(&resolving, (enum factor)factor, asked[factor]);
    return status;
}

void factors_free(struct factors *factors)
{
    for (int factor = 0; factor < FACTORS; factor++)
        string_list_free(&factors->values[factor]);
}
