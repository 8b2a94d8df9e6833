/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Truths and opcodes out of a store, sorted by specimen so that a large plan finds its own fast. */
#include "study/validate-known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More of one specimen than any catalogue has: such a store would only fill the memory. */
#define LINES_MOST 4096

enum truth_grade grade_from_name(const char *name)
{
    static const struct {
        const char *name;
        enum truth_grade grade;
    } grades[] = {{"proven", TRUTH_PROVEN}, {"bounded", TRUTH_BOUNDED}, {"model", TRUTH_MODEL}};
    for (size_t i = 0; name && i < sizeof(grades) / sizeof(grades[0]); i++)
        if (strcmp(name, grades[i].name) == 0)
            return grades[i].grade;
    return TRUTH_NONE;
}

/* --- loading --- */

struct loading {
    struct store *store;
    struct known_lines *lines;
    struct failure *failure;
};

static int add_line(struct loading *loading, const struct known_line *line)
{
    struct known_lines *lines = loading->lines;
    if (lines->count == lines->capacity) {
        size_t capacity = lines->capacity ? lines->capacity * 2 : 256;
        struct known_line *grown = reallocarray(lines->list, capacity, sizeof(*grown));
        if (!grown)
            return fail_with(loading->failure, -ENOMEM, "out of memory");
        lines->list = grown;
        lines->capacity = capacity;
    }
    struct known_line *added = &lines->list[lines->count];
    *added = *line;
    added->specimen = strdup(line->specimen);
    added->name = strdup(line->name);
    added->place = lines->count++;
    return added->specimen && added->name ? 0
                                          : fail_with(loading->failure, -ENOMEM, "out of memory");
}

static int add_truth(void *context, const struct stored_truth *truth)
{
    struct loading *loading = context;
    struct known_line line = {.specimen = (char *)(uintptr_t)truth->specimen,
                              .name = (char *)(uintptr_t)truth->class,
                              .grade = grade_from_name(truth->grade),
                              .base = truth->base,
                              .each = truth->each,
                              .high_base = truth->high_base,
                              .high_each = truth->high_each};
    if (line.grade == TRUTH_NONE)
        return fail_with(loading->failure, -EBADMSG,
                         "the store %.300s is damaged, or was changed by another program: "
                         "specimen %.60s has a truth of grade '%.60s'; there are proven, bounded "
                         "and model. Take a copy you trust.",
                         store_path(loading->store), truth->specimen, truth->grade);
    return add_line(loading, &line);
}

static int add_opcode(void *context, const struct stored_opcode *opcode)
{
    if (!*opcode->opcode) /* says only that the code was not decoded */
        return 0;
    struct known_line line = {.specimen = (char *)(uintptr_t)opcode->specimen,
                              .name = (char *)(uintptr_t)opcode->opcode,
                              .grade = TRUTH_PROVEN,
                              .base = opcode->base,
                              .each = opcode->each,
                              .high_base = opcode->base,
                              .high_each = opcode->each};
    return add_line(context, &line);
}

static int compare_lines(const void *left, const void *right)
{
    const struct known_line *one = left, *other = right;
    int order = strcmp(one->specimen, other->specimen);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

static int sort_lines(struct loading *loading)
{
    struct known_lines *lines = loading->lines;
    if (lines->count)
        qsort(lines->list, lines->count, sizeof(*lines->list), compare_lines);
    for (size_t i = LINES_MOST; i < lines->count; i++)
        if (strcmp(lines->list[i].specimen, lines->list[i - LINES_MOST].specimen) == 0)
            return fail_with(loading->failure, -EBADMSG,
                             "the store %.300s is damaged, or was not written by assay: it knows "
                             "more than %d counts of specimen %.60s. Take a copy you trust.",
                             store_path(loading->store), LINES_MOST, lines->list[i].specimen);
    return 0;
}

int known_load(struct store *store, struct known *known, struct failure *failure)
{
    struct loading truths = {store, &known->truths, failure};
    struct loading opcodes = {store, &known->opcodes, failure};
    int error = store_each_specimen_truth(store, add_truth, &truths, failure);
    if (!error)
        error = store_each_opcode(store, add_opcode, &opcodes, failure);
    if (!error)
        error = sort_lines(&truths);
    return error ? error : sort_lines(&opcodes);
}

static void release_lines(struct known_lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->list[i].specimen);
        free(lines->list[i].name);
    }
    free(lines->list);
    *lines = (struct known_lines){0};
}

void known_release(struct known *known)
{
    release_lines(&known->truths);
    release_lines(&known->opcodes);
}

/* --- asking --- */

/* How the name without parameters compares with a line's specimen. */
static int compare_specimen(const char *name, size_t length, const char *specimen)
{
    int order = strncmp(name, specimen, length);
    return order ? order : -(specimen[length] != '\0');
}

/* The first line of that specimen; the end of the list where there is none. */
static size_t first_of(const struct known_lines *lines, const char *name, size_t length)
{
    size_t low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_specimen(name, length, lines->list[middle].specimen) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_of(const struct known_lines *lines, size_t i, const char *name, size_t length)
{
    return i < lines->count && compare_specimen(name, length, lines->list[i].specimen) == 0;
}

/* False where it leaves 64 bits. */
static bool evaluate(int64_t base, int64_t each, uint64_t n, int64_t *count)
{
    int64_t product;
    return !__builtin_mul_overflow(each, n, &product) &&
           !__builtin_add_overflow(base, product, count);
}

static struct truth truth_at(const struct known_line *line, uint64_t n)
{
    struct truth truth = {.grade = line->grade};
    if (!evaluate(line->base, line->each, n, &truth.low))
        return (struct truth){0};
    truth.high = truth.low;
    if (line->grade == TRUTH_BOUNDED &&
        (!evaluate(line->high_base, line->high_each, n, &truth.high) || truth.high < truth.low))
        return (struct truth){0};
    return truth;
}

struct truth known_truth(const struct known *known, const char *specimen, const char *class,
                         uint64_t n)
{
    const struct known_lines *lines = &known->truths;
    size_t length = strcspn(specimen, "/");
    for (size_t i = first_of(lines, specimen, length); is_of(lines, i, specimen, length); i++)
        if (strcmp(lines->list[i].name, class) == 0)
            return truth_at(&lines->list[i], n);
    return (struct truth){0};
}

static int add_traits(const struct known_lines *lines, enum trait_kind kind, struct point *point)
{
    size_t length = strcspn(point->specimen, "/");
    for (size_t i = first_of(lines, point->specimen, length);
         is_of(lines, i, point->specimen, length); i++) {
        struct truth truth = truth_at(&lines->list[i], point->n);
        if (truth.grade == TRUTH_NONE || truth.low != truth.high) /* limits are no number */
            continue;
        struct trait *trait = point_add_trait(point);
        if (!trait)
            return -ENOMEM;
        *trait = (struct trait){kind, strdup(lines->list[i].name), truth.low,
                                truth.grade == TRUTH_PROVEN};
        if (!trait->name)
            return -ENOMEM;
    }
    return 0;
}

int known_traits(const struct known *known, struct point *point)
{
    int error = add_traits(&known->truths, TRAIT_CLASS, point);
    return error ? error : add_traits(&known->opcodes, TRAIT_OPCODE, point);
}
