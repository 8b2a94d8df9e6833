/* SPDX-FileCopyrightText: 2026 the assay authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Sums what a command executed: by function from what the probe says of each stretch, by opcode and
 * class from its decoded code. */
#include "engine/executed.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "cli/executed-code.h"
#include "decode/opcodes.h"

/* A function, an opcode or a file; found by its name. */
struct sum {
    char *object, *name;
    size_t number; /* of a file */
    uint64_t count, repetitions;
};
struct sums {
    void *tree;
    struct sum **list;
    size_t count;
};

struct executed {
    char *isa;
    uint32_t cell, process;
    struct sums functions, opcodes, objects;
    struct executed_code code;
    struct tallies classes;
    uint64_t instructions, unknown;
    bool too_large; /* its code was not kept in full */
};

/* --- sums by name --- */

static int compare_sums(const void *left, const void *right)
{
    const struct sum *one = left, *other = right;
    int order = strcmp(one->name, other->name);
    return order ? order : strcmp(one->object, other->object);
}

static void free_sum(struct sum *sum)
{
    if (!sum)
        return;
    free(sum->object);
    free(sum->name);
    free(sum);
}

static struct sum *add_sum(struct sums *sums, const char *object, const char *name)
{
    struct sum *sum = calloc(1, sizeof(*sum));
    struct sum **place = NULL;
    if (sum) {
        sum->object = strdup(object);
        sum->name = strdup(name);
        sum->number = sums->count;
    }
    if (sum && sum->object && sum->name && tsearch(sum, &sums->tree, compare_sums))
        place = list_add(&sums->list, &sums->count, sizeof(*place));
    if (!place) {
        if (sum && sum->object && sum->name)
            tdelete(sum, &sums->tree, compare_sums);
        free_sum(sum);
        return NULL;
    }
    return *place = sum;
}

/* The one of these names, new where there is none; NULL when out of memory. */
static struct sum *sum_of(struct sums *sums, const char *object, const char *name)
{
    const struct sum wanted = {.object = (char *)(uintptr_t)object,
                               .name = (char *)(uintptr_t)name};
    struct sum *const *found = tfind(&wanted, &sums->tree, compare_sums);
    return found ? *found : add_sum(sums, object, name);
}

static void keep_sum(void *sum)
{
    (void)sum;
}

static void sums_clear(struct sums *sums)
{
    tdestroy(sums->tree, keep_sum);
    for (size_t i = 0; i < sums->count; i++)
        free_sum(sums->list[i]);
    free(sums->list);
    *sums = (struct sums){0};
}

/* Adds `times` times `each`; -ERANGE when a sum leaves 64 bits. */
static int add_to(struct sum *sum, uint64_t times, uint64_t each, uint64_t repetitions,
                  struct failure *failure)
{
    uint64_t product;
    if (__builtin_mul_overflow(times, each, &product) ||
        __builtin_add_overflow(sum->count, product, &sum->count) ||
        __builtin_add_overflow(sum->repetitions, repetitions, &sum->repetitions))
        return fail_with(failure, -ERANGE, "the count of %.200s leaves 64 bits",
                         *sum->name ? sum->name : "a function");
    return 0;
}

/* --- stretches --- */

static void begin_anew(struct executed *executed)
{
    sums_clear(&executed->functions);
    sums_clear(&executed->opcodes);
    sums_clear(&executed->objects);
    executed_code_clear(&executed->code);
    tallies_begin(&executed->classes);
    executed->instructions = 0;
    executed->too_large = false;
}

int executed_new(struct executed **executed, const char *isa)
{
    *executed = calloc(1, sizeof(**executed));
    if (!*executed)
        return -ENOMEM;
    (*executed)->isa = strdup(isa);
    begin_anew(*executed);
    return (*executed)->isa ? 0 : -ENOMEM;
}

static int keep_code(struct executed *executed, const struct sent_ran *ran, struct failure *failure)
{
    const struct sum *object = sum_of(&executed->objects, "", ran->object ? ran->object : "");
    const struct code_stretch stretch = {.length = ran->length,
                                         .address = ran->address,
                                         .object = object ? object->number : 0,
                                         .instructions = ran->instructions,
                                         .executions = ran->executions,
                                         .repetitions = ran->repetitions};
    if (!object || executed_code_add(&executed->code, &stretch, ran->bytes) < 0)
        return fail_with(failure, -ENOMEM, "out of memory");
    return 0;
}

int executed_add(struct executed *executed, const struct sent_ran *ran, struct failure *failure)
{
    uint64_t product;
    executed->cell = ran->cell;
    executed->process = ran->process;
    struct sum *function = sum_of(&executed->functions, ran->object ? ran->object : "",
                                  ran->function ? ran->function : "");
    if (!function)
        return fail_with(failure, -ENOMEM, "out of memory");
    int error = add_to(function, ran->instructions, ran->executions, ran->repetitions, failure);
    if (error < 0)
        return error;
    if (__builtin_mul_overflow((uint64_t)ran->instructions, ran->executions, &product) ||
        __builtin_add_overflow(executed->instructions, product, &executed->instructions))
        return fail_with(failure, -ERANGE, "the count of instructions leaves 64 bits");
    executed->too_large |= executed->code.length + ran->length > EXECUTED_MOST_BYTES;
    return executed->too_large ? 0 : keep_code(executed, ran, failure);
}

/* --- opcodes and classes --- */

static int sum_instruction(void *context, const struct code_stretch *stretch, const char *isa,
                           const struct instruction *instruction, uint64_t unknown,
                           struct failure *failure)
{
    struct executed *executed = context;
    char name[OPCODE_SIZE] = EXECUTED_UNKNOWN;
    if (instruction)
        opcode_name(strcmp(isa, "i386") == 0 ? "x86_64" : isa, instruction, name);
    struct sum *opcode = sum_of(&executed->opcodes, "", name);
    if (!opcode)
        return fail_with(failure, -ENOMEM, "out of memory");
    int error = add_to(opcode, instruction ? 1 : unknown, stretch->executions,
                       instruction && instruction->repeated ? stretch->repetitions : 0, failure);
    if (error == 0 && instruction)
        return tallies_add_executed(&executed->classes, instruction, stretch->executions, failure);
    if (error == 0) /* the product was looked at above */
        executed->unknown += unknown * stretch->executions;
    return error;
}

static int decode_code(struct executed *executed, struct failure *failure)
{
    bool decoded = false;
    executed->unknown = 0;
    if (executed->too_large) {
        executed->unknown = executed->instructions;
        return 0;
    }
    return executed_code_decode(&executed->code, executed->isa, executed->objects.count,
                                sum_instruction, executed, &decoded, failure);
}

/* --- into the store --- */

static int compare_counts(const void *left, const void *right)
{
    const struct sum *one = *(struct sum *const *)left, *other = *(struct sum *const *)right;
    if (one->count != other->count)
        return one->count < other->count ? 1 : -1;
    return compare_sums(one, other);
}

static int store_sums(const struct executed *executed, const struct sums *sums, const char *kind,
                      struct store *store, struct failure *failure)
{
    int error = 0;
    if (sums->count)
        qsort(sums->list, sums->count, sizeof(*sums->list), compare_counts);
    for (size_t i = 0; i < sums->count && error == 0; i++) {
        const struct stored_executed row = {.cell = executed->cell,
                                            .process = executed->process,
                                            .kind = kind,
                                            .object = sums->list[i]->object,
                                            .name = sums->list[i]->name,
                                            .count = sums->list[i]->count,
                                            .repetitions = sums->list[i]->repetitions};
        error = store_put_executed(store, &row, failure);
    }
    return error;
}

static int store_class(const struct executed *executed, struct store *store, const char *name,
                       uint64_t count, struct failure *failure)
{
    const struct stored_executed row = {.cell = executed->cell,
                                        .process = executed->process,
                                        .kind = "class",
                                        .object = "",
                                        .name = name,
                                        .count = count};
    return store_put_executed(store, &row, failure);
}

/* A class of which a part is not known is there too, but those of which nothing is. */
static int store_classes(const struct executed *executed, struct store *store,
                         struct failure *failure)
{
    int error = store_class(executed, store, "instructions", executed->instructions, failure);
    if (error == 0 && executed->unknown)
        error = store_class(executed, store, EXECUTED_UNKNOWN, executed->unknown, failure);
    for (size_t i = 0; i < TALLY_CLASSES && error == 0; i++) {
        const struct tally *tally = &executed->classes.list[i];
        const bool untold = strstr(tally->class, "taken") != NULL;
        if (strcmp(tally->class, "instructions") != 0 && !untold)
            error =
                store_class(executed, store, tally->class, (uint64_t)tally->count.base, failure);
    }
    return error;
}

int executed_store(struct executed *executed, struct store *store, bool opcodes, bool classes,
                   struct failure *failure)
{
    int error = 0;
    executed->unknown = 0;
    if (opcodes || classes)
        error = decode_code(executed, failure);
    if (error == 0 && executed->functions.count)
        error = store_sums(executed, &executed->functions, "function", store, failure);
    if (error == 0 && opcodes)
        error = store_sums(executed, &executed->opcodes, "opcode", store, failure);
    if (error == 0 && classes && executed->instructions > 0 && !executed->too_large)
        error = store_classes(executed, store, failure);
    begin_anew(executed);
    return error;
}

uint64_t executed_unknown(const struct executed *executed)
{
    return executed->unknown;
}

void executed_free(struct executed *executed)
{
    if (!executed)
        return;
    begin_anew(executed);
    executed_code_free(&executed->code);
    free(executed->isa);
    free(executed);
}
